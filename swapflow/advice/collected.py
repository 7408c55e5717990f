"""What an advisor was told so far, by name; numbers are given only when it answers."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from swapflow.advice.kinds import MOST_MORE
from swapflow.advice.marked_round import (
    NOBODY,
    Given,
    MarkedApplicant,
    OutRequest,
    Reader,
    RoundFacts,
)
from swapflow.domain.fixed_point import value_units
from swapflow.domain.ids import same_id
from swapflow.domain.rules import Rules


ANYBODY = "any reviewer "
"""Prefix of the readers that represent people without a name; no id of a file begins so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldMark:
    """One mark that was told; `reviewer` is "" where it is not known."""

    applicant: str
    reviewer: str
    kind: str
    utility: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRequest:
    """One request that is out; several reviewers for a panel, none for anybody."""

    applicant: str
    kind: str
    reviewers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldReviewer:
    """A reviewer as told; `capacity` is None where nothing says of kinds and limits.

    Attributes:
        capacity: Most reviews by kind, those given included; None for any number.
    """

    id: str
    capacity: Mapping[str, int | None] | None = None
    packet: int | None = None
    topics: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    away: bool = False


@dataclass(slots=True)
class Collected:
    """Applicants, reviewers, marks and requests by name."""

    applicants: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, str]] = field(default_factory=dict)
    reviewers: dict[str, ToldReviewer] = field(default_factory=dict)
    marks: list[ToldMark] = field(default_factory=list)
    asked: list[AskedRequest] = field(default_factory=list)
    version: int = 0
    """Grows with all that changes what the model is fitted to."""
    changes: int = 0
    """Grows with everything that is told or asked."""
    _places: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def add_applicant(self, name: str, values: Mapping[str, str]) -> str:
        """Add an applicant, or values to one who is there; return the spelling that is kept."""
        if same_id(name) not in self.applicants:
            self.version += 1
        self.changes += 1
        known = self.applicants.setdefault(same_id(name), name)
        self.values.setdefault(known, {}).update(values)
        return known

    def add_reviewer(self, name: str) -> str:
        """Add a reviewer of whom nothing but the name is known; return the spelling kept."""
        self.changes += 1
        return self.reviewers.setdefault(same_id(name), ToldReviewer(id=name)).id

    def describe_reviewer(self, described: ToldReviewer) -> None:
        """Replace what is known of a reviewer."""
        self.changes += 1
        known = self.reviewers.get(same_id(described.id))
        kept = described if known is None else replace(described, id=known.id)
        self.reviewers[same_id(described.id)] = kept

    def tell(self, told: ToldMark) -> None:
        """Add a mark; another by the same reviewer, of the same kind, takes its place."""
        self.version += 1
        applicant = self.add_applicant(told.applicant, {})
        reviewer = self.add_reviewer(told.reviewer) if told.reviewer else ""
        told = replace(told, applicant=applicant, reviewer=reviewer)
        key = (applicant, reviewer, told.kind)
        if reviewer and key in self._places:
            self.marks[self._places[key]] = told
            return
        self._places[key] = len(self.marks)
        self.marks.append(told)
        self._answer(told)

    def ask(self, asked: AskedRequest) -> None:
        """Add a request that is out, unless its mark is there."""
        applicant = self.add_applicant(asked.applicant, {})
        who = tuple(self.add_reviewer(one) for one in asked.reviewers)
        if any((applicant, one, asked.kind) in self._places for one in who):
            return
        self.asked.append(replace(asked, applicant=applicant, reviewers=who))

    def _answer(self, told: ToldMark) -> None:
        """Take the request that this mark answers off those that are out."""
        for place, asked in enumerate(self.asked):
            who = told.reviewer in asked.reviewers or not (asked.reviewers and told.reviewer)
            if (asked.applicant, asked.kind) == (told.applicant, told.kind) and who:
                left = tuple(one for one in asked.reviewers if one != told.reviewer)
                # A panel waits for its others; without names the first request is answered.
                if len(asked.reviewers) > 1 and left:
                    self.asked[place] = replace(asked, reviewers=left)
                else:
                    del self.asked[place]
                return

    # By numbers

    def facts(self, rules: Rules) -> RoundFacts:
        """Number everything, in an order that does not depend on the order of the telling."""
        applicants = sorted(self.applicants.values())
        number = {name: place for place, name in enumerate(applicants)}
        kind = {one.name: place for place, one in enumerate(rules.kinds)}
        named = sorted(self.reviewers.values(), key=lambda one: one.id)
        serving = self._serving(kind)
        readers = [_reader(one, rules, serving) for one in named]
        who = {one.id: place for place, one in enumerate(named)}
        marks = sorted(
            self.marks, key=lambda one: (one.applicant, one.kind, one.reviewer, one.utility)
        )
        nameless: Counter[str] = Counter()
        given = []
        for told in marks:
            reviewer = who.get(told.reviewer, NOBODY)
            if reviewer == NOBODY:
                reviewer = len(named) + nameless[told.applicant]
                nameless[told.applicant] += 1
            given.append(
                Given(
                    applicant=number[told.applicant],
                    reviewer=reviewer,
                    kind=kind[told.kind],
                    value=value_units(told.utility),
                )
            )
        readers += _nobodies(most=max(nameless.values(), default=0), kinds=len(kind), named=named)
        topics = {name: place for place, name in enumerate(sorted(self._topics()))}
        return RoundFacts(
            applicants=tuple(
                MarkedApplicant(id=name, values=_kept(self.values.get(name, {}), rules.attributes))
                for name in applicants
            ),
            readers=tuple(
                replace(reader, topics=tuple(topics[topic] for topic in one.topics))
                for reader, one in zip(readers, named, strict=False)
            )
            + tuple(readers[len(named) :]),
            given=tuple(given),
            out=tuple(
                OutRequest(
                    applicant=number[asked.applicant],
                    reviewer=who.get(asked.reviewers[0], NOBODY) if asked.reviewers else NOBODY,
                    kind=kind[asked.kind],
                )
                for asked in self.asked
            ),
            conflicts=tuple(
                (number[self.applicants[same_id(name)]], who[one.id])
                for one in named
                for name in one.conflicts
                if same_id(name) in self.applicants
            ),
            topics={
                number[name]: topics[values["topic"]]
                for name, values in self.values.items()
                if values.get("topic") in topics
            },
        )

    def most_given(self) -> Counter[str]:
        """Count, by kind, the most marks and open requests that one applicant has."""
        pairs = Counter((one.applicant, one.kind) for one in self.marks)
        pairs.update((one.applicant, one.kind) for one in self.asked)
        most: Counter[str] = Counter()
        for (_, kind), count in pairs.items():
            most[kind] = max(most[kind], count)
        return most

    def _topics(self) -> set[str]:
        return {topic for one in self.reviewers.values() for topic in one.topics}

    def _serving(self, kind: Mapping[str, int]) -> dict[str, set[int]]:
        """Return the kinds of which each reviewer has given a mark."""
        serving: dict[str, set[int]] = {}
        for one in self.marks:
            if one.reviewer:
                serving.setdefault(one.reviewer, set()).add(kind[one.kind])
        return serving


