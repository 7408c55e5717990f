"""People read plain words: no command speaks the algorithm's language, none promises too much."""

import re
from pathlib import Path

import pytest

from swapflow.cli.main import main
from tests.cli.commands import leaves
from tests.cli.office import Office, recording
from tests.outbound import bounces
from tests.support.plain import JARGON, TOO_MUCH


RUN_FOR_LONG = {
    ("up",), ("web",), ("coordinator",), ("worker",), ("demo",), ("study", "paper"), ("plan",),
}  # fmt: skip


def plain_part(text: str) -> str:
    """Leave out whatever stands in or is labelled as an advanced part."""
    text = re.split(r"\[advanced\]|## Advanced", text, maxsplit=1)[0]
    return re.sub(r"(?s)Advanced:.*?(?=\n  --|\n\n|$)", "", text)


def check(text: str) -> None:
    for pattern in (JARGON, TOO_MUCH):
        found = pattern.search(plain_part(text))
        assert found is None, (found, text)


@pytest.mark.parametrize("command", sorted({(), *leaves()}), ids=" ".join)
def test_help_is_plain_and_offers_json(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*command, "--help"])

    text = capsys.readouterr().out
    assert code == 0
    check(text)
    if command:
        assert "--json" in text


@pytest.mark.long
def test_what_every_command_says_is_plain(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.new_cycle()
    office.people()
    _practise(office)
    _exchange(office, monkeypatch)
    office.do("cycle", "launch", "ms")
    office.turn()
    _use_everything(office)
    office.do("exchange", "results", "ms", "--out", "results")

    for arguments, said in office.said:
        if "--json" not in arguments:
            check(said.out + said.err)
    for file in Path("list").iterdir():
        if file.suffix in {".csv", ".html", ".md"}:
            # An appeal asks whether it was fair; the file answers, and claims nothing.
            check(file.read_text(encoding="utf-8-sig").replace("compared fairly", "compared"))
    used = {command for command in leaves() for arguments, _ in office.said
            if arguments[: len(command)] == command}  # fmt: skip
    assert used == set(leaves()) - RUN_FOR_LONG


def _exchange(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWAPFLOW_DROP_FOLDER", str(office.folder / "drop"))
    bad = office.write("nightly.csv", "id,email\nx9,no address\n")
    office.do("exchange", "folder", "ms")
    office.do("exchange", "run")
    assert office.run("exchange", "take", "ms", bad).code == 1
    office.do("exchange", "list", "ms")
    office.do("exchange", "done", "ms", "1")
    office.do("exchange", "words", "ms", "selected=Admit")


def _practise(office: Office) -> None:
    Path("strong.txt").write_text("A strong file, of no person.", encoding="utf-8")
    office.do("practice", "add", "ms", "--title", "A strong file", "--file", "strong.txt")
    office.do("practice", "list", "ms")
    office.do("practice", "mark", "ms", "1", "--reviewer", "cyd", "--score", "70/100")
    office.do("practice", "note", "ms", "1", "--text", "Page 2 says when")


def _copy(office: Office) -> None:
    made = office.ask("cycle", "practise", "ms", "--applicants", "9", "--by", "ana")["cycle"]
    office.do("cycle", "practise", "ms")
    office.do("cycle", "mark-automatically", made)
    # Needs Redis, which this office has not.
    office.run("cycle", "throw-away", made, "--by", "ana")
    office.do("cycle", "next-year", "ms", "ms-next", "--round", "fall")


def _use_everything(office: Office) -> None:
    """Run every command once at least, in plain words."""
    Path("marks.csv").write_text("applicant,mark\nA,1\nB,5\nC,3\n", encoding="utf-8")
    office.do("advise", "marks.csv", "--places", "1", "--reviews", "2")
    office.do("round", "list")
    office.do("cycle", "list")
    _copy(office)
    office.do("cycle", "status", "ms")
    office.do("cycle", "rules", "ms")
    office.do("cycle", "budget", "ms", "1500", "--reason", "more time")
    office.do("cycle", "reserve", "ms")
    _take_people_in(office)
    _answer(office)
    office.turn()
    office.run("state", "rebuild", "ms")
    office.do("cycle", "pin", "ms", "a1", "in", "--reason", "promised last year")
    office.do("cycle", "pin", "ms", "a1", "free", "--reason", "the promise is gone")
    office.do("cycle", "pause", "ms")
    office.do("cycle", "resume", "ms")
    office.do("approvals", "list", "ms")
    office.do("interviews", "dates", "ms")
    _undo_bars(office)
    office.run_until_proposed()
    office.do("cycle", "stop", "ms")
    office.do("cycle", "watch", "ms")
    _meet(office)
    office.do("cycle", "finalize", "ms", "--waive", "known", "--out", "list")
    office.do("cycle", "explain", "ms", "a2")
    office.do("cycle", "export", "ms")
    office.do("cycle", "verify", "ms", "--record-only")
    office.run("cycle", "verify", "ms")
    _answer_for_it(office)
    _offer(office)
    office.do("cycle", "reopen", "ms", "--by", "A", "--by", "B", "--reason", "an appeal")
    _look_after_the_machine(office)
    past = recording(office)
    office.do("study", "past", f"{past}/scores.csv", f"{past}/items.csv", "--scale", "1..10")
    office.do("replay", past, "--cohort", "2", "--budget", "1.5", "--in-process")


def _take_people_in(office: Office) -> None:
    office.do("applications", "columns", "ms")
    office.do("applications", "values", "ms")
    _move_people(office)
    _let_people_in(office)
    _use_units(office)
    _use_groups(office)


def _undo_bars(office: Office) -> None:
    pair = ("--applicant", "a3", "--reviewer", "eli")
    office.do("reviewers", "conflicts", "ms", *pair)
    office.do("reviewers", "remove-conflict", "ms", *pair, "--reason", "a namesake")
    office.run("reviewers", "lift-bar", "ms", *pair, "--reason", "may look anew")
    office.do("applications", "open", "ms", "a3", "--by", "eli", "--reason", "a letter came")


def _meet(office: Office) -> None:
    office.do("meeting", "open", "ms")
    held = office.ask("meeting", "show", "ms")
    for name in held["without_outcome"]:
        outcome = "in" if name in held["chosen"] else "waitlist"
        office.do("meeting", "record", "ms", name, outcome, "--reason", "we agreed")
    office.do("meeting", "endorse", "ms", "a2", "builds bridges")
    office.do("meeting", "conflict", "ms", "a2", "ada")
    office.do("meeting", "close", "ms")
    office.do("meeting", "reopen", "ms", "--reason", "a letter came")
    office.do("meeting", "close", "ms")
    office.do("meeting", "minutes", "ms", "--out", "list/minutes.html")


def _offer(office: Office) -> None:
    office.do("offers", "rate", "ms", "--accepted", "30", "--of", "60", "--risk", "0.1")
    office.do("offers", "make", "ms", "--check")
    office.do("offers", "make", "ms", "--until", "2199-04-15", "--at-most", "1")
    words = office.folder / "letters.toml"
    words.write_text(office.do("letters", "words", "ms").out, encoding="utf-8")
    office.do("letters", "look", "ms", "--words", str(words))
    office.do("letters", "send", "ms", "--words", str(words))
    office.do("letters", "show", "ms")
    office.do("letters", "take-back", "ms")
    office.do("offers", "make", "ms", "--until", "2199-04-15", "--at-most", "1")
    first = office.ask("offers", "show", "ms")["offers"][0]["applicant"]
    office.do("offers", "answer", "ms", first, "declined", "--reason", "took another place")
    office.do("offers", "show", "ms")
    _reconsider(office, first)


def _reconsider(office: Office, declined: str) -> None:
    two = ("--by", "A", "--by", "B")
    again = ("cycle", "reconsider")
    why = ("--reason", "declined by mistake", "--asked-by", "the applicant", "--reviews", "0")
    office.do(*again, "open", "ms", declined, *why)
    office.do(*again, "show", "ms", declined)
    office.do(*again, "conclude", "ms", declined, *two, "--reason", "their form was misread")
    office.do(*again, "undo", "ms", declined, *two, "--reason", "it was no mistake")
    office.do(*again, "open", "ms", declined, *why)
    office.do(*again, "take-back", "ms", declined, "--reason", "they wrote again")
    office.do(*again, "list", "ms")


def _answer_for_it(office: Office) -> None:
    office.do("cycle", "oversight", "ms", "--out", "list/oversight.html")
    office.do("personal-data", "export", "ms", "a2")
    office.do("cycle", "hold", "ms", "--reason", "a complaint")
    office.do("cycle", "hold", "ms", "--release", "--reason", "settled")
    office.do("cycle", "card", "ms", "a2", "--out", "list/card.html")
    office.do("cycle", "defence", "ms", "--out", "list/defence.html")
    office.do("cycle", "defence", "ms", "--applicant", "a2", "--out", "list/defence-a2.html")
    office.run("monitoring", "defence", "ms", "--out", "monitoring-defence.html")
    office.do("cycle", "calibration", "ms")
    office.run("cycle", "calibration", "ms", "--severity")
    office.do("cycle", "bundle", "ms")
    office.do("verify", "ms.bundle")


def _look_after_the_machine(office: Office) -> None:
    office.run("doctor")
    _use_mails_that_come_back(office)
    _keep_no_longer(office)
    office.do("db", "backup", "kept.backup")
    office.run("db", "backups")
    office.run("db", "rehearse")
    office.run("db", "restore", "kept.backup")
    office.do("reviewers", "purge", "ms", "cyd", "--yes")
    office.run("monitoring", "report", "ms")
    office.run("monitoring", "ll144", "ms", "--out", "monitoring")


def _keep_no_longer(office: Office) -> None:
    office.do("round", "keep", "fall", "drafts", "--days", "90")
    hold = office.ask("round", "hold", "fall", "--reason", "a complaint")["hold"]
    office.do("round", "hold", "fall", "--program", "ms", "--reason", "another complaint")
    office.do("round", "retention", "fall")
    office.do("round", "delete-due")
    for number in (hold, hold + 1):
        office.do("round", "lift", "fall", str(number), "--reason", "settled")


def _move_people(office: Office) -> None:
    office.do("applications", "list", "ms")
    office.do("applications", "correct", "ms", "a2", "--name", "Bob", "--reason", "he wrote")
    office.do("reviewers", "list", "ms")
    office.do("reviewers", "figures", "ms")
    office.do("reviewers", "sheet", "ms", "--out", "sheets")
    office.do("applications", "hold", "ms", "a1")
    office.do("applications", "release", "ms", "a1")
    office.do("applications", "withdraw", "ms", "a1")
    office.do("applications", "reinstate", "ms", "a1")
    office.do("applications", "ineligible", "ms", "a5", "--reason", "no degree")
    office.run("applications", "ready", "ms", "a1")
    office.do("applications", "purge", "ms", "a5", "--yes")
    office.do("round", "forget-erasures", "fall", "--yes")
    office.do("applications", "ask", "ms", "a1", "review", "--reason", "an appeal")
    office.do("reviewers", "conflicts", "ms", "--applicant", "a1", "--reviewer", "cyd")
    pairs = [{"applicant": "a6", "reviewer": name} for name in ("ada", "ben", "cyd", "dee", "eli")]
    office.do("reviewers", "panel", "ms", office.write("panel.csv", pairs))
    office.turn()


def _let_people_in(office: Office) -> None:
    office.do("user", "add", "ops@example.org", "--role", "administrator")
    office.do("user", "add", "chair@example.org", "--name", "Chair")
    office.do("user", "grant", "chair@example.org", "chair", "--cycle", "ms")
    office.do("user", "list")
    office.do("cycle", "to-do", "ms")
    office.do("user", "link", "chair@example.org")
    office.do("user", "revoke", "chair@example.org", "chair", "--cycle", "ms")
    office.run("user", "password", "chair@example.org")
    office.do("user", "shut-out", "chair@example.org")
    office.do("user", "deactivate", "chair@example.org")


def _use_groups(office: Office) -> None:
    desk = ("desk", "coordinator", "--cycle", "ms")
    office.do("groups", "give", *desk, "--check")
    office.do("groups", "give", *desk)
    office.run("groups", "give", "bosses", "administrator")
    office.do("groups", "list")
    office.do("groups", "take", *desk)


def _use_mails_that_come_back(office: Office) -> None:
    Path("back.eml").write_bytes(bounces.OUT_OF_OFFICE)
    Path("stray.eml").write_bytes(bounces.FULL)
    office.do("mail", "bounces", "back.eml")
    office.do("mail", "bounces", "stray.eml")
    office.do("mail", "list")
    office.do("mail", "list", "--cycle", "ms")
    office.run("mail", "settle", "r1@example.org", "--cycle", "ms")
    office.do("mail", "settle", "--strays")
    # No mailbox is set here.
    office.run("mail", "fetch")


def _use_units(office: Office) -> None:
    office.do("units", "new", "Science", "--round", "fall")
    office.do("units", "move", "ms", "science", "--check")
    office.do("units", "move", "ms", "science", "--yes")
    office.do("units", "list")
    office.run("units", "remove", "science")
    office.do("units", "rename", "science", "Sciences")


def _answer(office: Office) -> None:
    tasks = office.tasks("ada")
    office.do("inbox", "list", "ms", "--reviewer", "ada")
    office.do("inbox", "show", tasks[0]["task"], "--reviewer", "ada")
    office.do("inbox", "decline", tasks[0]["task"], "--reviewer", "ada", "--kind", "unqualified")
    office.answer(tasks[1], "ada")
    office.run("inbox", "score", tasks[1]["task"], "--reviewer", "ada", "--score", "0.1")
    scored = office.ask("scores", "list", "ms")["scores"][0]["score"]
    office.do("scores", "list", "ms")
    office.do("scores", "correct", scored, "--score", "0.4", "--reason", "a slip")
    office.do("scores", "void", scored, "--reason", "a conflict that came out")
    office.do("scores", "restore", scored, "--reason", "it was none")
    pair = ("--applicant", "a1", "--reviewer", "ada")
    office.run("reviewers", "waive-conflict", "ms", *pair, "--reason", "known to the dean")
    file = office.write("s.csv", "applicant,reviewer,kind,utility\na2,dee,review,0.5\n")
    kept = office.ask("scores", "import", "ms", file, "--scale", "0..1")["scores"][0]
    other = office.write("other.csv", "applicant,reviewer,kind,utility\na3,eli,review,0.5\n")
    office.do("scores", "import", "ms", other, "--scale", "0..1")
    office.do("scores", "admit", kept, "--reason", "asked for by the dean")
    office.answer_all()
    office.turn()
    waiting = office.ask("approvals", "list", "ms")["requests"]
    if waiting:
        office.do("approvals", "strike", "ms", waiting[0]["request"], "--reason", "not now")
    office.do("reviewers", "leave", "ms", "cyd")
    office.do("reviewers", "return", "ms", "cyd", "--reason", "well again")
    office.do("reviewers", "leave", "ms", "cyd")
