"""Dates as offices write them."""

import pytest

from swapflow.errors import InvalidInputError
from swapflow.files.tables.dates import read_date


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2025-02-17", "2025-02-17"),
        ("2025/2/17", "2025-02-17"),
        ("2025.02.17", "2025-02-17"),
        ("20250217", "2025-02-17"),
        ("17.02.2025", "2025-02-17"),
        ("17.2.25", "2025-02-17"),
        ("13/2/25", "2025-02-13"),
        ("2/13/2025", "2025-02-13"),
        ("03/03/99", "1999-03-03"),
        ("17.02.69", "1969-02-17"),
        ("17.02.68", "2068-02-17"),
        ("14-Feb-25", "2025-02-14"),
        ("14 February 2025", "2025-02-14"),
        ("Feb 14, 2025", "2025-02-14"),
        ("Sept 3rd, 2025", "2025-09-03"),
        ("Friday, 14 February 2025", "2025-02-14"),
        ("45705", "2025-02-17"),
        ("45706.5", "2025-02-18T12:00:00"),
        ("13/02/2025 9:05 PM", "2025-02-13T21:05:00"),
        ("2/13/2025 12:05:33 AM", "2025-02-13T00:05:33"),
        ("14-Feb-2025 09:30", "2025-02-14T09:30:00"),
        ("2025-02-17 9:05", "2025-02-17T09:05:00"),
        ("2025-02-17T10:00Z", "2025-02-17T10:00:00+00:00"),
        ("2025-02-17 10:00:00+01:00", "2025-02-17T10:00:00+01:00"),
        ("2025-02-18T23:30:00-08:00", "2025-02-18T23:30:00-08:00"),
        ("29/02/2024", "2024-02-29"),
    ],
)
def test_a_date_is_read_in_the_only_way_it_can_be(text: str, read: str) -> None:
    assert read_date(text).isoformat() == read


@pytest.mark.parametrize("text", ["01/02/2025", "1.2.25", "01/02/2025 10:00"])
def test_a_date_that_can_be_read_in_two_ways_is_asked_about(text: str) -> None:
    with pytest.raises(InvalidInputError, match="two ways"):
        read_date(text)

    assert str(read_date(text, order="dmy"))[:10] == "2025-02-01"
    assert str(read_date(text, order="mdy"))[:10] == "2025-01-02"


@pytest.mark.parametrize(
    "text",
    ["2025-02-30", "30/02/2025", "13/13/2025", "0000-00-00", "14 Smarch 2025",
     "13/02/2025 13:00 PM",
     "2025-02-17 25:00", "17 Feb", "1", "soon", "", "１７.02.2025x"],
)  # fmt: skip
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match="is no date of the calendar"):
        read_date(text)
