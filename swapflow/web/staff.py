"""What every page of staff about one program has in common."""

from collections.abc import Callable
from typing import Annotated

from fastapi import Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle
from swapflow.errors import InvalidInputError, SwapflowError
from swapflow.office.facade import Visitor
from swapflow.office.rights import Right
from swapflow.web.errors import status_of
from swapflow.web.pages import render
from swapflow.web.parts import Parts, parts_of
from swapflow.web.text import is_plain


LONGEST_REASON = 2000
"""Characters of a reason."""


Reason = Annotated[str, Form(max_length=LONGEST_REASON)]
"""Why something is done; `said_why` checks it."""


def said_why(reason: str) -> str:
    """Give a reason as it is stored.

    Raises:
        InvalidInputError: If there is none, or if it holds control characters.
    """
    if not reason.strip():
        raise InvalidInputError("write why; it stands in the record")
    if not is_plain(reason):
        raise InvalidInputError("there is a control character in the reason; write it by hand")
    return reason.strip()


def visible(parts: Parts, visitor: Visitor, right: Right) -> tuple[Cycle, ...]:
    """Give the programs in which somebody has a right, newest first."""
    return tuple(
        cycle
        for cycle in reversed(parts.product.cycles())
        if right in visitor.rights(cycle_id=cycle.id, round_id=cycle.round_id)
    )


def held(parts: Parts, visitor: Visitor, cycle: Cycle) -> frozenset[Right]:
    """Give what somebody may do in a program."""
    del parts
    return visitor.rights(cycle_id=cycle.id, round_id=cycle.round_id)


def act(
    request: Request, visitor: Visitor, back: str, done: str, deed: Callable[[], object]
) -> Response:
    """Do something, record it and go back; what was refused is shown, nothing is stored.

    Args:
        request: The request, whose path names the program.
        visitor: Who does it.
        back: Where to go afterwards.
        done: What stands in the audit log.
        deed: Does it; raises one of swapflow's errors when it cannot be done.
    """
    try:
        deed()
    except SwapflowError as error:
        status, _ = status_of(error)
        return render(
            request,
            "refused.html",
            {"title": "This was not done", "detail": str(error), "back": back},
            status=status,
        )
    parts_of(request).office.record(
        visitor.name, done, cycle_id=request.path_params["cycle_id"], about=back
    )
    return RedirectResponse(back, status_code=303)
