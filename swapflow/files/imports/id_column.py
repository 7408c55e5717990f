"""The column of ids of a list: what stands there and cannot be an id."""

import re
import unicodedata
from dataclasses import dataclass

from swapflow.errors import InvalidInputError
from swapflow.files.tables.cells import SPREADSHEET_ERRORS
from swapflow.files.tables.dates import read_date
from swapflow.files.tables.headers import WORDS_OF_A_NOTE
from swapflow.files.tables.table import Table, TableRow


MOST_ID = 100

_ROUNDED = re.compile(r"\d(?:[.,]\d+)?E\+\d{2,3}", re.IGNORECASE)
"""What a spreadsheet program shows of a long number: its last digits are lost."""
_MONTHS = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|"
    "mrz|mär|mai|okt|dez|fév|avr|juin|juil|aoû|déc|ene|abr|ago|dic"
)
_SHORT_DATE = re.compile(
    rf"(?:\d{{1,2}}[-. ]+(?:{_MONTHS})\w*\.?|(?:{_MONTHS})\w*\.?[- ]+\d{{2}})", re.IGNORECASE
)
"""How spreadsheet programs show 3-1 or 03-14 once they have taken it for a date."""
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class IdColumn:
    """A list's column of ids.

    Attributes:
        header: Its header.
        wide: Whether most rows hold more than an id.
        dates_are_ids: Whether most of its ids have the form of a date, so that it is theirs.
    """

    table: Table
    header: str
    wide: bool
    dates_are_ids: bool

    @classmethod
    def of(cls, table: Table, header: str) -> "IdColumn":
        """Look at the whole column once."""
        texts = [row[header] for row in table.rows if row[header]]
        dated = sum(
            _has_form_of_date(row[header])
            for row in table.rows
            if (row.line, header) not in table.dates
        )
        several = sum(sum(map(bool, row.cells.values())) > 1 for row in table.rows)
        return cls(
            table,
            header,
            wide=2 * several > len(table.rows),
            dates_are_ids=2 * dated > len(texts),
        )

    def problem(self, row: TableRow, external_id: str) -> tuple[str, str] | None:
        """Return why a row's text is no id, and the cure; None for an id.

        Args:
            row: The row.
            external_id: Its id, normalised; missing ids are the caller's.
        """
        if len(external_id) > MOST_ID:
            most = f"the id has {len(external_id)} characters, and {MOST_ID} are the most"
            return most, "Shorten it"
        if _ROUNDED.fullmatch(external_id) or external_id in SPREADSHEET_ERRORS:
            return (
                "a spreadsheet program has put this in the place of the id",
                "Take the id from the system it comes from, in a column formatted as text",
            )
        if (row.line, self.header) in self.table.dates or (
            not self.dates_are_ids and _has_form_of_date(external_id)
        ):
            return (
                "a spreadsheet program has turned this id into a date" + _perhaps(external_id),
                "Take the id from the system it comes from, in a column formatted as text",
            )
        if any(unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"} for c in external_id):
            return (
                "the id holds an invisible character, so two ids could look the same",
                "Type it again by hand",
            )
        if len(external_id.split()) >= WORDS_OF_A_NOTE and self._is_alone(row):
            return (
                "this is a sentence, and its row holds nothing else: a note rather than an id",
                "Remove the row, or fill in its other columns",
            )
        return None

    def _is_alone(self, row: TableRow) -> bool:
        return self.wide and sum(map(bool, row.cells.values())) == 1


def _has_form_of_date(text: str) -> bool:
    if _SHORT_DATE.fullmatch(text):
        return True
    if not _ISO.match(text):  # 20260301 is an id like another
        return False
    try:
        read_date(text)
    except InvalidInputError:
        return False
    return True


def _perhaps(text: str) -> str:
    """Name what the id may have been: two numbers with a dash between."""
    try:
        moment = read_date(text, order="dmy")
    except InvalidInputError:
        return ""
    return f"; it was perhaps {moment.day}-{moment.month} or {moment.month}-{moment.day}"
