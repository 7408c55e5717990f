"""The seed of a real program is drawn at its launch, so that nobody can choose ids by it."""

import secrets
from dataclasses import replace

from swapflow.domain.rules import Purpose, Rules
from swapflow.messages import Message


BITS = 62
"""Nobody can try that many seeds, and databases store a number of that length."""


def with_drawn_seed(rules: Rules, settled: Rules) -> Rules:
    """Return the rules of a launch, with a seed of its own where the draft's file names none.

    With a seed that is known before, an applicant can try mail tags until an id wins every tie.

    Args:
        rules: The draft's.
        settled: What the launch makes of them otherwise.
    """
    if rules.purpose is not Purpose.REAL or rules.seed:
        return settled
    return replace(
        settled, seed=1 + secrets.randbits(BITS), seed_drawn=True, version=rules.version + 1
    )


def seed_warnings(rules: Rules) -> list[str]:
    """Name a seed that is written into a real program's file."""
    if rules.purpose is not Purpose.REAL or not rules.seed:
        return []
    return [Message("seed_written", seed=rules.seed)]
