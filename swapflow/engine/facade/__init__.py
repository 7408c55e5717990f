"""What the interfaces call: one method for each thing that a person or a worker does.

A command, a page and a task each parse, call one method here, and report.
"""

from dataclasses import dataclass

from swapflow.engine.facade.cycles import Cycles
from swapflow.engine.facade.deciding import Deciding
from swapflow.engine.facade.looking import Looking
from swapflow.engine.facade.people import People
from swapflow.engine.facade.posting import Posting
from swapflow.engine.facade.reconsidering import Reconsidering
from swapflow.engine.facade.scoring import Scoring
from swapflow.engine.facade.working import Working


__all__ = ["Swapflow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapflow(Cycles, Looking, People, Working, Scoring, Deciding, Reconsidering, Posting):
    """The product, put together from its parts.

    Attributes:
        address: Where people reach the pages; links in mails start with it.
        boards: The boards that had to be made from the ledger, of the cycles looked at last.
        calibrations: The calibrations of the cycles looked at last.
        codes: Which assignments the codes in addresses name.
        folds: The cycles that were folded from their events, as far as they were.
        provider: Whether an identity provider is connected: rules may want it only then.
    """
