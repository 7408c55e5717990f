"""Sheets at a terminal: written for reviewers with open requests, and brought back."""

import csv
from pathlib import Path

from tests.cli.office import Office


def filled(path: Path, **cells: str) -> Path:
    """Fill in the first row of a sheet, as a reviewer's spreadsheet would."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        found = list(csv.DictReader(file))
    row = found[0]
    for name in row:
        if name.startswith("mark: "):
            row[name] = name.rpartition("[")[2].split(",")[0]
    row.update(cells)
    back = path.with_name("back.csv")
    with back.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    return back


def test_a_sheet_is_written_filled_and_brought_back_once(office: Office) -> None:
    office.launched()
    sheets = office.ask("reviewers", "sheet", "ms", "--out", "sheets", "--format", "csv")["sheets"]
    assert sheets
    assert all(s["reviewer"] not in Path(s["file"]).name for s in sheets)
    back = str(filled(Path(sheets[0]["file"])))

    looked = office.ask("scores", "import", "ms", back, "--dry-run")
    assert (looked["new"], office.ask("scores", "list", "ms")["scores"]) == (1, [])
    first = office.ask("scores", "import", "ms", back)
    again = office.ask("scores", "import", "ms", back)

    assert (first["new"], again["new"], again["unchanged"]) == (1, 0, 1)
    assert first["blank"] == sheets[0]["requests"] - 1
    score = office.ask("scores", "list", "ms")["scores"][0]
    assert (score["reviewer"], score["typed_by"]) == (sheets[0]["reviewer"], "olga")
    assert score["counts"]


def test_a_sheet_that_cannot_be_used_is_refused_whole_with_line_and_cure(office: Office) -> None:
    office.launched()
    sheets = office.ask("reviewers", "sheet", "ms", "--out", "sheets", "--format", "csv")["sheets"]
    back = filled(Path(sheets[0]["file"]), **{"request key": "ms:0123456789abcdef"})

    said = office.run("scores", "import", "ms", str(back))

    assert said.code == 2
    assert "line 2, column 'request key'" in said.err
    assert "Take the key from the sheet" in said.err
    assert office.ask("scores", "list", "ms")["scores"] == []


def test_another_reviewer_s_sheet_is_not_taken_for_the_one_who_is_named(office: Office) -> None:
    office.launched()
    sheets = office.ask("reviewers", "sheet", "ms", "--out", "sheets", "--format", "csv")["sheets"]
    back = str(filled(Path(sheets[0]["file"])))

    said = office.run("scores", "import", "ms", back, "--reviewer", sheets[1]["reviewer"])

    assert said.code == 2
    assert "another reviewer's" in said.err


def test_what_cannot_be_a_sheet_is_said_in_words(office: Office) -> None:
    office.launched()

    assert office.run("reviewers", "sheet", "ms", "--out", "x", "--format", "pdf").code == 2
    assert office.run("reviewers", "sheet", "ms", "--out", "x", "--reviewer", "R99").code == 3
    table = office.write("scores.csv", "applicant,reviewer,score\n")
    assert office.run("scores", "import", "ms", table, "--reviewer", "R1").code == 2
