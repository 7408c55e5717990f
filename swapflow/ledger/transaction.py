"""One write to a cycle: everything a transaction can do, put together."""

from swapflow.ledger.cohort.announcements import AnnouncementWrites
from swapflow.ledger.cohort.meetings import MeetingWrites
from swapflow.ledger.cohort.offers import OfferWrites
from swapflow.ledger.cohort.reconsiderations import ReconsiderationWrites
from swapflow.ledger.cycle.decision_writes import DecisionWrites
from swapflow.ledger.cycle.imported_lists import ImportedListWrites
from swapflow.ledger.cycle.requests import RequestWrites
from swapflow.ledger.privacy.erasure import ErasureWrites


class SqlTransaction(
    ErasureWrites,
    ImportedListWrites,
    RequestWrites,
    DecisionWrites,
    OfferWrites,
    AnnouncementWrites,
    MeetingWrites,
    ReconsiderationWrites,
):
    """The port `Transaction` in SQL; `SqlLedger.write` opens and closes it.

    What it holds and hands back is in `locked.py` (lock, chain, rules), `people.py`,
    `purging.py`, `brought.py`, `work.py`, `conclusions.py`, `offers.py`,
    `announcements.py`, `meetings.py` and `reconsiderations.py`.
    """
