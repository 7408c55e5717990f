"""One write to a cycle: the parts of a transaction, joined."""

from swapflow.ledger.cohort.announcements import AnnouncementWrites
from swapflow.ledger.cohort.applicant_answers import ApplicantAnswerWrites
from swapflow.ledger.cohort.meetings import MeetingWrites
from swapflow.ledger.cohort.offers import OfferWrites
from swapflow.ledger.cohort.reconsiderations import ReconsiderationWrites
from swapflow.ledger.cycle.decision_writes import DecisionWrites
from swapflow.ledger.cycle.imported_lists import ImportedListWrites
from swapflow.ledger.cycle.prepared_writes import PreparedWrites
from swapflow.ledger.cycle.requests import RequestWrites
from swapflow.ledger.exchange import SqlExchangeWrites
from swapflow.ledger.held_acts import SqlHeldActWrites
from swapflow.ledger.practice import SqlPracticeWrites
from swapflow.ledger.privacy.erased_people import ErasureMemoryWrites
from swapflow.ledger.privacy.erasure import ErasureWrites
from swapflow.ledger.privacy.retention import SqlRetentionWrites


class SqlTransaction(
    ErasureWrites,
    ErasureMemoryWrites,
    ImportedListWrites,
    RequestWrites,
    DecisionWrites,
    PreparedWrites,
    OfferWrites,
    AnnouncementWrites,
    ApplicantAnswerWrites,
    MeetingWrites,
    ReconsiderationWrites,
    SqlHeldActWrites,
    SqlRetentionWrites,
    SqlPracticeWrites,
    SqlExchangeWrites,
):
    """The port `Transaction` in SQL; `SqlLedger.write` opens and closes it.

    Lock, chain and rules are in `core/cycle_lock.py`; people, lists, requests and decisions in
    `cycle/`; what follows the list in `cohort/`; erasure in `privacy/erasure.py`.
    """
