"""Collects the messages that people read into `messages.pot`, and updates every language's file.

`make messages` runs it after sentences were added or changed; a test says when that was forgotten.
"""

import ast
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

import swapflow.errors
from swapflow.i18n.languages import CATALOGUES
from swapflow.i18n.told import PLACE, WORD, is_shape


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

# Refusals are raised in English, below every page, and told by the page that shows them: by
# `gettext` those that are one plain sentence, by their shape those with parts filled in.
REFUSALS = {
    name: None
    for name, found in vars(swapflow.errors).items()
    if isinstance(found, type) and issubclass(found, Exception)
}
KEYWORDS = {
    **DEFAULT_KEYWORDS,
    **REFUSALS,
    "FieldError": (2,),
    "Obstacle": (2,),
    "later": None,
    "later_counted": (1, 2),
    "counted": (2, 3),
    "note": (2,),  # a form's: beside which field, and what
}

NAMED = {
    "BadRow": ("reason", "cure"),
    "Problem": ("reason", "cure"),
    "UnavailableError": ("outside",),
}
"""Messages that are given by name, by whom."""

MANY = 32
"""So many ways to spell one sentence are messages of their own; more is no sentence."""


def in_python(
    file: IO[bytes], keywords: Mapping[str, object], tags: object, options: object
) -> Iterator[tuple[int, str, tuple[str | None, ...], list[str]]]:
    """Find calls of the keywords in Python code, as Babel calls it.

    Babel's own reader gives a sentence with a part filled in (`f"…"`) as its other parts, and
    differently from one Python to the next; here it is one message, its parts named by what is
    filled in: `f"{path}: the file is empty"` is "{path}: the file is empty".
    """
    del tags, options
    for node in ast.walk(ast.parse(file.read())):
        if not isinstance(node, ast.Call):
            continue
        name = _called(node)
        if name in keywords:
            ways = [_message(one) for one in node.args]
            for way in range(max(map(len, ways), default=0)):
                texts = tuple(found[min(way, len(found) - 1)] if found else None for found in ways)
                yield node.lineno, name, texts, []
        for given in node.keywords:
            if given.arg in NAMED.get(name, ()):
                for text in _message(given.value):
                    yield node.lineno, "later", (text,), []


def _called(node: ast.Call) -> str:
    """Name what is called: a function, a form's `note`, or what an error says of itself."""
    if isinstance(node.func, ast.Name):
        return node.func.id
    if isinstance(node.func, ast.Attribute):
        return {"note": "note", "__init__": "later"}.get(node.func.attr, "")
    return ""


def _message(node: ast.expr) -> list[str]:
    """Give the ways in which a sentence may be spelled; none where it is no sentence."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    ways = [way for way in _ways(node) or [] if way]
    return [way for way in ways if is_shape(way) or not PLACE.search(way)]


def _ways(node: ast.expr) -> list[str] | None:
    """Spell an expression that gives a text, once for each of its choices between words."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else None
    if isinstance(node, ast.IfExp):
        chosen, otherwise = _ways(node.body), _ways(node.orelse)
        return chosen + otherwise if chosen and otherwise else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([node.left, node.right])
    if isinstance(node, ast.JoinedStr):
        return _joined(node.values)
    return None


def _joined(parts: Sequence[ast.expr]) -> list[str] | None:
    ways, used = [""], set[str]()
    for part in parts:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        found = _ways(inner)
        if found is None:
            name = _free(_place(inner), used)
            used.add(name)
            found = ["{" + name + "}"]
        ways = [before + way for before in ways for way in found]
        if len(ways) > MANY:
            return None
        used.update(name for way in found for name in PLACE.findall(way))
    return ways


def _free(name: str, used: Collection[str]) -> str:
    """Give a name that the sentence has no place for yet."""
    names = (name, *(f"{name}_{letter}" for letter in "bcdefgh"))
    return next(one for one in names if one not in used)


def _place(node: ast.expr) -> str:
    """Name what is filled in, so that a translator knows what it is."""
    if isinstance(node, ast.Attribute):
        # An enumeration's value is one of our own words.
        return _place(node.value) + WORD if node.attr == "value" else _plainly(node.attr)
    if isinstance(node, ast.Name):
        return _plainly(node.id)
    if isinstance(node, ast.Subscript):
        return _place(node.value)
    if isinstance(node, ast.Call):
        named = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = node.func.id if isinstance(node.func, ast.Name) else named
        return {"len": "count", "join": "list"}.get(called) or (
            _place(node.args[0]) if node.args else "value"
        )
    return "value"


def _plainly(name: str) -> str:
    return re.sub(r"[^a-z_]", "", name.lower()).strip("_") or "value"


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
    write_po(written, catalogue, width=99, include_lineno=False)
    return written.getvalue().decode()


def updated(file: Path, template: Catalog) -> str:
    """Spell a language's file with the template's messages, and its own translations of them.

    A translation whose message is gone stays at the end of the file (`#~`), and comes back with
    its message: whoever runs this while a sentence is being moved must not lose it for good.
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
