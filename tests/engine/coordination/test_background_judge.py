"""How good a list is, calculated outside the turns."""

from dataclasses import dataclass, field
from threading import Event
from typing import cast

import pytest

from swapflow.domain.cycle import Position
from swapflow.engine.coordination.background_judge import BackgroundJudge
from swapflow.engine.selection.list_quality import JudgedList, QualityQuestion


@dataclass
class Question:
    """A question whose answer takes as long as the test wants; its answer is its event."""

    seq: int
    quick: bool = False
    told: Event = field(default_factory=Event)

    @property
    def position(self) -> Position:
        return Position(seq=self.seq, hash="")

    def answer(self) -> int:
        if not self.quick:
            assert self.told.wait(20)
        if self.seq < 0:
            raise ValueError(self.seq)
        return self.seq


def ask(judge: BackgroundJudge, question: Question) -> JudgedList | int | None:
    return judge(cast("QualityQuestion", question))


def settle(judge: BackgroundJudge, question: Question) -> JudgedList | int | None:
    question.told.set()
    while (found := ask(judge, question)) is None:
        pass
    return found


def test_a_turn_does_not_wait_for_a_long_answer() -> None:
    judge, question = BackgroundJudge(), Question(7)

    assert ask(judge, question) is None
    assert judge.calculating
    assert settle(judge, question) == 7
    assert not judge.calculating


def test_what_the_look_has_answered_starts_nothing() -> None:
    judge = BackgroundJudge()

    assert ask(judge, Question(7, quick=True)) == 7
    assert not judge.calculating


def test_an_answer_serves_its_own_event_only() -> None:
    judge, old, new = BackgroundJudge(), Question(7), Question(8)

    assert ask(judge, old) is None
    assert ask(judge, new) is None  # one at a time
    old.told.set()

    assert settle(judge, new) == 8


def test_what_goes_wrong_there_comes_up_in_the_turn() -> None:
    judge, question = BackgroundJudge(), Question(-1)

    with pytest.raises(ValueError, match="-1"):
        settle(judge, question)
