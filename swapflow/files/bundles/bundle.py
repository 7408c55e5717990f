"""A finished cycle as one signed file that anybody can check: `swapflow verify FILE`.

It holds every event, decision and list, and what a replay needs besides. People are numbers in
it, unless names are asked for; remarks, reasons and documents are never in it. The same cycle
under the same key makes the same bytes.

| member | what it holds, one JSON object a line |
|---|---|
| README.txt | what this is, in words |
| cycle.json | format, cycle, unit of costs, number of events, hash of the last |
| rules.jsonl | every version of the rules |
| events.jsonl | every event: line n is event n, `body` is the text that was hashed |
| decisions.jsonl | every decision: line n is decision n |
| lists.jsonl | every list that was fixed: up to which event it looked, who signed |
| places.jsonl | every place of every list, in its order |
| outcomes.jsonl | what people decided about each place |
| method-N.md | how list N came about, in words |
| people.jsonl | names and ids, if they were asked for |
| salts.jsonl | with names: what makes the digests of those who decided and signed testable |
| lines.txt | a digest of every line of the files above |
| manifest.json | SHA-256 of every file above |
| signature.json | the office's signature of manifest.json, and its public key |
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from swapflow.domain.cohort.proposal import Place, Standing, Verdict
from swapflow.domain.event import Event, EventType, Json, text_of
from swapflow.domain.ids import is_practice_id
from swapflow.domain.people.application import Application
from swapflow.domain.people.reviewer import Reviewer
from swapflow.domain.rules import Rules
from swapflow.engine.audit.finished_record import FinishedCycle, FixedList
from swapflow.engine.audit.recorded_lists import actors_of
from swapflow.engine.ports.records import DecisionRecord
from swapflow.files.bundles.sealed_archive import Member, seal
from swapflow.files.bundles.signing_keys import ALGORITHM, Signer
from swapflow.files.exports.method_sheet import method_text


FORMAT = 1
MANIFEST = "manifest.json"
SIGNATURE = "signature.json"
LINES = "lines.txt"
# Short, for these only find the changed line; whole digests in the manifest prove it.
LINE_DIGITS = 16

RULES: TypeAdapter[Rules] = TypeAdapter(Rules)

_README = """\
This file holds the record of one finished program: every event, every decision of the rule,
every list that was proposed, and what people decided. It is an ordinary ZIP.

    swapflow verify {cycle}.bundle

checks the signature, the digest of every file and line, and the hash chain of the events, and
then makes every decision and every list again from the events alone. It needs no database and
no network. To know whose bundle this is, compare the key that it prints with the one that the
office publishes.

People are numbers here: `a` and `application` count the applicants from 0 in the order in which
they were added, `r` counts the reviewers. {names}
Marks are integers from 0 to 1000000. The rules hold what their authors wrote into them.
"""
_PRACTICE = (
    "PRACTICE: this program was for training. Its applicants are invented; nobody was decided on."
)
_NAMELESS = "No name, remark, reason or document is in this file."
_NAMED = "people.jsonl says who they are; no remark, reason or document is in this file."


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Who the numbers of a cycle are, for a bundle that is to say so."""

    applications: Sequence[Application]
    reviewers: Sequence[Reviewer]


def bundle(closed: FinishedCycle, signer: Signer, *, names: Names | None = None) -> bytes:
    """Build the bundle of a finished cycle.

    Args:
        closed: The cycle.
        signer: Signs in the office's name.
        names: Who its people are; without it they stay numbers.
    """
    files = [
        _text("README.txt", _readme(closed.cycle_id, named=names is not None)),
        _text("cycle.json", line(_cycle(closed))),
        _lines("rules.jsonl", (RULES.dump_python(r, mode="json") for r in closed.rules)),
        _lines("events.jsonl", map(_event, closed.events)),
        _lines("decisions.jsonl", map(_decision, closed.decisions)),
        _lines("lists.jsonl", (_list(f, named=names is not None) for f in closed.lists)),
        _lines("places.jsonl", (_place(f, p) for f in closed.lists for p in f.places)),
        _lines("outcomes.jsonl", _outcomes(closed.lists, named=names is not None)),
        *(
            _text(f"method-{fixed.version}.md", method_text(fixed.sheet))
            for fixed in closed.lists
            if fixed.sheet is not None
        ),
    ]
    if names is not None:
        files.append(_lines("people.jsonl", _people(names)))
        files.append(_lines("salts.jsonl", _salts(closed)))
    files.append(line_digests(files))
    listed = manifest(files)
    return seal([*files, listed, signature(listed, signer)])


def line(content: Mapping[str, object]) -> str:
    """Format an object on one line, the same way everywhere."""
    # Sorted and without spaces: equal cycles make equal bytes. NaN is no JSON, and other readers
    # would stop at it.
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"


def line_digests(files: Iterable[Member]) -> Member:
    """Return the member that holds a digest of every line of these."""
    listing = "".join(
        f"{hashlib.sha256(text).hexdigest()[:LINE_DIGITS]} {file.name}:{number}\n"
        for file in files
        for number, text in enumerate(file.data.splitlines(keepends=True), start=1)
    )
    return _text(LINES, listing)


