"""Rules that tests of the roster and of approvals share."""

from dataclasses import replace

from swapflow.domain.rules import Purpose
from tests.engine.cycle_by_hand import INTERVIEW, REVIEW, rules


BOTH: dict[str, int | None] = {"review": None, "interview": None}

APPROVED = rules(
    kinds=(replace(REVIEW, maximum=2), replace(INTERVIEW, approval=True)),
    purpose=Purpose.REAL,
    budget=60,
)
