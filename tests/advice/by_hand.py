"""Advice used by hand: ask, type the marks that come back into the table, ask again."""

import csv
from datetime import date
from pathlib import Path

from swapflow.advice.advise import AdviceQuestion, MarksSource, advise
from swapflow.advice.kinds import ReviewKind
from swapflow.automatic_reviewers.recorded_round import Recording
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.files.marks.mark import HowToRead


HEADER = ("applicant", "reviewer", "mark")


def used_by_hand(
    recording: Recording, folder: Path, *, places: int, times: int, reviews: int, seed: int = 0
) -> tuple[tuple[str, ...], int]:
    """A review each, then further ones, a number at a time; the list, and its cost.

    A table names no reviewers here, as many do, and nobody has more than the recorded marks.
    """
    table, typed = folder / "marks.csv", dict.fromkeys(recording.items, 0)
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(_typed(recording, typed, item) for item in recording.items)
    question = AdviceQuestion(
        marks=(MarksSource(source=table),),
        places=places,
        reviews=reviews,
        kinds=(ReviewKind(most=recording.most_reviews),),
        how=HowToRead(scales={"": MarkScale(worst=0.0, best=1.0)}),
        seed=seed,
        on=date(2027, 1, 19),
    )
    for _ in range(times):
        answer = advise(question)
        with table.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(
                _typed(recording, typed, one.applicant) for one in answer.requests
            )
    ranked = advise(question).standing.ranking
    return tuple(one.applicant for one in ranked[:places]), sum(typed.values())


def _typed(recording: Recording, typed: dict[str, int], item: str) -> tuple[str, str, float]:
    """The next recorded mark of an applicant, as it is typed into the table."""
    mark = recording.reviews[item][typed[item]]
    typed[item] += 1
    return item, "", mark.utility
