"""Names and numbers of form fields that no page of ours makes."""

from types import SimpleNamespace
from typing import Any

import pytest

from swapflow.errors import InvalidInputError
from swapflow.identity.permissions import Role
from swapflow.web.cohort.decision import _changes
from swapflow.web.http.nested_forms import Tree, change_rows, nested
from tests.web.site import SAME_ORIGIN, Site


LONG = "9" * 5_000


def test_a_name_of_many_parts_is_refused_in_words(site: Site) -> None:
    site.launched()
    staff = site.signed_in(Role.ADMINISTRATOR)
    name = "a." * 5_000 + "a"
    with pytest.raises(InvalidInputError, match="has at most 64 parts"):
        nested([(name, "x")])

    answer = staff.post("/setup/fall/rules", data={name: "x"}, headers=SAME_ORIGIN)

    assert answer.status_code == 422
    assert "has at most 64 parts" in answer.text


def test_rows_come_in_the_order_of_their_numbers_and_gaps_close() -> None:
    tree = nested([(f"kinds.{number}.name", f"n{number}") for number in (10, 2, 0, 11)])

    assert tree == {"kinds": [{"name": f"n{number}"} for number in (0, 2, 10, 11)]}


def test_a_number_of_many_digits_is_no_row_and_nobody() -> None:
    tree: dict[str, Tree] = nested([(f"kinds.{LONG}.name", "x"), ("kinds.0.name", "y")])

    assert tree == {"kinds": {LONG: {"name": "x"}, "0": {"name": "y"}}}
    assert change_rows(tree, f"remove:kinds.{LONG}", {})
    assert change_rows({"kinds": [{}]}, f"add:kinds.{LONG}.questions", {})
    nobody: Any = SimpleNamespace(places=())
    assert _changes(nobody, {f"change.{LONG}": "in", "change.²": "in"}, {})[0] == []
