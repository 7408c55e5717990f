"""What every page of staff about one program has in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from fastapi import Form, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle
from swapflow.engine.pending.returned_mails import Returned
from swapflow.errors import InvalidInputError, NotFoundError, StaleRevisionError, SwapflowError
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import seat_view_of
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import is_plain


LONGEST_REASON = 2000
"""Characters of a reason."""


Reason = Annotated[str, Form()]
"""Why something is done; `said_why` checks it, so that a form with a bad one can come back."""


class FieldError(InvalidInputError):
    """The content of one field of a form cannot be used; `field` names it."""

    def __init__(self, field_name: str, code: str, /, **params: object) -> None:
        super().__init__(code, **params)
        self.field = field_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A form that comes back: what was typed, and what is wrong with it.

    Attributes:
        form: Which of the page's forms, "" when none was refused.
        field: The field that the message belongs to, "" for the form as a whole.
        status: HTTP status of the page that shows it.
    """

    form: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    field: str = ""
    message: str = ""
    status: int = 200

    def value(self, form: str, name: str, otherwise: str = "") -> str:
        """Return what was typed into a field, or else its content at first."""
        return self.values.get(name, otherwise) if form == self.form else otherwise

    def problem(self, form: str, name: str = "") -> str:
        """Return what is wrong with a field, or with the form as a whole; "" for nothing."""
        return self.message if (form, name) == (self.form, self.field) else ""


NOTHING_REFUSED = Refused()

Again: TypeAlias = Callable[[Refused], Response]
"""Shows the page that a form came from, with what was typed."""


def said_why(reason: str, *, named: str = "reason") -> str:
    """Return a reason as it is stored.

    Args:
        reason: As typed.
        named: The field it was typed into.

    Raises:
        FieldError: If there is none, if it is too long, or if it holds control characters.
    """
    if not reason.strip():
        raise FieldError(named, "reason_missing")
    return plain_line(reason, named=named)


def plain_line(text: str, *, named: str, most: int = LONGEST_REASON) -> str:
    """Return a text as it is stored, "" if nothing was typed.

    Raises:
        FieldError: If it is too long, or if it holds control characters.
    """
    if len(text) > most:
        raise FieldError(named, "reason_too_long", length=len(text), most=most)
    if not is_plain(text):
        raise FieldError(named, "reason_control_character")
    return text.strip()


def visible(app: AppContext, principal: Principal, right: Right) -> tuple[Cycle, ...]:
    """Return the programs in which a principal has a right, newest first."""
    return tuple(
        cycle
        for cycle in reversed(app.product.cycles.list())
        if right in principal.rights(cycle_id=cycle.id, round_id=cycle.round_id)
    )


def held(app: AppContext, principal: Principal, cycle: Cycle) -> frozenset[Right]:
    """Return what a principal may do in a program."""
    del app
    return principal.rights(cycle_id=cycle.id, round_id=cycle.round_id)


def log_figures(request: Request, principal: Principal, cycle_id: str, what: str) -> None:
    """Write down who looks at figures about reviewers, before they are computed or shown.

    Raises:
        NotFoundError: If the rules have none told, or they are gone: that is no look.
    """
    app = app_context(request)
    app.product.reports.require_figures(cycle_id)
    app.office.audit_log.record(
        principal.name, "figures about reviewers read", cycle_id=cycle_id, about=what
    )


def act(
    request: Request,
    principal: Principal,
    back: str,
    done: Message | Callable[[Any], Message],
    deed: Callable[[], object],
    *,
    again: Again,
    form: str,
    typed: Mapping[str, str] | None = None,
) -> Response:
    """Run an action, record it and redirect; a refusal is shown on its own page.

    Args:
        request: The request, whose path names the program.
        principal: Who does it.
        back: Where to go afterwards.
        done: What was done, for the next page and the audit log, or what says it of the deed's
            result; it names no applicant, for the log outlives them.
        deed: Does it; raises one of swapflow's errors when it cannot be done.
        again: Shows the page that the form is on.
        form: The form's name on that page.
        typed: What was typed into it, by field, and its `revision`.

    Raises:
        NotFoundError: If what the form is about is not there at all.
    """
    try:
        result = deed()
    # What is gone has no form to come back to.
    except NotFoundError:
        raise
    except SwapflowError as error:
        status, _ = status_of(error)
        values = dict(typed or {})
        # This refusal shows what is stored, so the form is made from that now; any other does not.
        if isinstance(error, StaleRevisionError):
            values.pop("revision", None)
        return again(
            Refused(
                form=form,
                values=values,
                field=error.field if isinstance(error, FieldError) else "",
                message=error.message,
                status=status,
            )
        )
    # After the act: the log says what was done, not what was tried.
    what = done if isinstance(done, Message) else done(result)
    tell(request, what)
    app_context(request).office.audit_log.record(
        principal.name, str(what), cycle_id=request.path_params.get("cycle_id"), about=back
    )
    return RedirectResponse(back, status_code=303)


def about(
    app: AppContext, cycle_id: str, principal: Principal, right: Right = Right.SET_UP
) -> dict[str, object]:
    """Return what every page of a program shows: the program, the others, what may be done."""
    cycle = app.product.cycles.get(cycle_id)
    return {
        "cycle": cycle,
        "cycles": visible(app, principal, right),
        "launched": cycle.is_launched,
        "may": {
            right.name: right in principal.rights(cycle_id=cycle_id, round_id=cycle.round_id)
            for right in Right
        },
        "zone": app.product.cycles.rules(cycle_id).zone,
    }


def returned_to(request: Request, principal: Principal, cycle_id: str) -> Returned:
    """Return the mails of a program that came back; none to a reviewer who has another role.

    An address says who an applicant is.
    """
    if seat_view_of(request, principal, cycle_id) is not None:
        return Returned(reviewers={}, applicants={})
    return app_context(request).product.returned_mails.of_program(cycle_id)
