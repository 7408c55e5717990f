"""All decisions of a program: batch by batch what was believed and asked for."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from swapflow.domain.rules import Rules
from swapflow.engine.ports.records import DecisionRecord
from swapflow.engine.read_models.explanation import origins_of
from swapflow.engine.read_models.proposal import STOP_SENTENCES
from swapflow.i18n.languages import gettext, gettext_noop, ngettext, ngettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.web.http.context import Product, app_context
from swapflow.web.http.dependencies import may
from swapflow.web.http.program_page import held, visible
from swapflow.web.http.rendering import render


router = APIRouter(prefix="/today")

MayRead = Annotated[Principal, Depends(may(Right.SEE_APPLICANTS))]

PAGE = 25
"""Decisions on a page of the log."""

ASKED, CLOSE = 100, 20
"""Names shown of those asked about, and of those too close to call; a batch may have thousands."""

_WORDS = {
    "staff": gettext_noop("staff asked"),
    "chance": gettext_noop("kinds of review are compared by a draw"),
    "drawn": gettext_noop("those drawn from the clearly out are read once more"),
    "appeal": gettext_noop("an appeal"),
    "late": gettext_noop("a late answer was taken"),
}

_COUNTED = {
    "floor": ngettext_noop("the rules promise this review", "the rules promise these reviews"),
    "floor all": ngettext_noop("everyone gets this review", "everyone gets these reviews"),
    "floor chosen": ngettext_noop(
        "everyone on the proposed list gets this review",
        "everyone on the proposed list gets these reviews",
    ),
    "floor close": ngettext_noop(
        "everyone too close to call gets this review",
        "everyone too close to call gets these reviews",
    ),
    "rule": ngettext_noop(
        "this review is expected to change the list most",
        "these reviews are expected to change the list most",
    ),
}
"""Reasons that speak of the reviews themselves, for one and for several."""


def why_asked(record: DecisionRecord, rules: Rules) -> str:
    """Return in words why a decision asked for its reviews."""
    return "; ".join(
        ngettext(*_COUNTED[one], len(record.picks))
        if one in _COUNTED
        else gettext(_WORDS.get(one, one))
        for one in origins_of(record, rules)
    )


@router.get("/{cycle_id}/decisions")
def show_decisions(
    request: Request,
    principal: MayRead,
    product: Product,
    cycle_id: str,
    before: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """Show batch by batch what was believed and asked for."""
    rules = product.cycles.rules(cycle_id)
    found = product.reports.decisions_before(cycle_id, before, at_most=PAGE + 1)
    wanted = {
        application
        for record, _ in found[:PAGE]
        for application in (
            *(pick[0] for pick in record.picks[:ASKED]),
            *record.contested[:CLOSE],
        )
    }
    names = {n.number: n for n in product.reports.named(cycle_id, wanted)}
    shown = [
        {
            "record": record,
            "at": at,
            "why": why_asked(record, rules),
            "asked": [
                (names[a], rules.kinds[k].name) for a, k, *_ in record.picks[:ASKED] if a in names
            ],
            "close": [names[a] for a in record.contested[:CLOSE] if a in names],
            "stop": STOP_SENTENCES.get(record.stop, ""),
        }
        for record, at in found[:PAGE]
    ]
    return render(
        request,
        "cycle/today/decisions.html",
        {
            "cycle": product.cycles.get(cycle_id),
            "cycles": visible(app_context(request), principal, Right.SEE_APPLICANTS),
            "rights": held(app_context(request), principal, product.cycles.get(cycle_id)),
            "decisions": shown,
            "zone": rules.zone,
            "older": found[PAGE - 1][0].number if len(found) > PAGE else 0,
            "newest": before == 0,
        },
    )
