"""Collects the messages that people read into `messages.pot`, and updates every language's file.

`make messages` runs it after sentences were added or changed; a test says when that was forgotten.
"""

import ast
import io
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

from swapflow.i18n.languages import CATALOGUES


PRODUCT = CATALOGUES.parent
TEMPLATE = CATALOGUES / "messages.pot"

METHODS = [
    *((f"{part}/**", "ignore") for part in ("cli", "processes", "studies", "simulation")),
    *((f"messages/{part}.py", "ignore") for part in ("command", "operations", "research")),
    ("messages/**.py", "tests.support.messages:in_lists"),
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

KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_noop": None,
    "ngettext_noop": (1, 2),
    "counted": (2, 3),
    "note": (2,),  # a form's: beside which field, and what
}

NAMED = {
    "BadRow": ("reason", "cure"),
    "RulesProblem": ("reason", "cure"),
}
"""Messages that are given by name, by whom."""


def in_python(
    file: IO[bytes], keywords: Mapping[str, object], tags: object, options: object
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Find calls of the keywords in Python code, as Babel calls it.

    A choice between two sentences is both of them. A sentence with parts filled in is none: it
    stands in `swapflow/messages/`, under a code.
    """
    del tags, options
    for node in ast.walk(ast.parse(file.read())):
        if not isinstance(node, ast.Call):
            continue
        name = _called(node)
        if name in keywords:
            ways = [_sentences(one) for one in node.args]
            for way in range(max(map(len, ways), default=0)):
                texts = tuple(found[min(way, len(found) - 1)] if found else None for found in ways)
                yield node.lineno, name, texts, []
        for given in node.keywords:
            if given.arg in NAMED.get(name, ()):
                for text in _sentences(given.value):
                    yield node.lineno, "gettext_noop", (text,), []


def in_lists(
    file: IO[bytes], keywords: object, tags: object, options: object
) -> Iterator[tuple[int, str, tuple[str, ...], list[str]]]:
    """Find the sentences of `swapflow/messages/`, as Babel calls it."""
    del keywords, tags, options
    for node in ast.walk(ast.parse(file.read())):
        if isinstance(node, ast.Dict):
            for forms in node.values:
                texts = tuple(
                    one.value
                    for one in (forms.elts if isinstance(forms, ast.Tuple) else (forms,))
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                )
                if texts:
                    yield forms.lineno, "ngettext" if len(texts) > 1 else "gettext", texts, []


def _called(node: ast.Call) -> str:
    """Return what is called: a function, or a form's `note`."""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return "note" if isinstance(node.func, ast.Attribute) and node.func.attr == "note" else ""


def _sentences(node: ast.expr) -> list[str]:
    """Return the sentences that an expression may be; none where it is no sentence."""
    if isinstance(node, ast.IfExp):
        return _sentences(node.body) + _sentences(node.orelse)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        return [node.value]
    return []


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
    """Format a catalogue as its file."""
    written = io.BytesIO()
    write_po(written, catalogue, width=99, include_lineno=False)
    return written.getvalue().decode()


def updated(file: Path, template: Catalog) -> str:
    """Format a language's file with the template's messages, and its own translations of them.

    A translation whose message is gone stays at the end of the file (`#~`), and comes back with
    its message: a run while a sentence is being moved must not lose it for good.
    """
    language = file.parent.parent.name
    with file.open("rb") as opened:
        catalogue = read_po(opened, locale=language)
    for key, kept in list(catalogue.obsolete.items()):
        back = template.get(_key(kept), kept.context)
        if back is not None and catalogue.get(_key(kept), kept.context) is None:
            catalogue[kept.id] = kept
            del catalogue.obsolete[key]
    catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
    for key, gone in list(catalogue.obsolete.items()):
        if not any(gone.string or "") or catalogue.get(_key(gone), gone.context) is not None:
            del catalogue.obsolete[key]
    return spelled(catalogue)


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


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
