"""People read the words of an office: the lists of words that no page, mail or command says.

`words.md` beside the mock-ups has the lists and what is said instead.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from swapflow.i18n.languages import CATALOGUES
from tests.support.messages import extracted


PRODUCT = CATALOGUES.parent
ROOT = PRODUCT.parent

REFUSED = re.compile(
    r"(?i)\b("
    # Rule 4: name the person or the role.
    r"whoever|whomever|somebody|nobody|everybody|anybody|such(?! as\b)|so many"
    r"|stands?(?! alone\b)|standing|stood|holds"
    # One word for one thing.
    r"|cycles?|scorers?|seats?|rubrics?|tasks?|assignments?|requests?|applications?|kinds?(?! of review)"
    r"|bounds?|thresholds?|bar|settled|contested|shrinkage|shrunk"
    r"|severe(?:ly)?|severity|lenient|generous(?:ly)?|generosity"
    r"|loss|regret|verdicts?|fixed|expired|set aside|sampled|audited|pipeline|beam|struck|ticked"
    r"|proposals?|cards?|coordinators?|boundary set|interval width"
    r"|chance of a place|posterior probability|accept all|accept the rest|best list found"
    r"|rounds?|fresh reviews?"
    # Rule 8: swapflow is never the subject.
    r"|swapflow (?:is|has|does|did|was|asks|needs|sends|chooses|knows|writes|runs|decides|shows|keeps)"
    r")\b"
)
"""The words of the lists, as patterns."""

NO_WORD = re.compile(
    r"`[^`]*`"  # a command, a setting, a file
    r"|swapflow(?: [a-z-]+)+(?: [A-Z]+| \{[^}]*\})*"
    r"|%\([A-Za-z_]+\)s|\{[^{}]*\}"  # what is filled in
    r"|\[\[[a-z.]+\]\]|\b[A-Za-z_]+ = |--[a-z-]+|[A-Z]{2,}(?:=N)?\b"
    r"|<[^<>]*>"
)
"""Names that stay as they are: commands, options, settings, places."""
