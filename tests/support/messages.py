"""Collects the messages that people read into `messages.pot`, and updates every language's file.

`make messages` runs it after sentences were added or changed; a test says when that was forgotten.
"""

import ast
import io
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

import swapflow.errors
from swapflow.speech.languages import CATALOGUES


PRODUCT = CATALOGUES.parent
TEMPLATE = CATALOGUES / "messages.pot"

METHODS = [
    *((f"{part}/**", "ignore") for part in ("cli", "processes", "studies", "simulation")),
    ("**/templates/**.html", "jinja2"),
    ("**.py", "tests.support.messages:in_python"),
]
"""How to read which file; commands speak English."""

OPTIONS = {
    "**/templates/**.html": {
        "trimmed": "true",
        "silent": "false",
        "trim_blocks": "true",
        "lstrip_blocks": "true",
    }
}

# Refusals are raised in English, below every page, and said by the page that shows them. Those
# that are one plain sentence are messages like all others.
REFUSALS = {
    name: None
    for name, found in vars(swapflow.errors).items()
    if isinstance(found, type) and issubclass(found, Exception)
}
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    **REFUSALS,
    "later": None,
    "later_counted": (1, 2),
    "counted": (2, 3),
}


def in_python(
    file: IO[bytes], keywords: Mapping[str, object], tags: object, options: object
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Find calls of the keywords in Python code, as Babel calls it.

    Babel's own reader gives a sentence with a part filled in as its other parts, and differently
    from one Python to the next; here such a sentence is none, for no translation fits it.
    """
    del tags, options
    for node in ast.walk(ast.parse(file.read())):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in keywords:
            texts = tuple(
                one.value if isinstance(one, ast.Constant) and isinstance(one.value, str) else None
                for one in node.args
            )
            yield node.lineno, name, texts, []


EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
"""Stands in every file: a date of its own would make each run differ from the one before."""


def extracted() -> Catalog:
    """Read every message out of the product's code and templates."""
    made = Catalog(
        project="swapflow",
        copyright_holder="the authors of swapflow",
        msgid_bugs_address="",
        creation_date=EPOCH,
        charset="utf-8",
    )
    made.header_comment = "# Every message of swapflow; written by `make messages`."
    found = extract_from_dir(
        PRODUCT,
        method_map=METHODS,
        options_map=OPTIONS,
        keywords=KEYWORDS,
        strip_comment_tags=True,
    )
    for file, _, message, comments, context in sorted(
        found, key=lambda one: (one[0], one[1], str(one[2]))
    ):
        # Files without lines: a line that moves is no change of a message.
        made.add(message, locations=[(file, 0)], auto_comments=comments, context=context)
    return made


def spelled(catalogue: Catalog) -> str:
    """Spell a catalogue as its file."""
    written = io.BytesIO()
    write_po(written, catalogue, width=99, include_lineno=False, ignore_obsolete=True)
    return written.getvalue().decode()


def updated(file: Path, template: Catalog) -> str:
    """Spell a language's file with the template's messages, and its own translations of them."""
    language = file.parent.parent.name
    with file.open("rb") as opened:
        catalogue = read_po(opened, locale=language)
    catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
    return spelled(catalogue)


def main() -> None:
    """Write the template and every language's file."""
    template = extracted()
    TEMPLATE.write_text(spelled(template), encoding="utf-8")
    print(f"{TEMPLATE.name}: {len(template)} messages")
    for file in sorted(CATALOGUES.glob("*/LC_MESSAGES/messages.po")):
        text = updated(file, template)
        file.write_text(text, encoding="utf-8")
        catalogue = read_po(io.BytesIO(text.encode()))
        said = sum(1 for message in catalogue if message.id and any(message.string or ""))
        print(f"{file.parent.parent.name}: {said} of {len(template)} translated")


if __name__ == "__main__":
    main()
