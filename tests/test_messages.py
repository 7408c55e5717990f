"""Every sentence of an error has one code, one wording and one entry for translators."""

import ast
import re
import string
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import swapflow.errors
from swapflow.errors import SwapflowError
from swapflow.messages import ENGLISH, MODULES, TEXTS, Message, command, operations, research
from tests.support.messages import extracted


PRODUCT = Path(swapflow.errors.__file__).parent
ENGLISH_ONLY = {*command.TEXTS, *operations.TEXTS, *research.TEXTS}
"""What only the command, processes and studies say; they speak English."""

OF_ACTS = ("act_held_", "act_zone_", "act_looked_")
"""Beginnings of codes to which an act adds what it was about."""

CODE = re.compile(r"[a-z][a-z0-9_]*")


def places(code: str) -> set[str]:
    """Return the names of what a sentence is filled in with."""
    forms = TEXTS[code]
    texts = (forms,) if isinstance(forms, str) else forms
    named = {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}
    return named | ({"count"} if len(texts) > 1 else set())


def families() -> set[str]:
    """Return the names of every class of errors, those outside of `swapflow.errors` too."""
    names, found = {"SwapflowError"}, 0
    classes = [
        node
        for file in PRODUCT.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    while found != len(names):
        found = len(names)
        names |= {
            one.name
            for one in classes
            if any(isinstance(base, ast.Name) and base.id in names for base in one.bases)
        }
    return names


ERRORS = families()
BY_SENTENCE = {"AssignmentClosedError", "BadRowsError", "StaleDraftError"}
"""Errors whose class names the code itself."""


def calls() -> Iterator[tuple[str, ast.Call, ast.expr | None]]:
    """Find what makes an error or a message: where, the call, and its first sentence."""
    for file in sorted(PRODUCT.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            name = node.func.id
            if name in (ERRORS - BY_SENTENCE) | {"Message"}:
                at = 1 if name == "FieldError" else 0
                where = f"{file.relative_to(PRODUCT)}:{node.lineno}"
                yield where, node, node.args[at] if len(node.args) > at else None


def test_no_error_is_made_from_a_sentence() -> None:
    wrong = []
    for where, call, code in calls():
        if isinstance(code, ast.Constant):
            given = {word.arg for word in call.keywords}
            known = code.value in TEXTS
            whole = None in given or (known and places(str(code.value)) <= given)
            if not known or not whole:
                wrong.append((where, code.value))
        elif isinstance(code, ast.JoinedStr | ast.BinOp) or code is None:
            stem = ast.unparse(code) if code else ""
            if not re.fullmatch(r"f'[{}a-z_.]+'", stem):
                wrong.append((where, stem))

    assert wrong == []
    assert len(list(calls())) > 600


def test_a_code_stands_in_one_list_and_says_the_fact_in_small_letters() -> None:
    assert sum(len(module.TEXTS) for module in MODULES) == len(TEXTS)
    assert [code for code in TEXTS if not CODE.fullmatch(code)] == []


def filling(code: str) -> dict[str, object]:
    """Return parameters that fit the places of a sentence."""
    forms = TEXTS[code]
    params: dict[str, object] = dict.fromkeys(places(code), "x")
    for text in (forms,) if isinstance(forms, str) else forms:
        for _, name, form, _ in string.Formatter().parse(text):
            if name and form:
                numeric = form.endswith(("X", "g", "f", "%", ",")) or form == ","
                params[name] = date(2026, 1, 31) if form.startswith("%") else ["x", "y"]
                params[name] = 2 if numeric else params[name]
    return params | ({"count": 2} if "count" in params else {})


def test_every_sentence_is_filled_in_by_its_parameters() -> None:
    for code in TEXTS:
        error = SwapflowError(code, **filling(code))

        assert str(error) == error.message
        assert (error.code, error.params) == (code, filling(code))
        for name in places(code):
            assert f"{{{name}}}" not in str(error) or code == "wording_place_unknown"


def test_every_sentence_that_a_page_may_show_has_an_entry_for_translators() -> None:
    ids = {message.id if isinstance(message.id, str) else message.id[0] for message in extracted()}
    texts = {code: forms if isinstance(forms, str) else forms[0] for code, forms in TEXTS.items()}

    assert [c for c, text in texts.items() if c not in ENGLISH_ONLY and text not in ids] == []


def test_no_code_is_left_that_nothing_raises() -> None:
    said = {
        node.value
        for file in PRODUCT.rglob("*.py")
        if "messages" not in file.parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    ends = ("_share", "_column", "_value", "_column_value")
    known = said | {f"{stem}{end}" for stem in said for end in ends}
    checks = ("mail_check_", "came_back_")  # by what a check or a report found
    built = ("permission_", "pending_", "joined_by_", "kept_", "part_", "way_", *checks, *OF_ACTS)

    assert [c for c in TEXTS if c not in known and not c.startswith(built)] == []


def test_a_message_is_a_text_that_knows_its_code() -> None:
    message = Message("cycle_not_found", cycle="fall")

    assert message == "there is no program 'fall'"
    assert (message.code, message.params) == ("cycle_not_found", {"cycle": "fall"})


def test_none_and_many_take_one_form_and_one_thing_the_other() -> None:
    forms = [ENGLISH.counted("one", "many", count) for count in (0, 1, 2)]

    assert forms == ["many", "one", "many"]
