"""`swapflow advise`: files in, requests, ranking and report out; wrong input is told in words."""

import csv
import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from swapflow.advice.advise import AdviceQuestion, MarksSource
from swapflow.advice.advise import advise as answer
from swapflow.cli.main import main
from swapflow.domain.objective import GroupQuota
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.domain.rules import Floor, KindRules, Rules, SeatLine
from swapflow.files.marks.mark import HowToRead
from swapflow.files.rules.rules_file import write_rules


KEYS = {
    "requests": ["applicant", "kind", "reviewer", "reason", "gain"],
    "ranking": ["applicant", "estimate", "low", "high", "likely", "reviews"],
}


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """A long table of 40 applicants, two marks each on a scale of 1 to 5."""
    rng = np.random.default_rng(5)
    lines = ["applicant,name,reviewer,mark"]
    for number, deserved in enumerate(rng.normal(3, 0.8, 40)):
        lines += [
            f"A{number:02d},Name {number},r{reader}@example.org,"
            f"{int(np.clip(round(deserved + rng.normal(0, 0.7)), 1, 5))}"
            for reader in rng.choice(6, 2, replace=False)
        ]
    path = tmp_path / "marks.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def advise(*arguments: object) -> int:
    return main(["advise", *map(str, arguments)])


def test_json_has_exactly_the_promised_keys(
    marks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = advise(marks, "--places", 8, "--reviews", 10, "--json")

    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert list(found) == ["requests", "ranking", "expected_loss", "marks", "seconds"]
    assert list(found["expected_loss"]) == ["now", "after", "after_twice"]
    assert list(found["marks"]) == ["spread", "severity", "agreement"]
    for name, keys in KEYS.items():
        assert all(list(one) == keys for one in found[name])
    assert (len(found["requests"]), len(found["ranking"])) == (10, 40)
    assert found["expected_loss"]["now"] > found["expected_loss"]["after"]


def test_the_files_are_written_and_the_report_is_one_page(
    marks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"

    assert advise(marks, "--places", 8, "--reviews", 10, "--out", out) == 0

    assert {path.name for path in out.iterdir()} == {
        "next.csv", "next.xlsx", "ranking.csv", "ranking.xlsx", "report.html",
    }  # fmt: skip
    assert len(rows(out / "next.csv")) == 10
    assert [one["rank"] for one in rows(out / "ranking.csv")][:3] == ["1", "2", "3"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Ask for these 10 reviews next" in page
    assert "<script" not in page
    assert "10 more reviews would raise the list by about" in capsys.readouterr().out


def test_the_same_files_give_the_same_answer_in_any_order_of_rows(
    marks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, *lines = marks.read_text(encoding="utf-8").splitlines()
    other = tmp_path / "other.csv"
    other.write_text("\n".join([head, *reversed(lines)]) + "\n", encoding="utf-8")

    told = []
    for path in (marks, other):
        advise(path, "--places", 8, "--reviews", 10, "--json")
        found = json.loads(capsys.readouterr().out)
        del found["seconds"]
        told.append(found)

    assert told[0] == told[1]


def test_the_table_that_comes_back_is_read_beside_the_first(
    marks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    advise(marks, "--places", 8, "--reviews", 6, "--out", tmp_path)
    path = tmp_path / "next.csv"
    asked = rows(path)
    text = path.read_text(encoding="utf-8-sig").replace('"","likely', '"4","likely')
    (tmp_path / "back.csv").write_text(text, encoding="utf-8")
    capsys.readouterr()

    assert advise(marks, tmp_path / "back.csv", "--places", 8, "--reviews", 6, "--json") == 0

    found = json.loads(capsys.readouterr().out)
    reviews = {one["applicant"]: one["reviews"] for one in found["ranking"]}
    assert sum(reviews.values()) == 86
    assert all(reviews[one["applicant"]] >= 3 for one in asked)


def test_requests_that_are_out_are_counted_and_not_made_again(
    marks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    advise(marks, "--places", 8, "--reviews", 6, "--out", tmp_path)
    capsys.readouterr()

    advise(marks, "--places", 8, "--reviews", 6, "--exclude", tmp_path / "next.csv", "--json")

    found = json.loads(capsys.readouterr().out)
    first = {(one["applicant"], one["reviewer"]) for one in rows(tmp_path / "next.csv")}
    assert first.isdisjoint({(one["applicant"], one["reviewer"]) for one in found["requests"]})


def test_a_table_with_typed_marks_is_not_written_over(
    marks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "next.csv").write_text("applicant,mark\nA01,4\n", encoding="utf-8")

    assert advise(marks, "--places", 8, "--reviews", 6, "--out", tmp_path) == 2

    assert "contains marks that were typed into it (1); give it another" in capsys.readouterr().err
    assert rows(tmp_path / "next.csv") == [{"applicant": "A01", "mark": "4"}]


def test_hotcrp_gets_a_bulk_assignment_that_clears_nothing(marks: Path, tmp_path: Path) -> None:
    advise(
        marks,
        "--places",
        8,
        "--reviews",
        5,
        "--out",
        tmp_path,
        "--hotcrp",
        "secondary",
        "--hotcrp-round",
        "R2",
    )

    found = rows(tmp_path / "hotcrp.csv")
    assert list(found[0]) == ["paper", "action", "email", "round"]
    assert {(one["action"], one["round"]) for one in found} == {("secondary", "R2")}
    assert len(found) == 5
    assert not (tmp_path / "hotcrp.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_hours_limit_the_requests_by_what_each_kind_takes(
    marks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    advise(
        marks,
        "--places",
        8,
        "--hours",
        3,
        "--kinds",
        "review cost=20; interview cost=60 gain=6 most=1",
        "--json",
    )

    found = json.loads(capsys.readouterr().out)
    minutes = {"review": 20, "interview": 60}
    assert 0 < sum(minutes[one["kind"]] for one in found["requests"]) <= 180


def test_a_list_of_reviewers_says_who_may_be_asked(
    marks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = tmp_path / "people.csv"
    people.write_text(
        "reviewer_id,capacity:review,conflicts,away\n"
        "r0@example.org,no,,\nr1@example.org,,,2027-01-01..2027-02-01\n"
        "r2@example.org,no,,\nr3@example.org,no,,\nr4@example.org,no,,\nr5@example.org,no,,\n"
        "new@example.org,3,A00; A01,\n",
        encoding="utf-8",
    )

    advise(
        marks, "--places", 8, "--reviews", 9, "--reviewers", people, "--on", "2027-01-19", "--json"
    )

    found = json.loads(capsys.readouterr().out)
    assert [one["reviewer"] for one in found["requests"]] == ["new@example.org"] * 3


def test_a_rules_file_gives_floors_and_quotas(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    table = tmp_path / "marks.csv"
    table.write_text(
        "applicant,Region,mark\n"
        + "".join(f"A{n:02d},{'south' if n > 15 else 'north'},{5 - n // 4}\n" for n in range(20)),
        encoding="utf-8",
    )
    write_rules(
        tmp_path / "rules.toml",
        Rules(
            version=1,
            lines=(SeatLine(name="all", places=4),),
            kinds=(KindRules(name="review", cost=20, gain=1.0, maximum=5),),
            floors=(Floor(kind="review", count=2),),
            quotas=(GroupQuota(attribute="region", value="south", minimum=1),),
            budget=2000,
        ),
    )

    code = advise(
        table, "--rules", tmp_path / "rules.toml", "--scale", "1..5", "--reviews", 4, "--json"
    )

    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert {one["reason"] for one in found["requests"]} == {
        "has 1 of the 2 that everyone gets (review)"
    }
    chosen = [one["applicant"] for one in found["ranking"][:4]]
    assert any(int(one[1:]) > 15 for one in chosen)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--places", "8", "--scale", "1-5"], "scale"),
        (["--reviews", "5"], "how many places there are is not said: add --places"),
        (["--places", "80"], "80 places for 40 applicants leave nothing to decide"),
        (["--places", "8", "--reviews", "3", "--hours", "2"], "use one of them"),
        (["--places", "8", "--kinds", "review price=3"], "says no kind"),
        (["--places", "8", "--column", "Wer=applicant"], "Wer"),
        (["--places", "8", "--weight", "mark=none"], "a weight is a number above 0"),
        (["--places", "8", "--on", "tomorrow"], "is no day; write it as 2027-01-19"),
        (["--places", "8", "--exclude", "nothing.csv"], "nothing.csv"),
    ],
)
def test_wrong_options_are_told_in_words(
    marks: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert advise(marks, *arguments) == 2
    assert told in capsys.readouterr().err


def test_a_wrong_cell_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "marks.csv"
    path.write_text("applicant,reviewer,mark\nA,x,4\nB,x,9\n", encoding="utf-8")

    assert advise(path, "--places", 1, "--scale", "1..5", "--json") == 2

    told = json.loads(capsys.readouterr().err)["message"]
    assert "line 3, column 'mark', value '9': the mark lies outside the scale 1..5" in told


def test_a_column_of_conflicts_beside_the_marks_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    lines = [f"A{n},{'Ana' if n % 2 else 'Ben'},{n % 5 + 1},{'Ben; Cleo' if n % 2 else ''}"
             for n in range(20)]  # fmt: skip
    path.write_text("\n".join(["ID,Reader,Mark,Conflicts", *lines, "X,Cleo,3,"]), encoding="utf-8")

    found = answer(
        AdviceQuestion(
            marks=(MarksSource(source=path),),
            places=6,
            reviews=20,
            on=date(2027, 1, 19),
            how=HowToRead(scales={"": MarkScale(worst=1.0, best=5.0)}),
        )
    )

    asked = {(one.applicant, one.reviewer) for one in found.requests}
    assert any(reviewer == "Cleo" for _, reviewer in asked)
    odd = {f"A{n}" for n in range(1, 20, 2)}
    assert not {applicant for applicant, reviewer in asked if reviewer in {"Ben", "Cleo"}} & odd
