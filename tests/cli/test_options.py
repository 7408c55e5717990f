"""Options that hold a name and a value."""

import pytest

from swapflow.cli.options import column_roles
from swapflow.errors import InvalidInputError


def test_a_header_may_hold_equals_signs_and_its_role_stands_behind_the_last() -> None:
    assert column_roles(["a = b = name", "code=external_id"]) == {
        "a = b": "name",
        "code": "external_id",
    }


@pytest.mark.parametrize("typed", ["name", "=name", "  =name"])
def test_a_pair_without_a_name_or_a_sign_is_refused_with_its_form(typed: str) -> None:
    with pytest.raises(InvalidInputError, match="HEADER=ROLE"):
        column_roles([typed])
