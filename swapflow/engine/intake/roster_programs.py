"""Programs that a list of reviewers or a roster names, and which of them may be asked."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from swapflow.domain.people.reviewer import NewReviewer
from swapflow.engine.ports.automatic_reviewer import AutomaticReviewers
from swapflow.engine.ports.ledger import Ledger
from swapflow.errors import InvalidInputError


def with_any_file(
    new: Sequence[NewReviewer], *, programs: AutomaticReviewers
) -> list[NewReviewer]:
    """Allow the files of a list that a person at this machine's command line brings.

    Returns:
        The list, each program with its file's whole path.

    Raises:
        InvalidInputError: If a program is unknown, or its address leads to a forbidden network.
        UnavailableError: If this cannot be stored.
    """
    # A program that several rows name is allowed once.
    named = dict.fromkeys(one.automatic for one in new if one.automatic)
    whole = {one: programs.name_here(one) for one in named}
    return [replace(one, automatic=whole.get(one.automatic, "")) for one in new]


def check_programs(new: Iterable[NewReviewer], *, programs: AutomaticReviewers) -> None:
    """Check that a list that comes over the network names only programs that may be asked.

    Raises:
        InvalidInputError: If one may not; the message says why.
    """
    for named in {one.automatic for one in new if one.automatic}:
        programs.check(named)


def refused_programs(
    cycle_id: str, *, ledger: Ledger, programs: AutomaticReviewers
) -> dict[str, str]:
    """Return who of the roster is a program that may not be asked, each with the reason."""
    refused = {}
    for reviewer in ledger.reviewers(cycle_id):
        if reviewer.automatic and reviewer.active:
            try:
                programs.check(reviewer.automatic)
            except InvalidInputError as error:
                refused[reviewer.external_id] = str(error)
    return refused
