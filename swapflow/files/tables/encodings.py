"""Text out of bytes: the encoding that a mark or strict UTF-8 proves, else a guess, and a warning.

Western European is taken wherever its reading looks like words; another one only where it does
not. Either way the reader says what was taken and on which line to look.
"""

import codecs
import re
import unicodedata
from dataclasses import dataclass, field

from charset_normalizer import from_bytes

from swapflow.errors import InvalidInputError


FALLBACK_ENCODING = "cp1252"
"""Read when neither a mark nor UTF-8 fits and nobody named another; always reported."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LIKELY = ("cp1250", "iso8859_2", "mac_roman", "cp1251", "koi8_r", "cp1253", "cp850")
"""Tried after the fallback, the likelier first; all of them are single-byte."""
_WIDE = ("cp932", "euc_jp", "gb18030", "big5", "cp949")
"""Encodings of Japanese, Chinese and Korean, told apart by charset-normalizer."""
_NAMES = {
    "cp1252": "Western European",
    "cp1250": "Central European",
    "iso8859_2": "Central European, ISO",
    "mac_roman": "Western European, old Macintosh",
    "cp1251": "Cyrillic",
    "koi8_r": "Cyrillic, KOI8-R",
    "cp1253": "Greek",
    "cp850": "Western European, DOS",
    "cp932": "Japanese, Shift-JIS",
    "euc_jp": "Japanese, EUC",
    "gb18030": "Chinese, GBK",
    "big5": "Chinese, Big5",
    "cp949": "Korean",
}
_SAMPLE = 200_000
"""Bytes in which zeros are counted."""
_TOLD = 20_000
"""Bytes of such lines that are looked at before a guess."""
_GOOD = 0.1
"""Share of letters beyond ASCII that may look odd in a reading that is taken."""
_DOUBLED = re.compile("[ÃÂ][\u0080-\u00bf‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]")
"""What UTF-8 looks like that was once taken for Western European and saved again."""
_END = "\0\x1a"
"""Padding, and the end mark of DOS."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file's text.

    Attributes:
        encoding: What it was read in.
        warnings: What staff should know about that, in sentences.
    """

    text: str
    encoding: str
    warnings: list[str] = field(default_factory=list)


def decode(data: bytes, name: str, encoding: str | None) -> Text:
    """Read a file's text.

    Args:
        data: The file.
        name: What messages call it.
        encoding: Python's name of the encoding, when staff know it.

    Raises:
        InvalidInputError: If there is no such encoding, or the bytes are none of its.
    """
    found = _decode(data, name, encoding)
    text = found.text.lstrip("\ufeff").rstrip(_END)
    doubled = _DOUBLED.search(text)
    if doubled:
        line = text[: doubled.start()].count("\n") + 1
        found.warnings.append(
            f"line {line} looks as if the file had been saved in a wrong encoding before "
            f"({_around(text, doubled.start())!r}). Check the names; if they are wrong in a text "
            "editor too, export the list anew"
        )
    return Text(text, found.encoding, found.warnings)


def _decode(data: bytes, name: str, encoding: str | None) -> Text:
    named = encoding or next((known for mark, known in _MARKS if data.startswith(mark)), "")
    named = named or _unmarked(data)
    if named:
        return Text(_strictly(data, name, named), named)
    try:
        return Text(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        _refuse_mixture(data, name)
    return _guess(data, name)


def _strictly(data: bytes, name: str, encoding: str) -> str:
    if encoding.startswith("utf-16") and len(data) % 2 and data.endswith(b"\n"):
        data = data[:-1]  # a line end that a program added as one byte
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise InvalidInputError("encoding_unknown", name=name, encoding=encoding) from error
    except UnicodeError as error:
        raise _undecodable(name, encoding, data, error) from error


def _undecodable(name: str, encoding: str, data: bytes, error: UnicodeError) -> InvalidInputError:
    at = error.start if isinstance(error, UnicodeDecodeError) else 0
    line = data[:at].count(b"\n") + 1
    return InvalidInputError("bytes_not_in_encoding", name=name, line=line, encoding=encoding)


def _unmarked(data: bytes) -> str:
    """Recognise UTF-16 without its mark: every other byte of ASCII text is zero."""
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if half < 2 or max(even, odd) < 0.3 * half or min(even, odd) > 0.1 * max(even, odd):  # noqa: PLR2004 - two characters, and shares that ASCII headers and line ends alone reach
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _refuse_mixture(data: bytes, name: str) -> None:
    """Refuse a file of which some lines are UTF-8 and others are not: one reading spoils some."""
    wide, odd = 0, 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            odd = odd or number
        else:
            wide = wide or number
    if wide and odd:
        raise InvalidInputError("encodings_mixed", name=name, first=wide, second=odd)


def _guess(data: bytes, name: str) -> Text:
    found = _likeliest(data)
    if not found:
        # The reading that staff can most probably name the trouble of.
        _strictly(data, name, FALLBACK_ENCODING)
        found = FALLBACK_ENCODING
    text = _strictly(data, name, found)
    line = next(i for i, part in enumerate(text.split("\n"), start=1) if not part.isascii())
    warning = (
        f"the file is not UTF-8 and was read as {found} ({_NAMES[found]}). "
        f"Check the names, e.g. on line {line}; if they look wrong, say the encoding"
    )
    return Text(text, found, [warning])


def _likeliest(data: bytes) -> str:
    """Return the encoding whose reading looks like words; "" if none does."""
    sample = _telling(data)
    costs: dict[str, float] = {}
    for encoding in (FALLBACK_ENCODING, *_LIKELY):
        try:
            costs[encoding] = _oddness(sample.decode(encoding))
        except UnicodeDecodeError:
            continue
        if costs[encoding] == 0 and encoding == FALLBACK_ENCODING:
            return encoding
    best = min(costs, key=lambda encoding: costs[encoding], default="")
    if best and costs[best] <= _GOOD:
        return best
    wide = from_bytes(sample, cp_isolation=list(_WIDE)).best()
    if wide is not None and wide.encoding in _NAMES and wide.chaos <= _GOOD:
        return wide.encoding
    # Too little to go by: Western European if it can be, as always.
    return FALLBACK_ENCODING if FALLBACK_ENCODING in costs else ""


def _telling(data: bytes) -> bytes:
    """Return the first lines that say something about the encoding, up to a few thousand bytes."""
    lines: list[bytes] = []
    left = _TOLD
    for line in data.split(b"\n"):
        if line.isascii():
            continue
        if len(line) > left:
            break
        lines.append(line)
        left -= len(line)
    # One huge line may be cut within a character.
    return b"\n".join(lines) or data[:_TOLD]


_WORD = re.compile(r"[^\W\d_]+")
_MOST_ACCENTED = 3
"""Accented Latin letters in a row that occur in names."""
_INSIDE = frozenset("’'‐-·.‑")
_COMMON = {
    "CYRILLIC": frozenset("оеаинтсрвлкмдпуя"),
    "GREEK": frozenset("αοιετσνηυρπκμλςώόάίέή"),
}


def _oddness(text: str) -> float:
    """Return which share of the characters beyond ASCII is where none would be in names."""
    total = sum(not c.isascii() for c in text)
    odd = 0.0
    for match in _WORD.finditer(text):
        word = match[0]
        if not word.isascii():
            odd += _odd_word(word)
    for i, character in enumerate(text):
        if character.isascii() or character.isalpha() or character.isspace():
            continue
        before, after = text[i - 1 : i], text[i + 1 : i + 2]
        odd += _odd_symbol(character, before, after)
    return odd / max(total, 1)


def _odd_word(word: str) -> float:
    foreign = [c for c in word if not c.isascii()]
    scripts = {unicodedata.name(c, "?").split()[0] for c in word}
    if len(scripts) > 1 or not (word.islower() or word.isupper() or _is_title(word)):
        return len(foreign)
    (script,) = scripts
    if script == "LATIN":
        longest = max(len(run) for run in re.findall(r"[^\x00-\x7f]+", word))
        return len(foreign) if longest > _MOST_ACCENTED else 0
    if script in _COMMON:
        rare = sum(c not in _COMMON[script] for c in word.casefold())
        return 0.1 * rare  # tells the readings of one file apart, and spoils none
    return len(foreign)


def _is_title(word: str) -> bool:
    # "McDönald" and "LeBlañc" have a capital inside, after ASCII letters only.
    head, capital = word[:1], re.search(r"(?<=[a-zß-ÿ])[^\W\d_a-z]", word[1:])
    inner = capital is not None and capital[0].isupper()
    return head.isupper() and not inner and (word[1:].islower() or word[1:].isascii())


def _odd_symbol(character: str, before: str, after: str) -> float:
    if unicodedata.category(character) in {"Cc", "Cn", "Co"}:
        return 1
    if character in _INSIDE:
        return 0
    if character in "‘“«„¿¡":  # these open
        return 1 if before.isalpha() else 0
    if character in "”»…–—":
        return 0
    return 1 if any(c.isalpha() or (c and not c.isascii()) for c in (before, after)) else 0


def _around(text: str, at: int) -> str:
    start = max(text.rfind(c, 0, at) for c in '\n,;\t|" ') + 1
    return re.split(r'[\n,;\t|" ]', text[start : at + 30])[0]