def _reader(one: ToldReviewer, rules: Rules, serving: Mapping[str, set[int]]) -> Reader:
    """Number a reviewer; where nothing was said of kinds, by what they gave so far."""
    if one.capacity is not None:
        capacity = {
            place: one.capacity[kind.name]
            for place, kind in enumerate(rules.kinds)
            if kind.name in one.capacity
        }
        return Reader(id=one.id, capacity=capacity, packet=one.packet, away=one.away)
    marked = set().union(*serving.values()) if serving else set()
    own = serving.get(one.id)
    # A kind that nobody has given yet may be given by everyone.
    kinds = [
        place
        for place in range(len(rules.kinds))
        if own is None or place in own or place not in marked
    ]
    return Reader(id=one.id, capacity=dict.fromkeys(kinds), packet=one.packet, away=one.away)


def _nobodies(*, most: int, kinds: int, named: Iterable[ToldReviewer]) -> list[Reader]:
    """Return readers for marks without a name, who are asked only where nobody has a name."""
    alone = not list(named)
    count = most + MOST_MORE * kinds if alone else most
    capacity: dict[int, int | None] = dict.fromkeys(range(kinds)) if alone else {}
    return [
        Reader(id=f"{ANYBODY}{place}", capacity=capacity, unnamed=True) for place in range(count)
    ]


def _kept(values: Mapping[str, str], attributes: Iterable[str]) -> dict[str, str]:
    return {name: values[name] for name in attributes if values.get(name)}
