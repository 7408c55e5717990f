"""Records out of JSON: a list of objects, as programs export them, or one object a line."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.tables.cells import check_cells, check_columns, clean
from swapflow.files.tables.greenhouse_json import candidate_rows, greenhouse_rows
from swapflow.untrusted.json_text import load_json
from swapflow.untrusted.nesting import problem_of


MOST_LEVELS = 5
"""Levels of objects inside objects that become columns of their own, as person.name."""

_PAGES = ("next", "next_page", "nextPage", "next_url")


@dataclass(slots=True)
class JsonRecords:
    """What was read; line n is object n - 1, as in a spreadsheet with the header in line 1."""

    records: list[tuple[int, list[str]]] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Twice:
    """Keys that occur twice in one object, in the place of the object."""

    keys: tuple[str, ...]


def looks_like_json(text: str, name: str) -> bool:
    """Whether a text is to be read as JSON: by its name, or because it begins as such a list."""
    start = text.lstrip()[:200]
    if start[:1] not in {"[", "{"}:
        return False
    named = name.casefold().endswith((".json", ".jsonl", ".ndjson"))
    return named or "".join(start.split())[:2] in {"[{", '{"', "[["}


def read_json(text: str, name: str, *, rows: int, cells: int) -> JsonRecords:
    """Read objects as a table whose header is their keys, in the order in which they first occur.

    Read are a list of objects; one object a line; an object that holds such a list (as paged
    interfaces answer), or that names objects by their ids; a list of lists whose first is the
    header; and {"columns": …, "data": …}. Objects inside objects become columns such as
    person.name; numbers stay as they are spelled.

    Raises:
        InvalidInputError: If it is no JSON, or holds no such list, or too much.
    """
    found = JsonRecords()
    items = _items(_parsed(text, name), name, found)
    headers: dict[str, None] = {}
    flat: list[tuple[int, dict[str, str]]] = []
    for number, item in enumerate(items, start=2):
        if isinstance(item, _Twice):
            found.bad.append(_twice(number, item))
            continue
        if not isinstance(item, dict):
            raise _no_list(name)
        values = dict(_flat(item, "", 0))
        headers.update(dict.fromkeys(values))
        check_columns(len(headers), name, number)
        check_cells([*values.values()], name, number)
        flat.append((number, values))
        if len(flat) > rows or len(flat) * len(headers) > cells:
            raise InvalidInputError(
                "json_too_large", name=name, number=number - 1, rows=rows, cells=cells
            )
    if headers:
        found.records.append((1, list(headers)))
    found.records += [(number, [v.get(h, "") for h in headers]) for number, v in flat]
    return found


def _parsed(text: str, name: str) -> object:
    try:
        return _load(text)
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1:
            with suppress(ValueError):
                return [_load(line) for line in lines]
        raise InvalidInputError("not_json", name=name, problem=problem_of(error)) from error


def _load(text: str) -> object:
    # Numbers stay text: no digit of an id is lost, and none takes long to read.
    return load_json(text, object_of=_object, numbers_as_text=True)


def _object(pairs: Sequence[tuple[str, object]]) -> object:
    members = dict(pairs)
    if len(members) < len(pairs):
        times = Counter(key for key, _ in pairs)
        return _Twice(tuple(key for key, count in times.items() if count > 1))
    return members


def _twice(line: int, twice: _Twice) -> BadRow:
    return BadRow(
        line=line,
        column=twice.keys[0],
        value="",
        reason="this key occurs twice in one object",
        cure="Keep the one that is right",
    )


def _items(content: object, name: str, found: JsonRecords) -> list[object]:
    """Find the list in what was read."""
    if isinstance(content, _Twice):
        raise InvalidInputError("json_key_twice", name=name, key=content.keys[0])
    if isinstance(content, list):
        rows = cast("list[object]", content)
        if len(rows) > 0 and all(isinstance(row, list) for row in rows):
            return _from_lists(rows, name)
        return candidate_rows(rows)
    if not isinstance(content, dict):
        raise _no_list(name)
    members = cast("dict[str, object]", content)
    columns, data = members.get("columns"), members.get("data")
    if isinstance(columns, list) and isinstance(data, list):
        return _from_lists([columns, *cast("list[object]", data)], name)
    members = {"rows": joined} if (joined := greenhouse_rows(members)) is not None else members
    lists = [v for v in members.values() if isinstance(v, list) and v and _are_objects(v)]
    if len(lists) == 1:
        found.warnings += _other_pages(members, name)
        return candidate_rows(cast("list[object]", lists[0]))
    if members and not lists and _are_objects(members.values()):
        named = cast("dict[str, dict[str, object]]", members)
        return [{"id": key, **value} for key, value in named.items()]
    if members and not lists and not any(isinstance(v, list) for v in members.values()):
        return [members]  # one line of one object a line
    raise _no_list(name)


def _are_objects(values: object) -> bool:
    return all(isinstance(v, dict | _Twice) for v in cast("Iterator[object]", values))


def _from_lists(rows: list[object], name: str) -> list[object]:
    lists = [cast("list[object]", row) for row in rows if isinstance(row, list)]
    headers, *data = lists
    if len(lists) < len(rows) or not all(isinstance(header, str) for header in headers):
        raise _no_list(name)
    if any(len(row) != len(headers) for row in data):
        raise _no_list(name)
    return [dict(zip(map(str, headers), row, strict=True)) for row in data]


def _other_pages(members: Mapping[str, object], name: str) -> Iterator[str]:
    for key in _PAGES:
        if members.get(key):
            yield (
                f"{name} is one page of several ({key} is {str(members[key])[:60]!r}); the others "
                "are not in it"
            )


def _no_list(name: str) -> InvalidInputError:
    return InvalidInputError("json_not_a_list", name=name)


def _flat(item: Mapping[str, object], prefix: str, level: int) -> Iterator[tuple[str, str]]:
    for key, value in item.items():
        header = f"{prefix}{str(key).strip()}"
        if isinstance(value, dict) and value and level < MOST_LEVELS:
            yield from _flat(value, f"{header}.", level + 1)
        else:
            yield header, _cell(value)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str():
            return clean(value)
        case list():
            return "; ".join(filter(None, map(_part, value)))
        case _:
            return json.dumps(value, ensure_ascii=False)


def _part(value: object) -> str:
    """Return a part of a list; an object that says little but its value becomes that value."""
    if isinstance(value, dict) and isinstance(value.get("value"), str):
        return clean(str(value["value"]))
    return _cell(value)
