"""The automatic reviewer of practice programs: invented marks of invented applicants."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from swapflow.bandit.ties import tie_key
from swapflow.engine.ports.automatic_reviewer import Question
from swapflow.errors import InvalidInputError


CENTRE, SPREAD = 0.55, 0.17
"""Mean and spread of what invented applicants are worth, in utilities."""

SIGMA, SEVERITY = 0.12, 0.05
"""Spread of one mark around that, and between reviewers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InventedMarks:
    """Marks around a worth that each applicant has by the seed and the id alone.

    No file and no service stands behind it: what it answers is a function of the question.
    """

    seed: int

    @classmethod
    def named(cls, place: str, specification: str) -> Self:
        """Return the reviewer of a seed, as a roster names it.

        Raises:
            InvalidInputError: If this is no seed.
        """
        if not (place.isascii() and place.isdecimal() and len(place) <= len(str(2**31))):
            raise InvalidInputError("automatic_reviewer_unknown", specification=specification)
        return cls(seed=int(place))

    def answer(self, questions: Sequence[Question]) -> list[float]:
        """Draw each mark from a stream keyed by the question."""
        return [self._mark(question) for question in questions]

    def _mark(self, question: Question) -> float:
        own = f"{question.application}|{question.kind}|{question.ordinal}|{question.reviewer}"
        noise = self._draw(own) * SIGMA / math.sqrt(question.gain)
        worth = CENTRE + SPREAD * self._draw(f"worth|{question.application}")
        severity = SEVERITY * self._draw(f"severity|{question.reviewer}")
        return min(1.0, max(0.0, worth + noise + severity))

    def _draw(self, key: str) -> float:
        stream = np.random.Generator(np.random.Philox(key=tie_key(self.seed, key)))
        return float(stream.standard_normal())
