"""Good files of every kind, and ways to spoil them."""

import io
import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from openpyxl import Workbook

from swapflow.domain.rules_text import to_text
from swapflow.files.rules.rules_file import parse_rules, template


DATA = Path(__file__).parents[1] / "files" / "data"
MOST_BYTES = 200_000

RULES = parse_rules(template("admissions"))

ODD = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b'"', b"'", b",", b";", b"\t", b"|", b"\n",
    b"\r", b"\\", b"=", b"{", b"}", b"[", b"]", b":", b"#", b"<", b">", b"&", b"1e999", b"NaN",
    b"-0", b"9" * 400, b"sep=;", b"\xe2\x80\x8b", b"\xed\xa0\x80", "é".encode(), "日".encode(),
    "\u202e".encode(), b'""', b"<!ENTITY x '&x;'>", b"'''", b"2026-02-30T99:99Z", b"\x1a",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """A good file of some kind."""

    kind: str
    name: str
    data: bytes


def seeds() -> tuple[Seed, ...]:
    """Return good files: tables, workbooks, JSON, rules."""
    tables = [
        Seed(kind="table", name=path.name, data=path.read_bytes())
        for path in sorted(DATA.iterdir())
        if path.suffix in {".csv", ".txt", ".xlsx"}
    ]
    people = [{"id": "A1", "name": "Ann", "tags": ["x"], "in": {"a": 1.5}}, {"id": "A2"}]
    texts = {
        "list.json": json.dumps(people),
        "pages.json": json.dumps({"next": None, "results": people}),
        "lines.jsonl": "\n".join(map(json.dumps, people)),
        "columns.json": json.dumps({"columns": ["id"], "data": [["A1"]]}),
    }
    return (
        *tables,
        *(Seed(kind="table", name=name, data=text.encode()) for name, text in texts.items()),
        Seed(kind="table", name="made.xlsx", data=_workbook()),
        Seed(kind="rules", name="rules.toml", data=_rules()),
        Seed(kind="rules", name="rules.json", data=to_text(RULES).encode()),
    )


def _workbook() -> bytes:
    book = Workbook()
    sheet = book.worksheets[0]
    for row in (["id", "name", "day"], ["A1", "=1+1", 45705], ["A2", True, 1.5]):
        sheet.append(row)
    sheet.merge_cells("B2:B3")
    sheet.row_dimensions[3].hidden = True
    book.create_sheet("more").append(["x"])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _rules() -> bytes:
    return template("admissions").encode()


def spoil(seed: Seed, rng: random.Random) -> bytes:
    """Spoil a good file; a workbook inside its members as often as outside."""
    data = seed.data
    if data.startswith(b"PK") and rng.random() < 0.8:
        return _inside(data, rng)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        data = rng.choice(WAYS)(data, rng)[:MOST_BYTES]
    return data


def _inside(data: bytes, rng: random.Random) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        spoilt = rng.choice(old.namelist())
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                part = old.read(name)
                if name == spoilt:
                    if rng.random() < 0.05:
                        continue
                    for _ in range(rng.choice((1, 2, 4))):
                        part = rng.choice(WAYS)(part, rng)[:MOST_BYTES]
                new.writestr(name, part)
    return file.getvalue()


def _flip(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(ODD) * rng.choice((1, 1, 1, 3, 200)) + data[at:]


def _cut(data: bytes, rng: random.Random) -> bytes:
    first, last = sorted(rng.randint(0, len(data)) for _ in range(2))
    return data[:first] + data[min(last, first + 40) :]


def _end(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randint(0, len(data))]


def _again(data: bytes, rng: random.Random) -> bytes:
    first, last = sorted(rng.randint(0, len(data)) for _ in range(2))
    return data[:last] + data[first:last] * rng.choice((1, 2, 50)) + data[last:]


def _swap(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def _recode(data: bytes, rng: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(
        rng.choice(("utf-16", "utf-16-be", "utf-32", "cp1252", "gb18030")), "replace"
    )


Way = Callable[[bytes, random.Random], bytes]
WAYS: tuple[Way, ...] = (
    _flip,
    _flip,
    _insert,
    _insert,
    _insert,
    _cut,
    _end,
    _again,
    _swap,
    _recode,
)
