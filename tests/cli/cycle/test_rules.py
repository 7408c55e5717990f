"""Rules put in force by the command say what that does."""

from tests.cli.office import Office


def test_rules_say_what_they_do_to_scores_and_list_with_and_without_check(office: Office) -> None:
    rules = office.new_cycle()
    office.people()
    office.do("cycle", "launch", "ms")
    office.turn()
    for n, task in enumerate(office.tasks("ada")):
        marks = ("5", "1", "1") if n % 2 else ("1", "5", "5")
        names = ("Academic preparation", "Research promise", "Fit with the programme")
        given = [f"--mark={name}={mark}" for name, mark in zip(names, marks, strict=True)]
        office.do("inbox", "score", task["task"], "--reviewer", "ada", *given)
    text = rules.read_text(encoding="utf-8")
    name = '"Academic preparation"'
    assert f"name = {name}\nweight = " in text
    head, _, tail = text.partition(f"name = {name}\nweight = ")
    rules.write_text(f"{head}name = {name}\nweight = 9{tail[1:]}", encoding="utf-8")
    change = ("cycle", "rules", "ms", "--set", str(rules))

    checked = office.ask(*change, "--check")
    said = office.do(*change, "--reason", "preparation counts more")
    again = office.do(*change, "--reason", "once more")

    assert checked["moved"] > 0
    assert not checked["changed"]
    assert (
        f"{checked['moved']} scores of {checked['scores']} given as marks got another" in said.out
    )
    for one in checked["entering"]:
        assert f"{one} came onto the list" in said.out or len(checked["entering"]) > 1
    assert "rules version 4 is in force" in said.out
    assert "got another value" not in again.out, "nothing was changed"
