"""Check a bundle: whose it is, whether a byte of it was changed and where, and what it replays to.

Nothing is trusted before the signature fits: the content is parsed and replayed only then.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

from swapflow.domain.cohort.proposal import Outcome, Place, Verdict
from swapflow.domain.rules_text import FIRST_VERSIONS
from swapflow.engine.audit.finished_cycle import broken_at, check
from swapflow.engine.audit.finished_record import FinishedCycle, FixedList, ListSignature
from swapflow.engine.audit.verification import Verification
from swapflow.errors import SwapflowError
from swapflow.files.bundles.bundle import (
    FORMAT,
    LINES,
    MANIFEST,
    RULES,
    SIGNATURE,
    line_digests,
    manifest,
    spelled_signature,
)
from swapflow.files.bundles.record_lines import decision_of, event_of, outcome_of, place_of
from swapflow.files.bundles.sealed_archive import Member, difference, readings
from swapflow.files.bundles.signing_keys import KEY_DIGITS, SIGNATURE_DIGITS, is_signed
from swapflow.untrusted.json_text import load_json


_COUNTED = {"events.jsonl": "event", "decisions.jsonl": "decision"}
"""Files whose line n is the n-th of something."""

_LONGEST_SIGNATURE = 1_000
"""Bytes of the file with the signature, which is read before anything is known to be signed."""

_NOT_OURS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    SwapflowError,
    TypeError,
    ValueError,
)
"""What reading or replaying ends in where the content is not what swapflow writes."""

_load = partial(load_json, finite=False)


_OPTIONAL = frozenset({"salts.jsonl"})
"""Files that older bundles lack, and those without names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleProblem:
    """Something about a bundle that is not as it was signed.

    Attributes:
        place: Where: a file and a line of it, or a byte of the archive.
    """

    place: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What checking a bundle came to.

    Attributes:
        key: The public key that signed it, "" if that is not known.
        problems: What was changed; the place named first is the first that differs.
        closed: The cycle, once signature and digests fit.
        replayed: What its replay came to, then.
    """

    key: str
    problems: tuple[BundleProblem, ...]
    closed: FinishedCycle | None = None
    replayed: Verification | None = None

    @property
    def passed(self) -> bool:
        """Whether it is as it was signed, and replays to what it says."""
        return not self.problems and self.replayed is not None and self.replayed.passed


def check_bundle(archive: bytes, *, key: str = "") -> Checked:
    """Check a bundle and replay it; reads nothing else.

    Args:
        archive: Its bytes.
        key: The public key that must have signed it, as 64 hexadecimal digits; "" for any.
    """
    members, problems = _best_reading(archive)
    signed_by = _signature(members)[1]
    if problems:
        return Checked(key=signed_by, problems=problems)
    if key and key.lower() != signed_by:
        other = BundleProblem(
            place=SIGNATURE, what="another key signed this bundle than the one given"
        )
        return Checked(key=signed_by, problems=(other,))
    try:
        closed = _read(members)
    # The signature fits, so this is no forgery but a format that this version does not know.
    except _NOT_OURS as error:
        what = f"the content cannot be read as format {FORMAT} ({_reason(error)})"
        return Checked(key=signed_by, problems=(BundleProblem(place="cycle.json", what=what),))
    try:
        return _replayed(signed_by, members, closed)
    except _NOT_OURS as error:
        what = f"the record cannot be replayed ({_reason(error)})"
        return Checked(key=signed_by, problems=(BundleProblem(place="events.jsonl", what=what),))


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def _replayed(signed_by: str, members: Sequence[Member], closed: FinishedCycle) -> Checked:
    """Replay a cycle whose signature and digests fit."""
    broken = broken_at(closed.cycle_id, closed.events)
    if broken is not None:
        what = "the hash chain breaks here; the office signed a record that is damaged"
        return Checked(
            key=signed_by,
            problems=(BundleProblem(place=_named("events.jsonl", broken), what=what),),
        )
    contradictions = tuple(_contradictions(members, closed))
    return Checked(key=signed_by, problems=contradictions, closed=closed, replayed=check(closed))


def _best_reading(archive: bytes) -> tuple[tuple[Member, ...], tuple[BundleProblem, ...]]:
    """Return the files and what is wrong with them, by the reading that finds least."""
    found: list[tuple[int, int, tuple[Member, ...], tuple[BundleProblem, ...]]] = []
    for members in readings(archive):
        problems = tuple(_problems(members))
        if not problems:
            # Something may hide between files that are all intact.
            where = difference(archive, _in_order(members))
            if where is None:
                return members, ()
            return members, (BundleProblem(place=where, what="the archive itself was changed"),)
        found.append((len(problems), len(found), members, problems))
    # The reading with the fewest problems is the one that damage has left whole.
    _, _, members, problems = min(found, key=lambda each: each[:2])
    return members, problems


def _in_order(members: Sequence[Member]) -> list[Member]:
    """Sort the files of a bundle into the order in which its manifest lists them."""
    files = {member.name: member for member in members}
    listed = _load(files[MANIFEST].data)["files"]
    return [*(files[one["name"]] for one in listed), files[MANIFEST], files[SIGNATURE]]


def _problems(members: Sequence[Member]) -> Iterator[BundleProblem]:
    """Compare the files of a bundle with its manifest, and that with its signature."""
    names = Counter(member.name for member in members)
    doubled = [name for name, count in names.items() if count > 1]
    lacking = [name for name in (MANIFEST, SIGNATURE) if name not in names]
    if not members:
        yield BundleProblem(place="byte 0 of the archive", what="this is no bundle of swapflow")
    elif doubled or lacking:
        yield from (BundleProblem(place=name, what="this file is there twice") for name in doubled)
        yield from (BundleProblem(place=name, what="this file is missing") for name in lacking)
    else:
        yield from _against_manifest(members)


def _against_manifest(members: Sequence[Member]) -> Iterator[BundleProblem]:
    files = {member.name: member for member in members}
    listed = files[MANIFEST]
    made = manifest(m for m in members if m.name not in {MANIFEST, SIGNATURE})
    signature, key = _signature(members)
    if signature and is_signed(listed.data, signature=signature, key=key):
        yield from _against_signed(files, listed)
    elif signature and is_signed(made.data, signature=signature, key=key):
        yield _changed_line(listed, made)
    elif listed.data == made.data:
        what = "the signature does not fit; nothing else was changed"
        yield BundleProblem(place=SIGNATURE, what=what)
    else:
        what = "the signature does not fit, and the list of files was changed as well"
        yield BundleProblem(place=f"{SIGNATURE} and {MANIFEST}", what=what)


def _against_signed(files: Mapping[str, Member], listed: Member) -> Iterator[BundleProblem]:
    """Compare the files with a manifest whose signature fits."""
    try:
        digests = {_text(f["name"]): _text(f["sha256"]) for f in _load(listed.data)["files"]}
    except (ValueError, KeyError, TypeError):
        yield BundleProblem(
            place=MANIFEST, what="this cannot be read, although its signature fits"
        )
        return
    for name in files:
        if name not in digests and name not in {MANIFEST, SIGNATURE}:
            yield BundleProblem(place=name, what="this file was added")
    lines = _intact_lines(files, digests)
    for name, digest in digests.items():
        if name not in files:
            yield BundleProblem(place=name, what="this file was removed")
        elif hashlib.sha256(files[name].data).hexdigest() != digest:
            yield _changed(files, name, lines)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _intact_lines(files: Mapping[str, Member], digests: Mapping[str, str]) -> list[bytes] | None:
    lines = files.get(LINES)
    if lines is None or hashlib.sha256(lines.data).hexdigest() != digests.get(LINES):
        return None
    return lines.data.splitlines()


def _changed(files: Mapping[str, Member], name: str, lines: list[bytes] | None) -> BundleProblem:
    """Name the first line of a file that is not as it was signed."""
    if name == LINES:
        others = (f for f in files.values() if f.name not in {LINES, MANIFEST, SIGNATURE})
        return _changed_line(files[LINES], line_digests(others))
    if lines is None:
        return BundleProblem(place=name, what="this file was changed")
    suffix = f" {name}:".encode()
    then = [text for text in lines if suffix in text]
    now = line_digests([files[name]]).data.splitlines()
    return BundleProblem(
        place=_named(name, _first_difference(then, now)), what="this line was changed"
    )


def _changed_line(now: Member, then: Member) -> BundleProblem:
    number = _first_difference(
        then.data.splitlines(keepends=True), now.data.splitlines(keepends=True)
    )
    return BundleProblem(place=_named(now.name, number), what="this line was changed")


def _first_difference(then: Sequence[bytes], now: Sequence[bytes]) -> int:
    pairs = enumerate(zip_longest(then, now), start=1)
    return next((number for number, (a, b) in pairs if a != b), max(len(then), 1))


def _named(file: str, number: int) -> str:
    of = _COUNTED.get(file)
    return f"{file}, line {number}" + (f" ({of} {number})" if of else "")


def _signature(members: Iterable[Member]) -> tuple[str, str]:
    """Read (signature, key); ("", "") unless they are written in the one way they may be."""
    data = next((member.data for member in members if member.name == SIGNATURE), b"")
    try:
        content = _load(data[:_LONGEST_SIGNATURE])
        signature, key = str(content["signature"]), str(content["key"])
    except (ValueError, KeyError, TypeError):
        return "", ""
    if (len(signature), len(key)) != (SIGNATURE_DIGITS, KEY_DIGITS):
        return "", ""
    return (signature, key) if spelled_signature(signature, key).encode() == data else ("", "")


# Reading what is whole


def _read(members: Iterable[Member]) -> FinishedCycle:
    files = {member.name: member.data for member in members}
    cycle = _load(files["cycle.json"])
    if cycle["format"] != FORMAT:
        raise ValueError(cycle["format"])
    name = str(cycle["cycle"])
    closed = FinishedCycle(
        cycle_id=name,
        unit=str(cycle["unit"]),
        rules=tuple(
            RULES.validate_python({**FIRST_VERSIONS, **row}) for row in _rows(files, "rules.jsonl")
        ),
        events=tuple(event_of(name, row) for row in _rows(files, "events.jsonl")),
        decisions=tuple(decision_of(name, row) for row in _rows(files, "decisions.jsonl")),
        lists=tuple(_lists(files)),
        salts={row["digest"]: row["salt"] for row in _rows(files, "salts.jsonl")},
    )
    if (cycle["events"], cycle["head"]) != (closed.head.seq, closed.head.hash):
        raise ValueError(f"the events end at {closed.head.seq}, not at {cycle['events']}")
    return closed


def _contradictions(members: Iterable[Member], closed: FinishedCycle) -> Iterator[BundleProblem]:
    """Name the outcomes whose `as_proposed` is not what proposal and verdict say."""
    proposed = {fixed.version: set(fixed.proposed) for fixed in closed.lists}
    files = {member.name: member.data for member in members}
    for number, row in enumerate(_rows(files, "outcomes.jsonl"), start=1):
        selected = row["verdict"] == Verdict.SELECTED.value
        listed = row["application"] in proposed.get(row["version"], ())
        if row.get("as_proposed", selected == listed) is not (selected == listed):
            what = "as_proposed contradicts the proposal; the office signed a false record"
            yield BundleProblem(place=_named("outcomes.jsonl", number), what=what)


def _rows(files: Mapping[str, bytes], name: str) -> Iterator[Any]:
    data = files.get(name, b"") if name in _OPTIONAL else files[name]
    return (_load(text) for text in data.splitlines())


def _lists(files: Mapping[str, bytes]) -> Iterator[FixedList]:
    places: dict[int, list[Place]] = {}
    for row in _rows(files, "places.jsonl"):
        places.setdefault(row["version"], []).append(place_of(row))
    outcomes: dict[int, list[Outcome]] = {}
    for row in _rows(files, "outcomes.jsonl"):
        outcomes.setdefault(row["version"], []).append(outcome_of(row))
    for row in _rows(files, "lists.jsonl"):
        version = row["version"]
        yield FixedList(
            version=version,
            position=row["position"],
            stop_reason=row["stop_reason"],
            places=tuple(places.get(version, ())),
            outcomes=tuple(outcomes.get(version, ())),
            signatures=tuple(
                ListSignature(by=s.get("by", ""), role=s["role"], who=s.get("who", ""))
                for s in row["signatures"]
            ),
        )
