"""People are found however their names are typed."""

import unicodedata

import pytest

from swapflow.domain.people.plain_words import search_for


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Nguyen", "Nguyễn Thị Hoa"),
        ("hoa nguyen", "Nguyễn Thị Hoa"),
        ("Nguyễn", "Nguyen, Hoa"),
        ("Nguyễn", unicodedata.normalize("NFD", "Nguyễn")),
        ("mueller", "Jörg Müller"),
        ("Müller", "Joerg Mueller"),
        ("MULLER", "Jörg Müller"),
        ("strasse", "Straße"),
        ("Lodz", "Łódź"),
        ("Sørensen", "Soerensen"),
        ("obrien", "Seán O’Brien"),
        ("O'Brien", "Sean OBrien"),
        ("Jean Luc", "Jean-Luc"),
        ("jean-luc", "Luc Jean"),
        ("ａ０１", "A01"),
        ("", "anybody"),
        ("  ", ""),
    ],
)
def test_a_name_is_found_in_another_spelling(typed: str, name: str) -> None:
    assert search_for(typed)(name, "")


@pytest.mark.parametrize(
    ("typed", "name"),
    [("Nguyen", "Ngo Thi"), ("hoa nguyen", "Nguyễn Thị Lan"), ("x", ""), ("müller", "Miller")],
)
def test_another_name_is_not_found(typed: str, name: str) -> None:
    assert not search_for(typed)(name, "A01")


def test_words_may_stand_in_name_and_id() -> None:
    assert search_for("hoa A01")("Nguyễn Hoa", "A01")
