"""Plain English that is left on a page or in a mail, where a strange language is spoken."""

import re
from html.parser import HTMLParser

from tests.web.site import RUBRIC


DATA = re.compile(
    r"swapflow|testserver|^test$|https?://\S+|\S+@\S+|MS (fall|draft|done)|Fall 2027"
    r"|(Reviewer|Applicant) \d+|\b(Fall-)?R\d+\b|\bA\d{3}\b|PDF|JSON|CSV|XLSX|Excel|Redis"
    r"|\bminutes\b|English|Deutsch|^round ·|capacity:"
    r"|statement|Why I want to study here, number \d+\."
    r"|clear,? (and )?well argued|enough for this year|[Rr]eview\b|\bops\b|\bUTC\b"
    # What a person types of a spreadsheet's columns.
    r"|Total = mark|applicant, reviewer, kind, name, conflicts, criterion, none"
    r"|a name typed here|Room 5|/(inbox|tasks/\S+|sign-in/reviews/\S+|answer/\S+)"
    r"|everyone|\bfall\b|\ball\b|'budget'|"
    + "|".join(
        re.escape(word)
        for criterion in RUBRIC.criteria
        for word in (criterion.name, *(meaning for _, meaning in criterion.marks))
    )
)
"""What people typed, and names that are the same in every language."""

KEYS = re.compile(r"^(Ctrl|Enter|n|j|k)$")
"""What stands on the keys of a keyboard."""

QUIET = frozenset({"script", "style"})
"""What holds no words; a rules file in its field is written as TOML has it."""

PLAIN = re.compile(r"[A-Za-z]{2,}")
"""Two letters in a row that the strange spelling does not know."""


class Words(HTMLParser):
    """Everything that a page shows or says, piece by piece: texts, labels, what scripts say."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.language = ("", "")
        self._quiet = 0
        self._within = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "html":
            self.language = (given.get("lang", ""), given.get("dir", ""))
        if tag in QUIET or (tag == "textarea" and given.get("class") == "code"):
            self._quiet += 1
            self._within = tag
        spoken = ("placeholder", "aria-label", "title", "alt", "data-show", "data-hide")
        self.pieces += [given[name] for name in spoken if name in given]
        if "data-words" in given:
            self.pieces += re.findall(r'": "((?:[^"\\]|\\.)*)"', given["data-words"])

    def handle_endtag(self, tag: str) -> None:
        if tag == self._within and self._quiet:
            self._quiet -= 1

    def handle_data(self, data: str) -> None:
        if not self._quiet:
            self.pieces.append(data)


def plain(text: str) -> list[str]:
    """Return the pieces of a page or mail in which plain English is left."""
    pieces = Words(text).pieces if "<" in text else [text]
    said = [" ".join(piece.split()) for piece in pieces]
    return [
        piece
        for piece in said
        if not KEYS.match(piece) and PLAIN.search(DATA.sub("", _unfilled(piece)))
    ]


def _unfilled(piece: str) -> str:
    """Leave out the places that a page's script fills in, and what escapes letters in JSON."""
    return re.sub(r"\{\w+\}|\\u[0-9a-f]{4}", "", piece)


JARGON = re.compile(
    r"\b(arms?|pulls?|pulled|oracles?|rivals?|ledger|watermark|lockstep)\b", re.IGNORECASE
)


TOO_MUCH = re.compile(
    r"best applicants|\bfair(ly|ness)?\b|unbiased|certified cohort", re.IGNORECASE
)
