"""What commands print is text: nothing in a name steers the terminal of its reader."""

import pytest

from swapflow.cli.output import Listing, clean, report


STEERING = {
    "an escape": "\x1b",
    "a bell": "\x07",
    "a carriage return": "\r",
    "a control character of eight bits": "\x9b",
    "an embedding from right to left": "\u202b",
    "an override from right to left": "\u202e",
    "an isolate": "\u2067",
    "the end of an isolate": "\u2069",
}


@pytest.mark.parametrize("what", STEERING)
def test_what_steers_a_terminal_or_turns_a_name_round_is_shown_as_a_sign(what: str) -> None:
    assert clean(f"Ann{STEERING[what]}Berg") == "Ann\ufffdBerg"


def test_cells_and_lines_of_a_result_are_cleaned(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ((f"Ann{STEERING['an override from right to left']}",),)

    report({}, f"Ann{STEERING['a bell']}", Listing(headers=("name",), rows=rows), as_json=False)

    assert capsys.readouterr().out.count("Ann\ufffd") == 2
