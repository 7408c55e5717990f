"""A program's marks typed into a table as they come, and what `advise` answers from the table."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from swapflow.advice.advise import AdviceQuestion, MarksAdvice, MarksSource, advise
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.engine.services import Swapflow
from swapflow.files.marks.mark import HowToRead
from swapflow.ledger.sql_ledger import SqlLedger
from tests.advice.rounds import last_asked, told_of


MILLIONTHS = MarkScale(worst=0.0, best=1e6)


@dataclass(kw_only=True)
class TypedRound:
    """Three files beside a program: its people, and the marks that stand in its record so far.

    Attributes:
        product: The program's installation.
        ledger: Its record.
        cycle_id: Which program.
        folder: Where the files go.
    """

    product: Swapflow
    ledger: SqlLedger
    cycle_id: str
    folder: Path
    typed: int = 0

    def begin(self) -> None:
        """Write the lists of people, and the head of the table."""
        kinds = self.product.cycles.rules(self.cycle_id).kinds
        _write(
            self.folder / "applicants.csv",
            [("applicant",), *((name,) for name in self.applicants.values())],
        )
        rows = [
            (person.external_id, *(_limit(person.capacity, kind.name) for kind in kinds))
            for person in self.product.reviewers.list(self.cycle_id)
        ]
        head = ("reviewer_id", *(f"capacity:{kind.name}" for kind in kinds))
        _write(self.folder / "reviewers.csv", [head, *rows])
        _write(self.folder / "marks.csv", [("applicant", "reviewer", "kind", "mark")])

    @property
    def applicants(self) -> dict[int, str]:
        people = self.product.applicants.list(self.cycle_id)
        return {one.number: one.external_id for one in people}

    @property
    def reviewers(self) -> dict[int, str]:
        people = self.product.reviewers.list(self.cycle_id)
        return {one.number: one.external_id for one in people}

    def type_in(self) -> int:
        """Type the marks that came since, in the order of the record; give how many there are."""
        kinds = self.product.cycles.rules(self.cycle_id).kinds
        who, by = self.applicants, self.reviewers
        scores = [score for score in self.ledger.scores(self.cycle_id) if score.counts]
        with (self.folder / "marks.csv").open("a", encoding="utf-8", newline="") as file:
            for score in scores[self.typed :]:
                one = self.ledger.assignment(score.assignment_id)
                row = (who[one.application], by[one.reviewer], kinds[one.kind].name, score.value)
                csv.writer(file).writerow(row)
        self.typed = len(scores)
        return self.typed

    def advice(self, *, reviews: int, budget: int) -> MarksAdvice:
        """Ask for the next requests, from the files alone."""
        return advise(
            AdviceQuestion(
                marks=(MarksSource(source=self.folder / "marks.csv"),),
                applicants=self.folder / "applicants.csv",
                reviewers=self.folder / "reviewers.csv",
                rules=self.product.cycles.rules(self.cycle_id),
                reviews=reviews,
                budget=budget,
                how=HowToRead(scales={"": MILLIONTHS}),
                on=date(2027, 1, 19),
            )
        )

    def play(self, *, next_decision: Callable[[], bool], answer_all: Callable[[], object]) -> int:
        """Play the program to its end, and hold the advice against its every decision.

        Args:
            next_decision: Waits for requests that wait to be answered; whether there are any.
            answer_all: Answers them.

        Returns:
            How many decisions were compared; the first, before there is a mark, is not.
        """
        compared = 0
        while next_decision():
            asked = last_asked(self.product, self.ledger, self.cycle_id)
            if self.typed:
                rules = self.product.cycles.rules(self.cycle_id)
                spent = self.product.cycles.get(self.cycle_id).spent
                told = self.advice(
                    reviews=max(len(asked), rules.batch), budget=rules.budget - spent
                )
                assert told_of(told.requests) == asked
                compared += 1
            answer_all()
            self.type_in()
        self.compare_end()
        return compared

    def compare_end(self) -> None:
        """Hold list and ranking of the table against those of the program."""
        ranking = self.advice(reviews=1, budget=1).standing.ranking
        names = self.applicants
        with self.product.context.snapshots.at_head(self.cycle_id, ledger=self.ledger) as seen:
            known = seen.assessment(ledger=self.ledger)
        numbers = known.situation.application[known.order]
        assert [one.applicant for one in ranking] == [names[int(n)] for n in numbers]
        assert [one.estimate for one in ranking] == pytest.approx(
            (100 * known.look.estimate[known.order]).tolist(), abs=1e-6
        )
        proposal = self.product.cohort.propose(self.cycle_id)
        places = len(proposal.cohort)
        assert [one.applicant for one in ranking[:places]] == [
            one.external_id for one in proposal.cohort
        ]


def _limit(capacity: object, kind: str) -> object:
    assert isinstance(capacity, dict)
    limit = capacity.get(kind, 0)
    return "unlimited" if limit is None else limit


def _write(path: Path, rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
