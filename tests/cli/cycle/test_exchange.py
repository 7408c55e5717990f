"""`swapflow exchange`: a drop folder read by hand, one file taken, results put out."""

from pathlib import Path

import pytest

from tests.cli.office import Office


LIST = "CAS ID,First Name,Last Name,Email Address,Program Name,Local Status\n"
TWO = LIST + "77001,Ann,Lee,ann@example.org,MS,x\n77002,Bo,Ray,bo@example.org,MS,x\n"


@pytest.fixture
def dropped(office: Office, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = office.folder / "drop"
    monkeypatch.setenv("SWAPFLOW_DROP_FOLDER", str(root))
    office.new_cycle()
    office.do("exchange", "folder", "ms")
    return root / "ms"


def send(dropped: Path, name: str, text: str) -> None:
    (dropped / "in" / name).write_text(text)
    (dropped / "in" / f"{name}.done").touch()


def test_what_lies_in_a_drop_folder_is_taken_by_hand(office: Office, dropped: Path) -> None:
    send(dropped, "nightly.csv", TWO)
    (dropped / "in" / "more.csv.part").write_text("half")
    (dropped / "in" / "more.csv").write_text(TWO)
    seen = office.ask("exchange", "folder", "ms")
    assert (seen["whole"], seen["waiting"]) == (["nightly.csv"], ["more.csv"])

    (taken,) = office.ask("exchange", "run")["taken"]

    assert taken["shape"] == "Liaison (WebAdMIT)"
    assert (taken["cycle"], taken["counts"]["new"]) == ("ms", 2)
    assert office.do("exchange", "run").out == "nothing lies there whole\n"


def test_a_refused_list_is_on_record_until_a_person_says_that_it_is_done(
    office: Office, dropped: Path
) -> None:
    send(dropped, "nightly.csv", TWO + "77003,Cy,Cole,no address,MS,x\n")
    office.do("exchange", "run")

    (one,) = office.ask("exchange", "list", "ms")["files"]
    assert (one["outcome"], one["for_people"], one["lines"]) == (
        "refused",
        1,
        [[4, "Email Address"]],
    )
    assert "nightly.csv" in office.do("exchange", "list", "ms").out
    office.do("exchange", "done", "ms", "1")
    office.do("exchange", "done", "ms", "1")
    assert office.ask("exchange", "list", "ms")["files"][0]["for_people"] == 0
    assert office.run("exchange", "done", "ms", "9").code == 3


def test_one_file_is_taken_by_the_same_rules(office: Office, dropped: Path) -> None:
    good, bad = office.write("good.csv", TWO), office.write("bad.csv", "id,email\nX,no address\n")

    assert office.ask("exchange", "take", "ms", good)["counts"]["new"] == 2
    assert office.ask("exchange", "take", "ms", good)["again"]
    said = office.run("exchange", "take", "ms", bad)
    assert said.code == 1
    assert "changed nothing" in said.out
    assert office.run("exchange", "take", "ms", "nowhere.csv").code == 2


def test_results_go_out_in_their_columns_and_their_words(office: Office) -> None:
    office.launch()
    office.do("exchange", "words", "ms", "decision=Decision 1", "selected=Admit")
    refused = office.run("exchange", "results", "ms", "--out", "results")
    assert refused.code == 2
    assert "once its list is final" in refused.err
    assert office.run("exchange", "results", "ms").code == 2
    assert office.run("exchange", "words", "ms", "shoe=9").code == 2
    assert office.run("exchange", "words", "ms", "selected").code == 2
    alike = office.run("exchange", "words", "ms", "selected=A", "waitlisted=A")
    assert "the same name" in alike.err
    words = office.ask("exchange", "words", "ms")["words"]
    assert (words["decision"], words["selected"], words["waitlisted"]) == (
        "Decision 1",
        "Admit",
        "waitlisted",
    )


def test_without_a_folder_set_the_cure_is_named(office: Office) -> None:
    office.new_cycle()

    assert "SWAPFLOW_DROP_FOLDER" in office.run("exchange", "run").err
