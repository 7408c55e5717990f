"""One question answered: tables of marks in, the next requests and what they bring out."""

import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from swapflow.advice.advisor import Advisor
from swapflow.advice.answers import ListStanding, MarkFigures, Request
from swapflow.advice.forecast import ExpectedLoss
from swapflow.advice.kinds import ReviewKind, rules_of
from swapflow.bandit.situation import StopReason
from swapflow.domain.ids import same_id
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.domain.rules import Rules, SeatLine
from swapflow.errors import BadRow, BadRowsError, InvalidInputError
from swapflow.files.imports.reviewers import read_reviewers
from swapflow.files.marks.mark import HowToRead, MarksFile
from swapflow.files.marks.people import read_applicants, read_pending
from swapflow.files.marks.read import read_sheets
from swapflow.files.tables.cells import spelling
from swapflow.files.tables.table import Source


MOST_REQUESTS = 2_000
"""Most requests of one answer, where only time limits them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksSource:
    """A file of marks.

    Attributes:
        kind: "" where the file itself says it, or there is but one.
        sheet: The workbook's sheet; "" for all that hold marks.
    """

    source: Source
    name: str = ""
    kind: str = ""
    sheet: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceQuestion:
    """What is asked.

    Attributes:
        marks: The tables, one or several.
        places: How many are chosen; None where the rules say it.
        reviews: Most requests; None where only the budget limits them.
        budget: Most cost of them together, in the unit of the kinds; None for no limit but
            `reviews`.
        kinds: What may be asked for, where no rules say it; empty takes those in the marks.
        rules: A rules file's rules.
        rule: Name of the rule, where no rules say it.
        seed: Decides ties, where no rules say it.
        how: How to read the tables.
        reviewers: A list of reviewers, with limits, conflicts, absences.
        applicants: A list of everyone who applied.
        exclude: Tables of requests that are out.
        on: The day of the question: who is away then is not asked.
    """

    marks: tuple[MarksSource, ...]
    places: int | None = None
    reviews: int | None = None
    budget: float | None = None
    kinds: tuple[ReviewKind, ...] = ()
    rules: Rules | None = None
    rule: str = "budget"
    sigma: float | None = None
    seed: int = 0
    how: HowToRead = field(default_factory=HowToRead)
    reviewers: Source | None = None
    applicants: Source | None = None
    exclude: tuple[Source, ...] = ()
    on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksAdvice:
    """The answer.

    Attributes:
        files: What was read.
        rules: What it was decided under.
        figures: How the marks look.
        standing: The list as it is.
        requests: The next requests, in order.
        waiting: How many requests were out before.
        loss: What the list is expected to lack now, after all that is out, and after as many
            requests again.
        stop: Why the rule would stop, where there are fewer requests than asked for.
        wanted: How many requests there might have been, where a number was given.
        warnings: What staff should know, in sentences.
        seconds: What it took.
    """

    files: tuple[MarksFile, ...]
    rules: Rules
    figures: MarkFigures
    standing: ListStanding
    requests: tuple[Request, ...]
    waiting: int
    loss: ExpectedLoss
    stop: StopReason | None
    wanted: int | None
    warnings: tuple[str, ...]
    seconds: float

    @property
    def names(self) -> dict[str, str]:
        """What applicants are called beside their ids, where a file says so."""
        return {who: name for one in self.files for who, name in one.names.items()}

    @property
    def cost(self) -> int:
        """Cost of the requests together."""
        return sum(one.cost for one in self.requests)

    def content(self) -> dict[str, object]:
        """Return what programs get: losses in points of 100 a place."""
        return {
            "requests": [
                {
                    "applicant": one.applicant,
                    "kind": one.kind,
                    "reviewer": one.reviewer,
                    "reason": one.reason,
                    "gain": one.gain,
                }
                for one in self.requests
            ],
            "ranking": [
                {
                    "applicant": one.applicant,
                    "estimate": one.estimate,
                    "low": one.low,
                    "high": one.high,
                    "likely": one.likely,
                    "reviews": one.reviews,
                }
                for one in self.standing.ranking
            ],
            "expected_loss": {
                "now": self.loss.now,
                "after": self.loss.after,
                "after_twice": self.loss.after_twice,
            },
            "marks": {
                "spread": self.figures.spread,
                "severity": self.figures.severity,
                "agreement": self.figures.agreement,
            },
            "seconds": self.seconds,
        }


def advise(question: AdviceQuestion) -> MarksAdvice:
    """Answer a question. The answer is a function of it and of its files.

    Raises:
        InvalidInputError: If a file cannot be read, or there is nothing to decide.
        BadRowsError: If anything in a file cannot be used; it lists every place.
    """
    started = time.monotonic()
    files = _read(question)
    rules, warnings = _rules(question, files)
    advisor = Advisor.under(rules)
    _tell(advisor, question, files)
    standing = advisor.standing()
    before = len(advisor.out)
    cheapest = min(kind.cost for kind in rules.kinds)
    count = question.reviews
    if count is None:
        count = min(MOST_REQUESTS, int((question.budget or 0) // cheapest))
    budget = question.budget
    if budget is None:
        # Their worth in reviews: an interview that costs six of them takes the place of six.
        budget = count * rules.kinds[0].cost
    requests = advisor.ask(count, budget=budget)
    return MarksAdvice(
        files=files,
        rules=rules,
        figures=advisor.marks(),
        standing=standing,
        requests=requests,
        waiting=before,
        loss=advisor.expected_loss(more=len(requests)),
        stop=advisor.stop,
        wanted=question.reviews,
        warnings=(*(w for one in files for w in one.warnings), *warnings, *advisor.blocked),
        seconds=time.monotonic() - started,
    )


# What is read


def _read(question: AdviceQuestion) -> tuple[MarksFile, ...]:
    how = replace(question.how, kinds=_named(question))
    if how.kinds:
        how = replace(how, kind=how.kinds[0])
    files: list[MarksFile] = []
    inherited: dict[str, MarkScale] = {}
    for one in question.marks:
        own = replace(how, kind=one.kind or how.kind, inherited=inherited, sheet=one.sheet)
        for read in read_sheets(one.source, own, name=one.name):
            inherited = dict(read.scales) | inherited
            files.append(read)
    if not any(read.marks for read in files):
        raise InvalidInputError("advice_no_marks", source=files[0].source)
    _refuse_twice(files)
    return tuple(files)


def _named(question: AdviceQuestion) -> tuple[str, ...]:
    if question.rules is not None:
        return tuple(kind.name for kind in question.rules.kinds)
    return tuple(kind.name for kind in question.kinds)


def _refuse_twice(files: Sequence[MarksFile]) -> None:
    """Refuse a mark that stands in two files, for nothing says which one is right."""
    first: dict[tuple[str, str, str], tuple[str, int]] = {}
    bad: list[BadRow] = []
    for read in files:
        for mark in read.marks:
            if not mark.reviewer:
                continue
            key = (same_id(mark.applicant), same_id(mark.reviewer), mark.kind)
            source, line = first.setdefault(key, (read.source, mark.line))
            if (source, line) != (read.source, mark.line):
                bad.append(
                    BadRow(
                        line=mark.line,
                        column="",
                        value=mark.applicant,
                        reason=(
                            f"{mark.reviewer} has another mark of {mark.applicant} in {source}, "
                            f"line {line}"
                        ),
                        cure="Keep the one that is right",
                    )
                )
    if bad:
        raise BadRowsError(files[-1].source, bad)


def _rules(question: AdviceQuestion, files: Sequence[MarksFile]) -> tuple[Rules, list[str]]:
    if question.rules is not None:
        rules, places = question.rules, question.places
        if places is not None and places != rules.cohort_size:
            rules = replace(rules, lines=(SeatLine(name="all", places=places),))
        return rules, []
    if question.places is None:
        raise InvalidInputError("advice_places_missing")
    kinds, warnings = question.kinds, []
    if not kinds:
        counts = Counter(mark.kind for read in files for mark in read.marks)
        # The first kind is the measure of the others, so it should be known best.
        found = sorted(counts, key=lambda kind: (-counts[kind], kind))
        kinds = tuple(ReviewKind(kind) for kind in found)
        if len(found) > 1:
            warnings.append(
                f"nothing says what one of each kind ({', '.join(found)}) costs and tells, so all "
                "count the same; say it with --kinds"
            )
    rules = rules_of(
        kinds,
        places=question.places,
        rule=question.rule,
        sigma=question.sigma,
        seed=question.seed,
    )
    return rules, warnings


def _tell(advisor: Advisor, question: AdviceQuestion, files: Sequence[MarksFile]) -> None:
    """Tell an advisor everything that the files say."""
    attributes = {*advisor.rules.attributes, "topic"}
    conflicts = _conflicts(files)
    for read in files:
        for applicant in read.applicants:
            values = {
                name: cell
                for name in attributes
                if (cell := _value(read.values, name).get(applicant, ""))
            }
            advisor.add_applicant(applicant, **values)
        for reviewer in read.reviewers:
            advisor.add_reviewer(reviewer, conflicts=conflicts[same_id(reviewer)])
        for mark in read.marks:
            advisor.tell(
                mark.applicant,
                reviewer=mark.reviewer,
                kind=mark.kind,
                mark=mark.utility,
                scale=(0.0, 1.0),
            )
    if question.applicants is not None:
        for applicant, cells in read_applicants(question.applicants).items():
            values = {name: cells[name] for name in attributes if name in cells}
            advisor.add_applicant(applicant, **values)
    if question.reviewers is not None:
        _tell_reviewers(advisor, question, question.reviewers, conflicts)
    for source in question.exclude:
        for out in read_pending(source):
            advisor.add_request(out.applicant, kind=out.kind, reviewer=out.reviewer)


def _tell_reviewers(
    advisor: Advisor, question: AdviceQuestion, source: Source, beside: Mapping[str, list[str]]
) -> None:
    for one in read_reviewers(source, rules=advisor.rules):
        away = any(absence.first <= question.on <= absence.last for absence in one.absences)
        advisor.add_reviewer(
            one.external_id,
            limits=one.capacity,
            packet=one.packet,
            topics=one.topics,
            conflicts=(*one.conflicts, *beside.get(same_id(one.external_id), ())),
            away=away or one.reserve,
        )


def _conflicts(files: Sequence[MarksFile]) -> dict[str, list[str]]:
    """Return the applicants whom a reviewer may not read by the tables of marks, by reviewer."""
    found: dict[str, list[str]] = defaultdict(list)
    for read in files:
        for applicant, reviewer in read.conflicts:
            found[same_id(reviewer)].append(applicant)
    return found


def _value(values: Mapping[str, Mapping[str, str]], name: str) -> Mapping[str, str]:
    """Return the cells of the column that an attribute's name means."""
    if name in values:
        return values[name]
    meant = next((header for header in values if spelling(header) == spelling(name)), None)
    return values[meant] if meant is not None else {}


def read_source(path: Path, kind: str = "") -> MarksSource:
    """Return a file as a source of marks; "marks.xlsx#Round 2" is one sheet of a workbook."""
    file, _, sheet = str(path).rpartition("#")
    if file and not path.exists():
        return MarksSource(source=Path(file), name=Path(file).name, kind=kind, sheet=sheet)
    return MarksSource(source=path, name=path.name, kind=kind)
