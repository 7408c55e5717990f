"""Carries out what people can no longer undo, beside a coordinator's turns."""

import time

from swapflow.engine.services import Swapflow
from swapflow.processes.beside.now_and_then import Clock, NowAndThen


LOOK_EVERY = 2.0
"""Seconds between two looks at what is due."""


def held_acts(product: Swapflow, *, clock: Clock = time.monotonic) -> NowAndThen:
    """Return the look for acts that are due."""
    return NowAndThen(
        look=product.held_acts.carry_out_due,
        every=LOOK_EVERY,
        event="held_act",
        failed="an act was not carried out",
        clock=clock,
    )
