"""One write to a cycle: everything a transaction can do, put together."""

from swapflow.ledger.announcements import AnnouncementWrites
from swapflow.ledger.brought import ListWrites
from swapflow.ledger.conclusions import ConclusionWrites
from swapflow.ledger.meetings import MeetingWrites
from swapflow.ledger.offers import OfferWrites
from swapflow.ledger.purging import PurgeWrites
from swapflow.ledger.reconsiderations import ReconsiderationWrites
from swapflow.ledger.work import WorkWrites


class SqlTransaction(
    PurgeWrites,
    ListWrites,
    WorkWrites,
    ConclusionWrites,
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
