"""The services that interfaces call: one method for each action of a person or a worker.

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
        address: Address of the pages; links in mails start with it.
        dashboards: Dashboards built from the ledger, of the cycles read last.
        calibrations: Calibrations of the cycles read last.
        codes: The assignments that the codes in addresses name.
        snapshots: Cycles folded from their events.
        provider: Whether an identity provider is connected: rules may require it only then.
    """
