"""A date of birth, a year or an age in each of their spellings is one band."""

from datetime import date

import pytest

from swapflow.domain.people.age_bands import AgeBands, banded, tells_age
from swapflow.errors import InvalidInputError


BANDS = AgeBands(on=date(2027, 3, 1))


@pytest.mark.parametrize(
    "text",
    ["1999-12-31", "31.12.1999", "12/31/1999", "31/12/99", "19991231", "1999-12-31T00:00:00",
     "1999", "27"],
)  # fmt: skip
def test_each_spelling_is_in_the_band(text: str) -> None:
    assert BANDS.of(text) == "25 to 29"


@pytest.mark.parametrize(
    ("born", "band"),
    [("2007-03-01", "20 to 24"), ("2007-03-02", "under 20"), ("1987-03-01", "40 and over")],
)
def test_a_birthday_counts_on_its_day(born: str, band: str) -> None:
    assert BANDS.of(born) == band


@pytest.mark.parametrize("text", ["", "unknown", "25 to 29", "2050-01-01", "1999-13-41", "999"])
def test_what_is_no_age_is_none(text: str) -> None:
    assert BANDS.of(text) is None


def test_bands_are_read_as_people_write_them() -> None:
    read = AgeBands.read("18; 30,65", on=BANDS.on)
    assert read.names == ("under 18", "18 to 29", "30 to 64", "65 and over")
    assert AgeBands.read(read.text, on=BANDS.on) == read
    assert AgeBands.read("", on=BANDS.on) == BANDS


@pytest.mark.parametrize("text", ["young", "30, 20", "0", "130", "20, 20", ",", "1" * 9])
def test_what_are_no_bands_is_refused_in_words(text: str) -> None:
    with pytest.raises(InvalidInputError, match="rising, 12 at most"):
        AgeBands.read(text, on=BANDS.on)


def test_only_what_is_called_an_age_is_banded() -> None:
    said = {"Geburtsdatum": "1999-12-31", "shoe size": "42", "age": "rather not say"}
    assert banded(said, BANDS) == {
        "Geburtsdatum": "25 to 29", "shoe size": "42", "age": "rather not say",
    }  # fmt: skip
    assert not tells_age("Language")
