"""The board to decide on: its rows, zones, bars and meters, as the page shows them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from swapflow.domain.cohort.meeting import Said, Shown, Word, ZoneConfirmed, ZoneSide
from swapflow.domain.cohort.proposal import GroupLimit, Place, Proposal, Standing
from swapflow.engine.cohort.meeting import Agenda
from swapflow.engine.cohort.meeting_records import proposed
from swapflow.engine.read_models.people.cut import cut_estimate
from swapflow.i18n.languages import gettext
from swapflow.i18n.translation import translate


WIDTH, HEIGHT = 160, 36
"""Pixels of a row's bar."""

EDGE = 8
"""Pixels left free at both ends of a bar."""

NEAR = {"in": 3, "close": 16, "out": 3}
"""Rows of each zone that are shown unfolded: those nearest to the cut."""

SMALLEST_SPAN = 0.2
"""Least part of the scale that the bars show, so that a narrow field is not blown up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginBar:
    """An interval in pixels, and the cut in the same scale; nothing where no review counts."""

    start: float
    width: float
    dot: float
    cut: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The part of the scale from 0 to 1 that every bar of a board shows."""

    low: float
    high: float
    cut: float | None

    def pixel(self, value: float) -> float:
        """Return where a value is drawn; beyond the ends it is drawn at the end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(EDGE + share * (WIDTH - 2 * EDGE), 1)

    @property
    def ticks(self) -> tuple[tuple[int, float], ...]:
        """Points of 100 with their places on the axis."""
        first, last = round(100 * self.low), round(100 * self.high)
        step = 10 if last - first <= 30 else 20 if last - first <= 60 else 50  # noqa: PLR2004
        marks = range(math.ceil(first / step) * step, last + 1, step)
        # A tick beside the cut's own label would be written over it.
        near = [] if self.cut is None else [self.pixel(self.cut)]
        return tuple(
            (mark, self.pixel(mark / 100))
            for mark in marks
            if all(abs(self.pixel(mark / 100) - one) > 2 * EDGE for one in near)
        )

    @property
    def cut_pixel(self) -> float | None:
        """Where the cut is drawn, None without one."""
        return None if self.cut is None else self.pixel(self.cut)

    def bar(self, place: Place) -> MarginBar | None:
        """Return a row's bar, None for an applicant without a review that counts."""
        if not place.evidence:
            return None
        start = self.pixel(place.estimate - place.margin)
        return MarginBar(
            start=start,
            width=round(max(self.pixel(place.estimate + place.margin) - start, 2.0), 1),
            dot=self.pixel(place.estimate),
            cut=self.cut_pixel,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeChoice:
    """One outcome that can be pressed: its value in the form, its words, and its state."""

    value: str
    label: str
    style: str
    proposed: bool
    recorded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """An applicant on the board.

    Attributes:
        likely: Likely among the top, in tenths; None where it is not known.
        opened: Whether the meeting opened the file.
        rank: From 1, among those with a review that counts; None without one.
        first_out: Whether the places end just above.
    """

    place: Place
    rank: int | None
    bar: MarginBar | None
    likely: int | None
    said: Said | None
    opened: bool
    choices: tuple[OutcomeChoice, ...]
    first_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardZone:
    """A part of the board: in, too close to call, or out.

    Attributes:
        rows: Those that are shown, in the order of the proposal.
        count: All that are in it.
        folded: How many are not shown.
        decided: How many have an outcome of their own.
        confirmed: Who took it on, for a clear zone.
        left: How many of a clear zone still need a name.
    """

    name: str
    rows: tuple[BoardRow, ...]
    count: int
    folded: int
    decided: int
    confirmed: ZoneConfirmed | None = None
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """A quota or a line of places, as a bar.

    Attributes:
        share: Part of the bar that is filled, from 0 to 1.
        mark: Where the bound is on it, None for none.
        state: "ok", "full" where no more can go in, "short" where some are missing.
    """

    title: str
    value: str
    share: float
    mark: float | None
    state: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The board of a list that is to be decided."""

    zones: tuple[BoardZone, ...]
    scale: Scale
    meters: tuple[Meter, ...]
    outcomes: tuple[OutcomeChoice, ...]
    changes: Mapping[int, str] = field(default_factory=dict)

    @property
    def shown(self) -> frozenset[int]:
        """Numbers of the applicants whose rows are shown."""
        return frozenset(row.place.application for zone in self.zones for row in zone.rows)


def board(
    proposal: Proposal, agenda: Agenda, *, pins: Mapping[int, str], unfolded: str = ""
) -> Board:
    """Build the board.

    Args:
        proposal: The list as it is proposed now.
        agenda: Its meeting.
        pins: "in" or "out" of those whom staff want there, by application.
        unfolded: The zone that is shown whole: "in", "close" or "out"; "all" for each.
    """
    parts = {
        "in": agenda.zone(ZoneSide.IN),
        "close": agenda.close,
        "out": agenda.zone(ZoneSide.OUT),
    }
    visible = {
        name: places if unfolded in {name, "all"} else _nearest(name, places)
        for name, places in parts.items()
    }
    scale = _scale(proposal, [p for places in visible.values() for p in places])
    first_out = next((p for p in proposal.places if p.standing is not Standing.COHORT), None)
    ranks = iter(range(1, len(proposal.places) + 1))
    order = {
        place.application: (next(ranks) if place.evidence else None, place is first_out)
        for place in proposal.places
    }
    zones = tuple(_zone(name, parts[name], visible[name], agenda, scale, order) for name in parts)
    return Board(
        zones=zones,
        scale=scale,
        meters=(*_lines(agenda), *_quotas(proposal.limits, agenda)),
        outcomes=outcome_choices(agenda),
        changes=_changes(proposal, agenda, pins),
    )


def _nearest(name: str, places: Sequence[Place]) -> Sequence[Place]:
    """Return the rows that are not folded: around the cut, or at its side."""
    most = NEAR[name]
    if len(places) <= most:
        return places
    if name == "in":
        return places[-most:]
    if name == "out":
        return places[:most]
    inside = sum(place.standing is Standing.COHORT for place in places)
    first = min(max(inside - most // 2, 0), len(places) - most)
    return places[first : first + most]


def _scale(proposal: Proposal, places: Iterable[Place]) -> Scale:
    known = [place for place in places if place.evidence]
    low = min((place.estimate - place.margin for place in known), default=0.0)
    high = max((place.estimate + place.margin for place in known), default=1.0)
    low, high = max(low, 0.0), min(high, 1.0)
    # Whole tens, so that the axis keeps still while outcomes are recorded.
    low, high = math.floor(10 * low) / 10, math.ceil(10 * high) / 10
    if high - low < SMALLEST_SPAN:
        low, high = max(0.0, high - SMALLEST_SPAN), max(high, SMALLEST_SPAN)
    return Scale(low=low, high=high, cut=cut_of(proposal))


def cut_of(proposal: Proposal) -> float | None:
    """Return the estimate at which the places end; None where all are in, or none."""
    places = [place for place in proposal.places if place.evidence]
    likely = [place.likely for place in places]
    return cut_estimate(
        np.array([place.estimate for place in places], dtype=np.float64),
        np.array([place.standing is Standing.COHORT for place in places], dtype=np.bool_),
        None if None in likely else np.array(likely, dtype=np.float64),
    )


def _zone(
    name: str,
    places: Sequence[Place],
    visible: Sequence[Place],
    agenda: Agenda,
    scale: Scale,
    order: Mapping[int, tuple[int | None, bool]],
) -> BoardZone:
    confirmed, left = None, 0
    if name != "close":
        confirmed = agenda.meeting.confirmed(ZoneSide(name)) if agenda.meeting else None
        taken = frozenset(confirmed.applications) if confirmed else frozenset()
        left = sum(p.application not in taken for p in agenda.unsaid(ZoneSide(name)))
    opened = agenda.looked_at(Shown.FILE)
    final = {a for a, said in agenda.words.items() if said.word.verdict is not None}
    return BoardZone(
        name=name,
        rows=tuple(
            BoardRow(
                place=place,
                rank=order[place.application][0],
                bar=scale.bar(place),
                likely=None if place.likely is None else _tenths(place),
                said=agenda.words.get(place.application),
                opened=place.application in opened,
                choices=_choices(agenda, place),
                first_out=order[place.application][1],
            )
            for place in visible
        ),
        count=len(places),
        folded=len(places) - len(visible),
        decided=sum(place.application in final for place in places),
        confirmed=confirmed,
        left=left,
    )


def _tenths(place: Place) -> int:
    tenths = round(10 * (place.likely or 0.0))
    # Too close to call is never told as certain.
    return min(max(tenths, 1), 9) if place.too_close else tenths


def _choices(agenda: Agenda, place: Place | None) -> tuple[OutcomeChoice, ...]:
    """Return the outcomes that can be recorded: one for each line of places, and two more."""
    said = agenda.words.get(place.application) if place else None
    usual = proposed(place) if place else None
    lines = [name for name, _, _ in agenda.lines]
    several = len(lines) > 1
    made = []
    for index, line in enumerate(lines if several else [""]):
        here = said is not None and said.word is Word.IN and line in {said.line, ""}
        made.append(
            OutcomeChoice(
                value=f"in.{index}" if several else "in",
                label=line if several else gettext("In"),
                style="in",
                # Which line a place is on is nobody's proposal; the first is marked for being in.
                proposed=usual is Word.IN and index == 0,
                recorded=here,
            )
        )
    for word, label in ((Word.WAITLIST, gettext("Waitlist")), (Word.OUT, gettext("Out"))):
        recorded = said is not None and said.word is word
        made.append(
            OutcomeChoice(
                value=word.value,
                label=label,
                style=word.value,
                proposed=usual is word,
                recorded=recorded,
            )
        )
    return tuple(made)


def outcome_choices(agenda: Agenda) -> tuple[OutcomeChoice, ...]:
    """Return the outcomes that can be pressed, for no applicant in particular."""
    return _choices(agenda, None)


def outcome_of(value: str, agenda: Agenda) -> tuple[Word, str] | None:
    """Read an outcome with its line from a form's value; None for none there is."""
    name, _, index = value.partition(".")
    if name not in set(Word):
        return None
    if not index:
        return Word(name), ""
    if name != Word.IN.value or not index.isdecimal() or int(index) >= len(agenda.lines):
        return None
    return Word.IN, agenda.lines[int(index)][0]


def _changes(proposal: Proposal, agenda: Agenda, pins: Mapping[int, str]) -> dict[int, str]:
    """Return what is decided otherwise than proposed so far: recorded, or wanted by staff."""
    changes = {}
    for place in proposal.places:
        said = agenda.words.get(place.application)
        verdict = said.word.verdict if said else None
        inside = place.standing is Standing.COHORT
        if said is not None and verdict is not None:
            wanted = said.word is Word.IN
        else:
            wanted = pins.get(place.application, "in" if inside else "out") == "in"
        if wanted != inside:
            changes[place.application] = "in" if wanted else "out"
    return changes


def _lines(agenda: Agenda) -> Iterable[Meter]:
    for name, taken, places in agenda.lines:
        left = places - taken
        yield Meter(
            title=name if len(agenda.lines) > 1 else gettext("Places"),
            value=gettext("%(taken)s of %(places)s") % {"taken": taken, "places": places},
            share=min(taken / places, 1.0) if places else 0.0,
            mark=None,
            state="over" if left < 0 else "ok" if left else "done",
            note=_line_note(left),
        )


def _line_note(left: int) -> str:
    if left > 0:
        return gettext("%(n)s to fill") % {"n": left}
    return gettext("%(n)s too many") % {"n": -left} if left < 0 else gettext("all filled")


def _quotas(limits: Sequence[GroupLimit], agenda: Agenda) -> Iterable[Meter]:
    for limit in limits:
        held, size = limit.held(agenda.chosen), max(len(agenda.chosen), 1)
        least = max(limit.minimum, math.ceil(limit.minimum_share * size - 1e-9))
        most = size if limit.maximum is None else limit.maximum
        most = min(most, math.floor(limit.maximum_share * size + 1e-9))
        capped = most < size
        full = max(most if capped else 0, least, held, 1)
        if held < least:
            state, note = "short", gettext("%(n)s more needed") % {"n": least - held}
        elif capped and held > most:
            state, note = "over", gettext("%(n)s too many") % {"n": held - most}
        elif capped and held == most:
            state, note = "full", gettext("no more can go in")
        else:
            state, note = "ok", gettext("kept")
        yield Meter(
            title=limit.title,
            value=str(held),
            share=min(held / full, 1.0),
            mark=least / full if least and least < full else None,
            state=state,
            note=f"{translate(limit.wants())}: {note}",
        )
