"""One write to a cycle: everything a transaction can do, put together."""

from swapflow.ledger.conclusions import ConclusionWrites
from swapflow.ledger.people import PeopleWrites
from swapflow.ledger.work import WorkWrites


class SqlTransaction(PeopleWrites, WorkWrites, ConclusionWrites):
    """The port `Transaction` in SQL; `SqlLedger.write` opens and closes it.

    What it holds and hands back is in `locked.py` (lock, chain, rules), `people.py`, `work.py`
    and `conclusions.py`.
    """