def manifest(files: Iterable[Member]) -> Member:
    """Return the member that lists these, with their lengths and digests."""
    listed = [
        {
            "name": file.name,
            "bytes": len(file.data),
            "sha256": hashlib.sha256(file.data).hexdigest(),
        }
        for file in files
    ]
    text = json.dumps({"format": FORMAT, "files": listed}, indent=1) + "\n"
    return _text(MANIFEST, text)


def signature(listed: Member, signer: Signer) -> Member:
    """Return the member that signs the manifest."""
    return _text(SIGNATURE, spelled_signature(signer.sign(listed.data), signer.public))


def spelled_signature(signed: str, key: str) -> str:
    """Format a signature and its public key: the one way in which a bundle may hold them."""
    content = {"algorithm": ALGORITHM, "signs": MANIFEST, "key": key, "signature": signed}
    return json.dumps(content, indent=1) + "\n"


def spelled_number(value: float) -> float | str:
    """Format a number for JSON, which knows no infinity."""
    return value if math.isfinite(value) else str(value)


def _text(name: str, text: str) -> Member:
    return Member(name, text.encode())


def _lines(name: str, rows: Iterable[Mapping[str, object]]) -> Member:
    return _text(name, "".join(map(line, rows)))


def _readme(cycle_id: str, *, named: bool) -> str:
    text = _README.format(cycle=cycle_id, names=_NAMED if named else _NAMELESS)
    return f"{_PRACTICE}\n\n{text}" if is_practice_id(cycle_id) else text


def _cycle(closed: FinishedCycle) -> dict[str, Json]:
    return {
        "format": FORMAT,
        "cycle": closed.cycle_id,
        "unit": closed.unit,
        "events": closed.head.seq,
        "head": closed.head.hash,
        # Only where it is so: bundles of real programs keep the bytes of earlier releases.
        **({"practice": True} if is_practice_id(closed.cycle_id) else {}),
    }


def _event(event: Event) -> dict[str, Json]:
    return {
        "seq": event.position.seq,
        "type": event.type.value,
        "version": event.version,
        "at": event.at.isoformat(),
        "hash": event.position.hash,
        "body": text_of(event),
    }


def _decision(decision: DecisionRecord) -> dict[str, object]:
    return {
        "number": decision.number,
        "read": [decision.read.seq, decision.read.hash],
        "digest": decision.digest,
        "rules_version": decision.rules_version,
        "why": decision.why,
        "picks": [[*pick[:4], list(pick[4])] for pick in decision.picks],
        "look": {name: spelled_number(value) for name, value in decision.look.items()},
        "cohort": list(decision.cohort),
        "contested": list(decision.contested),
        "stop": decision.stop,
        "versions": dict(decision.versions),
    }


def _list(fixed: FixedList, *, named: bool) -> dict[str, object]:
    return {
        "version": fixed.version,
        "position": fixed.position,
        "stop_reason": fixed.stop_reason,
        "signatures": [
            {"role": s.role} | ({"who": s.who} if s.who else {}) | ({"by": s.by} if named else {})
            for s in fixed.signatures
        ],
    }


def _place(fixed: FixedList, place: Place) -> dict[str, object]:
    return {
        "version": fixed.version,
        "application": place.application,
        "rank": place.rank,
        "standing": place.standing.value,
        "estimate": place.estimate,
        "raw_mean": place.raw_mean,
        "margin": spelled_number(place.margin),
        "evidence": place.evidence,
        "contested": place.contested,
        "tied": place.tied,
        "pulls": dict(place.pulls),
        "floor_missing": dict(place.floor_missing),
    }


def _outcomes(lists: Iterable[FixedList], *, named: bool) -> Iterable[Mapping[str, object]]:
    """Return what people decided; the words of a reason stay in the office."""
    for fixed in lists:
        chosen = {p.application for p in fixed.places if p.standing is Standing.COHORT}
        # By number: the order in which people decided is not part of the record.
        for outcome in sorted(fixed.outcomes, key=lambda o: o.application):
            yield {
                "version": fixed.version,
                "application": outcome.application,
                "verdict": outcome.verdict.value,
                "as_proposed": (outcome.verdict is Verdict.SELECTED)
                == (outcome.application in chosen),
                "at": outcome.at.isoformat(),
            } | ({"by": outcome.by} if named else {})


def _people(names: Names) -> Iterable[Mapping[str, object]]:
    for application in names.applications:
        yield {
            "applicant": application.number,
            "id": application.external_id,
            "name": application.name,
        }
    for reviewer in names.reviewers:
        yield {"reviewer": reviewer.number, "id": reviewer.external_id, "name": reviewer.name}


def _salts(closed: FinishedCycle) -> Iterable[Mapping[str, object]]:
    """Return the salts of those who decided and signed, so that their names can be checked."""
    for event in closed.events:
        if event.type is EventType.FINALIZED:
            for digest in actors_of(event):
                if digest in closed.salts:
                    yield {"digest": digest, "salt": closed.salts[digest]}
