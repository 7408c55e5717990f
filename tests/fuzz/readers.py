"""What spoilt files are given to: every reader of untrusted bytes."""

from collections.abc import Callable, Mapping

from swapflow.errors import InvalidInputError
from swapflow.files.imports.applications import examine_applications
from swapflow.files.imports.import_settings import Reading, reading_of
from swapflow.files.imports.offline_sheet import is_sheet, returned
from swapflow.files.imports.pairs import read_pairs
from swapflow.files.imports.reviewers import examine_reviewers
from swapflow.files.imports.scores import read_scores
from swapflow.files.rules.rules_file import parse_rules
from swapflow.files.tables.table import read_table
from tests.fuzz.inputs import RULES


def read_as_table(data: bytes, name: str) -> str:
    """Read a list as everything that a list can be; "read" or "refused"."""
    try:
        table = read_table(data, name=name)
    except InvalidInputError as error:
        return _refused(error)
    reading, _, _ = reading_of(table, Reading(), {})
    answers = [
        _answer(lambda: examine_applications(table, mapping=reading.columns, rules=RULES)),
        _answer(lambda: examine_applications(table, key="email", dates=table.headers)),
        _answer(lambda: examine_reviewers(table, rules=RULES)),
        _answer(lambda: read_scores(table, scale="0..5")),
        _answer(lambda: read_scores(table, rules=RULES, applications=["A1"], reviewers=["1"])),
        _answer(lambda: read_pairs(table)),
        _answer(lambda: returned(table)) if is_sheet(table) else "refused",
    ]
    return "read" if "read" in answers else "refused"


def read_as_rules(data: bytes, name: str) -> str:
    """Read a rules file."""
    return _answer(lambda: parse_rules(data.decode("utf-8", "replace"), source=name))


def _answer(act: Callable[[], object]) -> str:
    try:
        act()
    except InvalidInputError as error:
        return _refused(error)
    return "read"


def _refused(error: InvalidInputError) -> str:
    if not str(error).strip():
        raise AssertionError("a refusal says nothing") from error
    return "refused"


READERS: Mapping[str, Callable[[bytes, str], str]] = {
    "table": read_as_table,
    "rules": read_as_rules,
}
