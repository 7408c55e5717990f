"""What an applicant's own copy leaves out: confidential documents and fields."""

from swapflow.domain.people.document import is_confidential
from swapflow.domain.rules import Rules
from swapflow.engine.ports.requests import RequestReads


def withheld_of(
    cycle_id: str, number: int, rules: Rules, *, ledger: RequestReads
) -> tuple[str, ...]:
    """Return the names of an applicant's confidential documents and fields, each once."""
    names = [
        *(name for name, _, _ in ledger.documents(cycle_id, application=number)),
        *ledger.application(cycle_id, number).fields,
    ]
    marked = (name for name in names if is_confidential(name, rules.confidential))
    return tuple(dict.fromkeys(marked))
