"""What a round keeps for how long: rules, what goes when, legal holds, what was deleted."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.domain.people.kept_data import MOST_DAYS, KeptData
from swapflow.engine.lifecycle.retention import HoldTarget, rule_revision
from swapflow.errors import InvalidInputError
from swapflow.i18n.languages import gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import closed_programs, may_in_round
from swapflow.web.http.nested_forms import TheForm, text
from swapflow.web.http.program_page import NOTHING_REFUSED, FieldError, Refused, act, said_why
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/setup/rounds/{round_id}/retention")

MayKeep = Annotated[Principal, Depends(may_in_round(Right.MANAGE_RETENTION))]

WORDS = {
    KeptData.DRAFTS: (
        gettext_noop("Drafts"),
        gettext_noop("Drafts of reviews"),
    ),
    KeptData.REVIEWS: (
        gettext_noop("Reviews"),
        gettext_noop("Marks on criteria, comments and remarks; scores stay for the list"),
    ),
    KeptData.FIGURES: (
        gettext_noop("Figures about reviewers"),
        gettext_noop("How quick and how late reviewers were; no longer shown"),
    ),
    KeptData.MONITORING: (
        gettext_noop("Monitoring data"),
        gettext_noop("What applicants declared for monitoring"),
    ),
    KeptData.MAILS: (
        gettext_noop("Mails"),
        gettext_noop("Address, subject and text; a mail not sent by then is never sent"),
    ),
    KeptData.BACKUPS: (
        gettext_noop("Backups"),
        gettext_noop("Backups from before the deletion; the newest one always stays"),
    ),
}
"""Each kind's name, and what goes."""


@router.get("")
def show_kept_data(request: Request, round_id: str, principal: MayKeep) -> Response:
    """Show what a round keeps for how long, what goes when, its holds, and what went."""
    return _page(request, round_id, principal)


@router.post("/rules")
def set_rule(request: Request, round_id: str, principal: MayKeep, form: TheForm) -> Response:
    """Set how long a kind of data is kept."""
    kind, typed = (
        text(form, "kind"),
        {
            "days": text(form, "days"),
            "revision": text(form, "revision"),
        },
    )
    product = app_context(request).product
    if kind not in set(KeptData):
        raise InvalidInputError("kept_kind_unknown", kind=kind)
    return act(
        request,
        principal,
        _path(round_id),
        Message("act_retention_rule_set", what=Message(f"kept_{kind}")),
        lambda: product.retention.set_rule(
            round_id,
            KeptData(kind),
            _days(typed["days"]),
            by=principal.name,
            made_from=typed["revision"],
        ),
        form=kind,
        typed=typed,
        again=lambda refused: _page(request, round_id, principal, refused),
    )


@router.post("/delete")
def delete_due(request: Request, round_id: str, principal: MayKeep) -> Response:
    """Delete now what the rules keep no longer, without waiting for the night."""
    product = app_context(request).product
    return act(
        request,
        principal,
        _path(round_id),
        lambda gone: Message("act_due_deleted", count=sum(one.count for one in gone)),
        lambda: product.retention.delete_due(round_id),
        form="delete",
        again=lambda refused: _page(request, round_id, principal, refused),
    )


@router.post("/holds")
def place_hold(request: Request, round_id: str, principal: MayKeep, form: TheForm) -> Response:
    """Place a legal hold on the round, a program, or one person of it."""
    product = app_context(request).product
    typed = {name: text(form, name) for name in ("program", "applicant", "reviewer", "reason")}

    def place() -> int:
        target = HoldTarget(
            program=typed["program"], applicant=typed["applicant"], reviewer=typed["reviewer"]
        )
        return product.retention.place_hold(
            round_id, target, by=principal.name, reason=said_why(typed["reason"])
        )

    return act(
        request,
        principal,
        _path(round_id),
        lambda number: Message("act_hold_placed", hold=number),
        place,
        form="hold",
        typed=typed,
        again=lambda refused: _page(request, round_id, principal, refused),
    )


@router.post("/holds/{hold}/lift")
def lift_hold(
    request: Request, round_id: str, hold: int, principal: MayKeep, form: TheForm
) -> Response:
    """Lift a legal hold."""
    product, typed = app_context(request).product, {"reason": text(form, "reason")}
    return act(
        request,
        principal,
        _path(round_id),
        Message("act_hold_lifted", hold=hold),
        lambda: product.retention.lift_hold(
            round_id, hold, by=principal.name, reason=said_why(typed["reason"])
        ),
        form=f"lift{hold}",
        typed=typed,
        again=lambda refused: _page(request, round_id, principal, refused),
    )


def _path(round_id: str) -> str:
    return f"/setup/rounds/{round_id}/retention"


def _days(typed: str) -> int | None:
    """Read a number of days; nothing typed keeps the data."""
    if not typed.strip():
        return None
    if not typed.strip().isascii() or not typed.strip().isdigit() or len(typed) > 9:  # noqa: PLR2004 - digits of any day there is
        raise FieldError("days", "retention_days_out_of_range", days=typed, most=MOST_DAYS)
    return int(typed)


def _page(
    request: Request, round_id: str, principal: Principal, refused: Refused = NOTHING_REFUSED
) -> Response:
    product = app_context(request).product
    service, closed = product.retention, closed_programs(request, principal)
    foreseen = service.preview(round_id)
    known = next(one for one in product.cycles.rounds() if one.id == round_id)
    now = product.cycles.now()
    return render(
        request,
        "account/kept_data.html",
        {
            "round": known,
            "foreseen": foreseen,
            "words": WORDS,
            "revision_of": rule_revision,
            "due": any(one.goes_at is not None and one.goes_at <= now for one in foreseen),
            "ended": service.round_ended(round_id),
            "holds": [
                # A reviewer of the program must not learn here which applicant is disputed.
                (
                    one,
                    hidden := one.of_one_person and one.cycle_id in closed,
                    "" if hidden else service.person_held(one),
                )
                for one in service.holds(round_id)
            ],
            "deleted": service.deletions(round_id),
            "program_names": {one.id: one.name for one in product.cycles.list()},
            "programs": [
                ("", ""),
                *((one.id, one.name) for one in product.cycles.list() if one.round_id == round_id),
            ],
            "may_set_up": Right.SET_UP in principal.rights_anywhere,
            "most": MOST_DAYS,
            "refused": refused,
        },
        status=refused.status,
    )
