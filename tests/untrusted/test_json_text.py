"""JSON and TOML from outside: deep, huge or broken, it is refused in words at every door."""

import ast
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from swapflow.automatic_reviewers.programs import Service
from swapflow.automatic_reviewers.recorded_round import _interviews
from swapflow.cli.cohort.announcements import _read
from swapflow.cli.research.plan_options import _past
from swapflow.engine.ports.automatic_reviewer import Question
from swapflow.errors import InvalidInputError
from swapflow.files.rules.rules_file import parse_rules
from swapflow.files.tables.table import read_table
from swapflow.identity.reach import Reach
from swapflow.outbound.guarded_client import GuardedClient
from swapflow.outbound.scoring_services import scoring_services
from swapflow.untrusted.json_text import load_json, read_json_file
from swapflow.untrusted.limits import DEEPEST
from swapflow.untrusted.nesting import check_json_nesting
from swapflow.untrusted.toml_text import load_toml
from swapflow.web.reviewing.review_form import draft_in
from tests.support.hostile_json import HOSTILE


ROOT = Path(__file__).parents[2]

OWN = {
    "swapflow/engine/read_models/dashboard_codec.py": "written by swapflow beside the record",
    "swapflow/processes/data_folder_lock.py": "written by `swapflow up`",
    "swapflow/processes/beside/fit_process.py": "a fit's answer to the process that asked for it",
    "swapflow/files/imports/uploads.py": "the line above an upload, written by swapflow",
    "swapflow/files/exports/defence/defence_file.py": "what was written a line before",
    "swapflow/files/rules/rules_file.py": "rules that were spelled a line before",
    "swapflow/ledger/backup_record.py": "what a rehearsal found, stored by swapflow",
    "swapflow/ledger/identity/webhook_calls.py": "stored calls and events",
    "swapflow/ledger/schema/base.py": "columns of JSON",
    "swapflow/ledger/core/row_mapping.py": "bodies of events, chained by hash",
    "swapflow/ledger/core/cycle_lock.py": "bodies of events, chained by hash",
    "swapflow/ledger/cohort/meetings.py": "bodies of events, chained by hash",
    "swapflow/state/quarantine_notes.py": "notes of coordinators, written by swapflow",
    "swapflow/ledger/core/row_check.py": "bodies of events, chained by hash",
    "swapflow/automatic_reviewers/source_files.py": "paths written by the command line",
    "swapflow/domain/rules_text.py": "stored rules",
    "swapflow/web/http/acts/told.py": "what an act did, stored for its repeats",
    "swapflow/web/api/idempotency.py": "an answer of the API itself",
    "swapflow/cli/research/replay.py": "what was written a line before",
    "swapflow/cli/research/past_rounds.py": "what was written a line before",
    "swapflow/cli/research/plan.py": "what was written a line before",
    "swapflow/cli/cycle/calibration.py": "what was written a line before",
}
"""Modules that read JSON or TOML which swapflow wrote itself, and what that is."""


@pytest.mark.parametrize("what", HOSTILE)
def test_nothing_but_a_value_error_comes_of_reading(what: str) -> None:
    for text in (HOSTILE[what], HOSTILE[what].encode(), HOSTILE[what].encode("utf-16")):
        with pytest.raises(ValueError, match=r"\S"):
            load_json(text)


def test_what_is_written_by_programs_is_read_as_json_is() -> None:
    value = {"a": [1, -2.5, None, True, "é\n{[", "\U0001f600", 2**63 - 1], "b": {"[": "]"}}

    assert load_json(json.dumps(value)) == value
    assert load_json(json.dumps(value, ensure_ascii=False).encode()) == value
    deepest = "[" * DEEPEST + "]" * DEEPEST
    assert json.dumps(load_json(deepest)) == deepest
    # More brackets than levels, so that the levels are counted one by one.
    beside = "[" * (DEEPEST - 1) + "[], []" + "]" * (DEEPEST - 1)
    assert json.dumps(load_json(beside)) == beside
    with pytest.raises(ValueError, match=f"line 2 is nested too deeply, more than {DEEPEST}"):
        load_json("\n[" + deepest + "]")


@pytest.mark.parametrize("digits", [str(2**63), str(-(2**63)), str(-(10**30)), "9" * 5_000])
def test_integers_that_no_database_holds_are_refused_on_either_side(digits: str) -> None:
    with pytest.raises(ValueError, match="is beyond"):
        load_json(f"[{digits}]")


def test_the_largest_integers_are_read() -> None:
    ends = [2**63 - 1, -(2**63) + 1]

    assert load_json(json.dumps(ends)) == ends


