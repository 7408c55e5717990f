"""What the interfaces call: one method for each thing that a person or a worker does.

A command, a page and a task each parse, call one method here, and report.
"""

from dataclasses import dataclass

from swapflow.engine.services.applicants import People
from swapflow.engine.services.cohort import Deciding
from swapflow.engine.services.cycles import Cycles
from swapflow.engine.services.outbox import Posting
from swapflow.engine.services.reconsiderations import Reconsidering
from swapflow.engine.services.reports import Looking
from swapflow.engine.services.scores import Scoring
from swapflow.engine.services.tasks import Working


__all__ = ["Swapflow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapflow(Cycles, Looking, People, Working, Scoring, Deciding, Reconsidering, Posting):
    """The product, put together from its parts.

    Attributes:
        address: Where people reach the pages; links in mails start with it.
        dashboards: The boards that had to be made from the ledger, of the cycles looked at last.
        calibrations: The calibrations of the cycles looked at last.
        codes: Which assignments the codes in addresses name.
        snapshots: The cycles that were folded from their events, as far as they were.
        provider: Whether an identity provider is connected: rules may want it only then.
    """
