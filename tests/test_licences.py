"""What is shipped along with swapflow may be shipped."""

import pytest

from tests.support import licences


def test_everything_installed_along_has_a_licence_that_was_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert licences.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("expression", "fine"),
    [
        ("MIT", True),
        ("GPL-3.0-only OR MIT", True),
        ("(MIT OR Apache-2.0)", True),
        ("MIT AND GPL-3.0-only", False),
        ("AGPL-3.0-or-later", False),
        ("says nothing", False),
    ],
)
def test_one_of_several_licences_is_enough_and_all_that_are_joined_are_needed(
    expression: str,
    fine: bool,
) -> None:
    assert licences.is_fine(expression) == fine