def test_brackets_inside_of_texts_do_not_count() -> None:
    check_json_nesting(json.dumps(["[" * 500, '\\"' + "{" * 500, "\\"]))
    assert load_toml(
        'a = "' + "[" * 500 + '"\nb = """\n' + "[" * 500 + '\n"" "\n"""\n# ' + "[" * 99
    )
    assert load_toml("".join(f"[[t]]\nx = [[{i}]]\n" for i in range(200)))["t"][199] == {
        "x": [[199]]
    }
    assert load_toml("text = '''" + "a." * 500 + "'''")


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5_000 + "]" * 5_000,
        "a = " + "{a=" * 5_000 + "1" + "}" * 5_000,
        ".".join("a" * 60_000) + " = 1",
        '"a" . ' * 500 + "a = 1",
        "[" + ".".join("a" * 500) + "]",
        "a = " + "9" * 5_000,
        "a = \x00",
    ],
)
def test_nothing_but_a_refusal_comes_of_hostile_rules(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        load_toml(text)
    with pytest.raises(InvalidInputError, match="this is not TOML"):
        parse_rules(text)


# Doors


def _list(text: str) -> None:
    read_table(text.encode(), name="list.json")


def _list_with_it_inside(text: str) -> None:
    read_table(f'[{{"id": "A1", "more": {text}}}]'.encode(), name="list.json")


def _lines(text: str) -> None:
    read_table(f'{{"id": "A1"}}\n{{"id": {text}}}\n'.encode(), name="list.jsonl")


def _draft(text: str) -> None:
    draft_in(text.encode())
    draft_in(f'{{"version": {text.strip("[]") or 0}, "body": {{}}}}'.encode())


DOORS: dict[str, Callable[[str], None]] = {
    "a list": _list,
    "a list with it inside": _list_with_it_inside,
    "a list of lines": _lines,
    "a draft": _draft,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("what", HOSTILE)
def test_every_door_refuses_hostile_json_in_words_or_takes_it_as_text(
    door: str, what: str
) -> None:
    with suppress(InvalidInputError):
        DOORS[door](HOSTILE[what])


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_of_past_estimates_is_refused_in_words(what: str, tmp_path: Path) -> None:
    file = tmp_path / "past.json"
    file.write_text(HOSTILE[what], encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"past\.json"):
        _past(file)

    level = HOSTILE[what].strip("[]") or "null"
    file.write_text('{"kinds": [{"noise": null, "level": ' + level + "}]}", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"past\.json"):
        _past(file)


def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="more than 1000 kB"):
        read_json_file(Path("/dev/zero"))
    with pytest.raises(InvalidInputError, match=r"nowhere\.json: cannot be read"):
        read_json_file(tmp_path / "nowhere.json")


def test_words_of_letters_that_nest_deeply_are_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text("a = " + "[" * 5_000, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"words\.toml.*nested too deeply"):
        _read(file)

    with pytest.raises(InvalidInputError, match="cannot be read"):
        _read(tmp_path)


@contextmanager
def answering(text: str) -> Iterator[str]:
    """A scoring service that answers anything with one text."""

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("what", HOSTILE)
def test_an_answer_of_a_scoring_service_is_refused_in_words(what: str) -> None:
    asked = Question(
        application="A1",
        kind="review",
        ordinal=1,
        reviewer="R1",
        tier=0,
        gain=1,
        assignment_id="a",
    )
    ask = scoring_services(GuardedClient(Reach(plain=True, loopback=True)))
    with (
        answering('{"scores": ' + HOSTILE[what] + "}") as url,
        pytest.raises(InvalidInputError, match="scor"),
    ):
        Service(url=url, ask=ask).answer([asked])


# That no door is left out


def readers() -> dict[str, list[int]]:
    """Find the modules that read JSON or TOML by Python's own readers, and the lines."""
    found: dict[str, list[int]] = {}
    for path in sorted((ROOT / "swapflow").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if name.startswith(("swapflow/untrusted/", "swapflow/experiments/")):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _is_reader(node.func):
                found.setdefault(name, []).append(node.lineno)
    return found


def _is_reader(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute):
        return False
    module = function.value.id if isinstance(function.value, ast.Name) else ""
    by_module = module in {"json", "tomllib"} and function.attr in {"load", "loads"}
    return by_module or function.attr in {"json", "model_validate_json", "validate_json"}


@pytest.mark.long
def test_whatever_comes_from_outside_is_read_by_the_reader_that_refuses_in_words() -> None:
    assert set(readers()) == set(OWN)


def test_a_recorded_round_that_is_no_csv_is_refused_in_words(tmp_path: Path) -> None:
    for data in (b"item_id,score01\nA1," + b"1" * 200_000, b"item_id,score01\nA1,\xff"):
        (tmp_path / "interviews.csv").write_bytes(data)

        with pytest.raises(InvalidInputError, match=r"interviews\.csv: cannot be read as CSV"):
            _interviews(tmp_path / "interviews.csv", {"A1"})
