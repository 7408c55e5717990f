"""A spreadsheet is tried without setting anything up: read apart, kept for minutes, then gone."""

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from starlette.testclient import TestClient

from swapflow.advice.trial.limits import KEPT, MOST_BYTES, MOST_SECONDS
from swapflow.advice.trial.question import TrialQuestion
from swapflow.advice.trial.reading import read_spreadsheet
from swapflow.advice.trial.turns import turn, turn_of
from swapflow.cli.main import main
from swapflow.errors import InvalidInputError
from swapflow.files.tables.table import read_table
from swapflow.identity.permissions import Role
from swapflow.settings import Settings, load_settings
from swapflow.web.app import create_app
from tests.support.waiting import wait_until
from tests.web.site import ADDRESS, SAME_ORIGIN, Site


FORM = {"places": "8", "reviews": "10"}
NOTE = "a note that stays in the file"
LINK = 'href="/try"'
QUESTION = TrialQuestion(name="marks.csv", places=8, reviews=10)


@pytest.fixture
def settings(tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    on = "off" not in request.node.name.split("_")
    return load_settings(data_dir=tmp_path, public_url=ADDRESS, try_spreadsheet=on)


def sheet(applicants: int = 40, each: int = 2) -> bytes:
    """Marks as an office has them, with a column that nobody asks for."""
    rng = np.random.default_rng(5)
    lines = ["Candidate,Reader,Total (0-100),Note", "A000,r0@x.org,50,first"]
    for number in range(1, applicants):
        lines += [
            f"A{number:03d},r{reader}@x.org,{rng.integers(20, 90)},{NOTE}"
            for reader in rng.choice(6, each, replace=False)
        ]
    return "\n".join(lines).encode()


def send(client: TestClient, data: bytes, name: str = "marks.csv", **more: str) -> httpx2.Response:
    for _ in range(3):
        files: dict[str, Any] = {"file": (name, data)}
        answer = client.post("/try", data=FORM | more, files=files)
        # Twenty seconds may be too few while everything else on the machine is at work too.
        if "takes longer than" not in answer.text:
            break
    return answer


def kept(site: Site) -> list[Path]:
    folder = site.settings.data_dir / "try" / "kept"
    return list(folder.iterdir()) if folder.is_dir() else []


def test_switched_off_there_is_nothing_for_visitors(site: Site) -> None:
    visitor = site.anonymous()

    assert LINK not in visitor.get("/sign-in").text
    for answer in (visitor.get("/try"), send(visitor, sheet()), visitor.get("/try/some-link")):
        assert answer.status_code == 404
    assert kept(site) == []


def test_switched_off_who_sets_up_finds_it_on_the_empty_start_page(site: Site) -> None:
    staff, chair = site.signed_in(Role.ADMINISTRATOR), site.signed_in(Role.CHAIR)

    assert LINK in staff.get("/today").text
    assert LINK in staff.get("/setup").text
    assert staff.get("/try").status_code == 200
    assert LINK not in chair.get("/today").text
    assert chair.get("/try").status_code == 404


def test_a_visitor_drops_a_file_sees_its_columns_and_takes_the_answer_along(site: Site) -> None:
    visitor = site.anonymous()
    assert LINK in visitor.get("/sign-in").text
    assert 'type="file"' in visitor.get("/try").text

    sent = send(visitor, sheet())

    assert sent.status_code == 303
    assert sent.headers["referrer-policy"] == "no-referrer"
    link = sent.headers["location"]
    page = visitor.get(link)
    assert page.headers["cache-control"] == "no-store"
    assert "Ask for these 10 reviews next" in page.text
    assert "mark, 0 to 100" in page.text
    assert "3 of 4 are used" in page.text
    assert "style=" not in page.text
    table = read_table(visitor.get(f"{link}/next.xlsx").content, name="next.xlsx")
    assert table.headers[:4] == ("applicant", "kind", "reviewer", "mark")
    assert len(table.rows) == 10
    for name in ("next.csv", "ranking.csv", "ranking.xlsx", "report.html"):
        answer = visitor.get(f"{link}/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    for name in ("page.json", "..%2Fpage.json", "%2e%2e", "nothing.csv"):
        assert visitor.get(f"{link}/{name}").status_code == 404


def test_the_answer_is_that_of_the_command(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    path.write_bytes(sheet())
    visitor = site.anonymous()

    link = send(visitor, sheet()).headers["location"]
    out = tmp_path / "out"
    out.mkdir()
    code = main(["advise", str(path), "--places", "8", "--reviews", "10", "--out", str(out)])

    assert code == 0
    for name in ("next.csv", "ranking.csv"):
        assert visitor.get(f"{link}/{name}").content == (out / name).read_bytes()


def test_the_file_is_not_kept_and_what_is_kept_belongs_to_our_user_alone(site: Site) -> None:
    link = send(site.anonymous(), sheet()).headers["location"]

    (answer,) = kept(site)
    files = [path for path in answer.rglob("*") if path.is_file()]
    assert files
    assert all(NOTE.encode() not in path.read_bytes() for path in files)
    assert link.rsplit("/", 1)[1] not in str(answer)
    assert answer.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


def test_what_cannot_be_used_is_told_as_the_command_tells_it_and_nothing_is_kept(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = sheet().replace(b"r1@x.org,", b"r1@x.org,high", 1)
    path = tmp_path / "marks.csv"
    path.write_bytes(data)

    answer = send(site.anonymous(), data, scale="0..100")
    code = main(["advise", str(path), "--places", "8", "--scale", "0..100"])

    assert (answer.status_code, code) == (422, 2)
    said = capsys.readouterr().err.splitlines()[1].strip()
    assert said.startswith("line ")
    shown = answer.text.replace("&#39;", "'")
    assert said in shown
    assert 'value="8"' in shown
    assert kept(site) == []


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"places": ""}, "Write how many places there are"),
        ({"reviews": "501"}, "from 1 to 500"),
        ({"scale": "one to ten"}, "is no scale"),
        ({"columns": "Total"}, "one a line, e.g. Total = mark"),
    ],
)
def test_a_field_that_cannot_be_used_is_named_before_the_file_is_read(
    site: Site, typed: dict[str, str], told: str
) -> None:
    answer = send(site.anonymous(), sheet(), **typed)

    assert answer.status_code == 422
    assert told in answer.text
    assert kept(site) == []


