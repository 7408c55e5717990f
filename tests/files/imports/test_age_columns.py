"""Dates of birth come in as age bands, whatever their column is called, and are stored nowhere."""

from datetime import date

import pytest

from swapflow.domain.people.age_bands import AgeBands
from swapflow.files.imports.applications import ApplicationsImport, read_applications


BANDS = AgeBands(on=date(2027, 3, 1))


def read(header: str, *cells: str, mapping: dict[str, str] | None = None) -> ApplicationsImport:
    lines = [f"id,{header}", *(f"A{n},{cell}" for n, cell in enumerate(cells))]
    return read_applications("\n".join(lines).encode(), ages=BANDS, mapping=mapping)


def kept(found: ApplicationsImport) -> list[str]:
    return [next(iter(one.monitor.values()), "") for one in found.new]


@pytest.mark.parametrize(
    "header", ["Date of birth", "Geburtsdatum", "date de naissance", "fecha de nacimiento", "DOB"]
)
def test_dates_of_birth_become_bands(header: str) -> None:
    found = read(header, "1999-12-31", "14-Feb-05", "3.4.1980", "n/a", "")
    assert kept(found) == ["25 to 29", "20 to 24", "40 and over", "", ""]
    assert found.ages == (header,)
    assert any("kept as age bands" in told for told in found.warnings)


def test_a_column_of_dates_that_is_called_otherwise_is_one_of_birth_dates() -> None:
    found = read("Geb.", "1999-12-31", "2001-02-03", mapping={"Geb.": "monitor:Geb."})
    assert kept(found) == ["25 to 29", "25 to 29"]


def test_ages_and_years_become_bands_and_bands_stay() -> None:
    assert kept(read("Age", "27", "19")) == ["25 to 29", "under 20"]
    assert kept(read("Year of birth", "1999", "1980")) == ["25 to 29", "40 and over"]
    assert kept(read("Age group", "25-34", "35-44")) == ["25-34", "35-44"]
    again = read("Date of birth", "25 to 29", "under 20")
    assert kept(again) == ["25 to 29", "under 20"]


def test_a_cell_that_is_no_date_of_birth_is_not_kept_and_counted() -> None:
    found = read("Date of birth", "1999-12-31", "2001-01-01", "in May")
    assert kept(found) == ["25 to 29", "25 to 29", ""]
    assert any("1 of 3 cells" in told for told in found.warnings)


def test_a_value_for_nearly_everybody_is_named_at_the_import() -> None:
    found = read("Postcode", *(f"0{n:04d}" for n in range(20)))
    assert any("20 values for 20 applicants" in told for told in found.warnings)
    assert found.ages == ()
    assert not any("Postcode" in told for told in read("Postcode", *("04103",) * 20).warnings)
