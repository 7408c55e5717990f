"""Comments say why, and there are enough of them where a reader would ask."""

from collections import defaultdict
from pathlib import Path

from tests.support.comment_share import CommentShare, comment_share, share_of


ROOT = Path(__file__).parents[1]

HEART = (
    "bandit",
    "domain",
    "engine",
    "identity",
    "ledger",
    "processes",
    "queues",
    "state",
    "workers",
)
"""Packages whose order, locks and rounding carry the product's promises."""

LEAST_OF_THE_HEART = 1.9
LEAST_OF_ALL = 1.6
"""Comment lines in 100 lines of code; 2 to 4 are aimed at."""


def packages() -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = defaultdict(list)
    for top in ("swapflow", "workers"):
        for path in sorted((ROOT / top).rglob("*.py")):
            inside = path.relative_to(ROOT / top).parts
            if "migrations" not in inside:
                found[inside[0] if top == "swapflow" else top].append(path)
    return found


def test_each_package_of_the_heart_says_why() -> None:
    shares = {name: share_of(packages()[name]).in_a_hundred for name in HEART}

    assert {name: share for name, share in shares.items() if share < LEAST_OF_THE_HEART} == {}


def test_the_product_as_a_whole_says_why() -> None:
    everything = [path for paths in packages().values() for path in paths]

    assert share_of(everything).in_a_hundred >= LEAST_OF_ALL


def test_docstrings_and_words_to_tools_are_no_comments() -> None:
    text = '''"""A module."""

import os  # noqa: F401

# Why it is so,
# in two lines.
LIMIT = 3
"""What it limits."""


def f() -> int:
    """Return a number."""
    return LIMIT  # type: ignore[no-any-return]  # the library has no types
'''

    assert comment_share(text) == CommentShare(comments=3, code=4)


def test_a_string_over_several_lines_is_code_on_each() -> None:
    assert comment_share('TEXT = f(\n    """one\n    two""",\n)\n') == CommentShare(code=4)