def test_no_file_and_one_that_is_too_large_are_refused_in_words(site: Site) -> None:
    visitor = site.anonymous()

    assert "Choose a file first" in visitor.post("/try", data=FORM).text
    larger = send(visitor, b"a" * (MOST_BYTES + 1))
    assert larger.status_code == 422
    assert "larger than 5 MB" in larger.text
    assert send(visitor, b"a" * (MOST_BYTES + 200_000)).status_code == 413
    assert kept(site) == []


UNCLEAR = sheet().replace(b"Candidate,Reader,Total (0-100),Note", b"Folder,Desk,Value,Note")


def selects(page: str) -> dict[str, str]:
    """Return the header of each choice of a page, by the name of its field."""
    return dict(re.findall(r'name="(column\.\d+)\.header" value="([^"]*)"', page))


def test_where_columns_are_not_understood_each_can_be_chosen_and_it_goes_on(site: Site) -> None:
    visitor = site.anonymous()

    refused = send(visitor, UNCLEAR)

    assert refused.status_code == 422
    assert "there is no column for the applicant" in refused.text
    at = {header: name for name, header in selects(refused.text).items()}
    assert list(at) == ["Folder", "Desk", "Value", "Note"]
    assert "First: A000" in refused.text
    assert kept(site) == []
    said = {"Folder": "applicant", "Desk": "reviewer", "Value": "mark", "Note": ""}
    filled = {f"{name}.header": header for header, name in at.items()}
    filled |= {f"{at[header]}.role": role for header, role in said.items()}

    sent = send(visitor, UNCLEAR, scale="0..100", **filled)

    assert sent.status_code == 303
    page = visitor.get(sent.headers["location"]).text
    assert "Ask for these 10 reviews next" in page
    assert "3 of 4 are used" in page


def test_what_was_chosen_is_kept_where_the_file_is_still_refused(site: Site) -> None:
    visitor = site.anonymous()
    row = {"column.0.header": "Folder", "column.0.role": "applicant"}

    again = send(visitor, UNCLEAR, **row)
    without = visitor.post("/try", data=FORM | row)

    assert '<option value="applicant" selected>' in again.text
    assert "there is no column for the applicant" not in again.text
    assert without.status_code == 422
    assert '<option value="applicant" selected>' in without.text


