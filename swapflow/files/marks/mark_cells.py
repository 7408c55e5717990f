"""What a cell with a mark says."""

import re

from swapflow.files.tables.cells import is_missing, read_number


_LABELLED = re.compile(r"([-+−]?\d+(?:[.,]\d+)?)(?:\s*:|\s+[-–—]|\s*\()\s*\D.*", re.DOTALL)
"""A number with its label: "6: marginally above", "4 - good"."""

NO_NUMBER = "this is no number"
AS_NUMBERS = (
    "Letters and words say no distance: replace each by a number, such as A = 5, B = 4, and state "
    "the scale"
)

_WORDED = re.compile(
    r"[A-Fa-f][+\-–−]?|[★☆✩✭⭐*]{1,10}|\+{1,3}|[-–−]{2,3}|\+/-|±|o|[IVX]{1,4}|[✓✔✗✘x]|"
    r"(?:pass|fail|high|medium|low|hoch|niedrig|top|ok|okay|bestanden|nicht bestanden|definitely"
    r"|hire|no hire|strong hire|sehr geeignet|bedingt geeignet|nicht geeignet|eher ja|eher nein)|"
    r"(?:(?:very|strong|strongly|weak|weakly|borderline|clear|sehr|eher|klar)\s+)?"
    r"(?:accept|reject|admit|deny|yes|no|maybe|excellent|good|fair|average|poor|outstanding|weak"
    r"|strong|borderline|ja|nein|vielleicht|gut|befriedigend|ausreichend|mangelhaft|ungenügend"
    r"|geeignet|ungeeignet|hervorragend|aufnehmen|ablehnen)",
    re.IGNORECASE,
)
"""A mark as a letter, or in the words that forms offer."""

_OUT_OF = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:/|\bof\b|\bout of\b|\bvon\b)\s*(\d{1,3})")
"""A mark with the best one: "8/10", "4 von 5"."""

_UNIT = re.compile(
    r"(.*\d)\s*(?:points?|pts?\.?|punkte?|pkte?\.?|p\.|stars?|sterne?|★|⭐|puntos?|marks?)",
    re.IGNORECASE,
)
"""A mark with its unit: "85 pts"."""

NO_MARK = frozenset(
    {
        "abs", "abs.", "absent", "abwesend", "k.a.", "k. a.", "ka", "keine angabe", "entfällt",
        "entf.", "entf", "n.a.", "n. a.", "n.v.", "n/v", "not yet", "pending", "offen",
        "ausstehend", "folgt", "open", "todo", "to do", "not reviewed", "not read", "unread",
        "not scored", "no score", "no mark", "no review", "unscored", "blank", "leer",
        "empty", "ohne", "nil",
        "no show", "no-show", "nicht erschienen", "krank", "ill", "declined",
        "in progress", "assigned", "not submitted", "incomplete", "draft", "missing review",
        "cannot judge", "can't judge", "can't judge from this file", "unable to judge", "abstain",
        "abstained", "enthaltung", "n.b.", "nb", "…", "...", "/", "sans avis", "absente",
        "en attente", "pas encore", "nvt",
    }
)  # fmt: skip
"""What a cell says that has no mark yet, in small letters: it is never a 0."""

OWN_CASE = frozenset(
    {
        "coi", "conflict", "conflict of interest", "conflicted", "recused", "recusal", "recuse",
        "befangen", "befangenheit", "interessenkonflikt", "bef.", "conflit", "conflit d'intérêts",
        "conflicto", "own student", "my student", "eigener student", "eigene studentin",
    }
)  # fmt: skip
"""What a cell says of a reviewer who may not review the applicant, in small letters."""

_SHARE = re.compile(r"(.*\S)\s*[%\uff05]")
_LIST = re.compile(r"[\[(](.*)[\])]", re.DOTALL)
_SEVERAL = re.compile(r"\d+(?:\.\d+)?(?:(?:,\s+|\s*;\s*|\s*\n\s*)\d+(?:\.\d+)?)+")
_DASHES = re.compile(r"\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)+")
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}-\d{1,2}-\d{4}")
_LONGEST = 2000
_PART = re.compile(r"""'[^']*'|"[^"]*"|[^,;\n]+""")
_LINE = re.compile(r"\s*([^:\n]+?)\s*:\s*([^\n]*)")


def marks_in(cell: str) -> list[str]:
    """Return the marks that a cell lists: "[6, 8, 5]", "6; 8; 5", "6-8-5"; else the cell alone."""
    if len(cell) > _LONGEST:
        return [cell]
    if inner := _LIST.fullmatch(cell.strip()):
        return [part.strip().strip("'\"") for part in _PART.findall(inner[1]) if part.strip()]
    if _DASHES.fullmatch(cell.strip()) and not _DAY.fullmatch(cell.strip()):
        return cell.strip().split("-")
    if _SEVERAL.fullmatch(cell.strip()):
        return [part.strip() for part in re.split(r",\s+|;|\n", cell) if part.strip()]
    return [cell]


def is_list(cell: str) -> bool:
    """Whether a cell lists marks."""
    return len(marks_in(cell)) > 1 or bool(_LIST.fullmatch(cell.strip()[:_LONGEST]))


def holds_no_mark(cell: str) -> bool:
    """Whether a cell says that there is no mark: it is empty, or "absent", or "COI"."""
    said = " ".join(cell.casefold().split()).strip("()[] ")
    return is_missing(cell) or said in NO_MARK or said in OWN_CASE or not said


def says_conflict(cell: str) -> bool:
    """Whether a cell says that its reviewer may not review the applicant."""
    return " ".join(cell.casefold().split()).strip("()[]!. ") in OWN_CASE


def read_mark(cell: str, *, decimal: str = "") -> tuple[float | None, bool]:
    """Read a mark.

    Returns:
        The number, None where it is none; and whether it is a percentage.
    """
    text = cell.strip()
    share = _SHARE.fullmatch(text)
    if share:
        return read_number(share[1], decimal=decimal), True
    # "8/10" says its best mark, "6: marginally above" its meaning.
    longer = _OUT_OF.fullmatch(text) or _LABELLED.fullmatch(text) or _UNIT.fullmatch(text)
    return read_number(longer[1] if longer else text, decimal=decimal), False


def best_in(cell: str) -> float | None:
    """Return the best mark that a cell states beside its own: 10 of "8/10"; None for none."""
    match = _OUT_OF.fullmatch(cell.strip())
    return float(match[2]) if match else None


def is_worded(cell: str) -> bool:
    """Whether a cell holds a mark as a letter or in words: "B+", "weak accept"."""
    return bool(_WORDED.fullmatch(cell.strip()))


def overall_in(cell: str) -> str:
    """Return the overall mark of a cell that holds several, a line each with its label."""
    lines = _LINE.findall(cell)
    for label, value in lines:
        if "overall" in label.casefold() or "gesamt" in label.casefold():
            return str(value).strip()
    return str(lines[0][1]).strip() if lines else cell


def share_of_numbers(cells: list[str]) -> float:
    """Return how many of the filled cells are marks, from 0 to 1; 0 where none is filled."""
    filled = [cell for cell in cells if not holds_no_mark(cell)]
    if not filled:
        return 0.0
    return sum(read_mark(cell)[0] is not None or is_list(cell) for cell in filled) / len(filled)