def test_a_column_understood_wrongly_is_chosen_from_the_answer(site: Site) -> None:
    visitor = site.anonymous()
    link = send(visitor, sheet()).headers["location"]
    assert f'href="{link}/columns"' in visitor.get(link).text

    form = visitor.get(f"{link}/columns")

    assert form.headers["referrer-policy"] == "no-referrer"
    assert 'value="8"' in form.text
    assert "read as reviewer" in form.text
    at = {header: name for name, header in selects(form.text).items()}
    chosen = {f"{at['Reader']}.header": "Reader", f"{at['Reader']}.role": "none"}
    nameless = visitor.get(send(visitor, sheet(), **chosen).headers["location"]).text
    assert "the file names none" in nameless
    assert visitor.get("/try/some-link/columns").status_code == 404


def test_one_address_has_one_file_read_at_a_time_and_all_together_a_few(site: Site) -> None:
    turns = site.settings.data_dir / "try" / "turns"
    visitor = site.anonymous()
    other = TestClient(
        site.app, base_url=ADDRESS, headers=dict(SAME_ORIGIN), client=("10.9.8.7", 1)
    )

    with turn(turns, "testclient"):
        second, beside = send(visitor, sheet()), send(other, b"no,table")
    with turn(turns, "10.0.0.1"), turn(turns, "10.0.0.2"):
        full = send(other, sheet())

    assert second.status_code == 429
    assert "from your network address is being read" in second.text
    assert beside.status_code == 422
    assert full.status_code == 429
    assert "other spreadsheets are being read" in full.text.lower()
    assert kept(site) == []


def test_addresses_of_one_ipv6_network_have_one_turn() -> None:
    assert turn_of("2001:db8::1") == turn_of("2001:db8::2")
    assert turn_of("2001:db8:1::1") != turn_of("2001:db8::1")


def test_another_web_process_serves_the_answer_and_after_15_minutes_none_does(site: Site) -> None:
    link = send(site.anonymous(), sheet()).headers["location"]
    other = TestClient(create_app(site.product, site.office, site.settings), base_url=ADDRESS)
    assert "Ask for these 10" in other.get(link).text

    site.later(KEPT.total_seconds() - 120)
    assert other.get(f"{link}/next.csv").status_code == 200
    site.later(KEPT.total_seconds() + 1)

    gone = other.get(link)
    assert gone.status_code == 404
    assert "kept for 15 minutes" in gone.text
    assert other.get(f"{link}/next.csv").status_code == 404
    assert kept(site) == []


def test_a_web_process_that_starts_removes_what_is_to_go(site: Site) -> None:
    send(site.anonymous(), sheet())
    site.later(KEPT.total_seconds())
    assert len(kept(site)) == 1

    with TestClient(site.app, base_url=ADDRESS):
        wait_until(lambda: kept(site) == [], what="the answer is removed")


def test_a_reading_that_takes_too_long_is_ended_in_words(tmp_path: Path) -> None:
    started = time.monotonic()

    with pytest.raises(InvalidInputError, match=r"longer than 0\.2 seconds") as error:
        read_spreadsheet(QUESTION, sheet(), into=tmp_path, seconds=0.2)

    assert error.value.code == "trial_too_long"
    assert time.monotonic() - started < MOST_SECONDS
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_needs_too_much_is_stopped_within_its_limits(tmp_path: Path) -> None:
    lines = [f"B{number},r{number % 50},{number % 101}" for number in range(190_000)]
    data = "\n".join(["applicant,reviewer,mark", *lines]).encode()
    assert len(data) < MOST_BYTES

    with pytest.raises(InvalidInputError) as error:
        read_spreadsheet(QUESTION, data, into=tmp_path)

    assert error.value.code in {"trial_too_long", "trial_too_much"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("bytearray(600 * 2**20)", "MemoryError"),
        ("open(sys.argv[1], 'wb').write(bytes(30_000_000))", "File too large"),
    ],
)
def test_a_bound_process_gets_no_more_memory_and_writes_no_larger_file(
    tmp_path: Path, act: str, told: str
) -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"from swapflow.advice.trial.limits import restrict; restrict(); {act}"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "file")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert told in done.stderr
