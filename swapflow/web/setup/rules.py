"""The rules of a program as a form and as a file, in versions."""

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated
from zoneinfo import available_timezones

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle, CycleStatus
from swapflow.domain.free_days import countries
from swapflow.domain.rules import Rules
from swapflow.engine.lifecycle.rules_effect import RulesEffect
from swapflow.errors import InvalidInputError, StaleRevisionError
from swapflow.files.rules.rules_file import parse_rules, rules_text
from swapflow.i18n.languages import current_language, gettext, languages_to_choose
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.untrusted.limits import MOST_RULES_BYTES
from swapflow.web.http.context import AppContext, Product, app_context
from swapflow.web.http.dependencies import may, seat_view_of
from swapflow.web.http.nested_forms import (
    FormView,
    TheForm,
    Tree,
    change_rows,
    file_of,
    made_from,
    nested,
    text,
    texts,
    unwritable,
)
from swapflow.web.http.program_page import visible
from swapflow.web.http.rendering import render
from swapflow.web.setup.rules_form import read_rules, shown_rules


router = APIRouter(prefix="/setup/{cycle_id}")

MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]

_BLANK: Mapping[str, Tree] = {
    "places": {"name": "", "number": "1", "funded": "yes"},
    "kinds": {
        "name": "",
        "cost": "30",
        "gain": "1",
        "maximum": "1",
        "seats": "1",
        "window_days": "14",
        "confidence": "no",
    },
    "floors": {"kind": "", "count": "1", "for": "all"},
}


@router.get("/rules")
def show_rules(
    request: Request, cycle_id: str, principal: MaySetUp, product: Product, saved: int = 0
) -> Response:
    """Show the rules in force as a form."""
    form = FormView(shown_rules(product.cycles.rules(cycle_id)))
    if not saved:
        return _page(request, cycle_id, principal, form)
    said = gettext("Version %(version)s of the rules is in force.") % {"version": saved}
    effect = product.cycles.effect_of_version(cycle_id, saved)
    return _page(request, cycle_id, principal, form, said=said, effect=effect)


@router.post("/rules")
def save_rules(request: Request, cycle_id: str, principal: MaySetUp, form: TheForm) -> Response:
    """Store the rules of a form as those in force, or add or remove a row of the form."""
    values = nested(texts(form))
    view = FormView({**values, "revision": made_from(form)})
    # A row's button saves nothing: what was typed comes back as it is, unchecked.
    if change_rows(values, text(form, "do"), _BLANK):
        return _page(request, cycle_id, principal, view)
    app = app_context(request)
    old = app.product.cycles.rules(cycle_id)
    new = read_rules(values, old, view)
    reason = _reason(app, cycle_id, form, view)
    if not view.problems:
        try:
            version = put_in_force(app, cycle_id, principal, old, new, reason, view)
        except StaleRevisionError as error:
            return _stale(request, cycle_id, principal, view, new, error)
        if version:
            return RedirectResponse(f"/setup/{cycle_id}/rules?saved={version}", 303)
    return _page(request, cycle_id, principal, view, status=422)


@router.get("/rules.toml")
def download_rules(cycle_id: str, principal: MaySetUp, product: Product) -> Response:
    """Return the rules in force as a file."""
    del principal
    return Response(
        rules_text(product.cycles.rules(cycle_id)),
        media_type="application/toml",
        headers={"Content-Disposition": f'attachment; filename="{cycle_id}-rules.toml"'},
    )


@router.post("/rules/file")
def upload_rules(request: Request, cycle_id: str, principal: MaySetUp, form: TheForm) -> Response:
    """Store the rules of a file or of the text field as in force, or show what they change."""
    app = app_context(request)
    old = app.product.cycles.rules(cycle_id)
    spelled = text(form, "text")
    view = FormView(
        {
            **shown_rules(old),
            "text": spelled,
            "file_reason": text(form, "reason"),
            "revision": made_from(form),
        }
    )
    try:
        spelled, source = _spelled(form)
        view.values = {**view.values, "text": spelled}
        new = parse_rules(spelled, source=source)
        app.product.cycles.check_rules(cycle_id, new)
    except InvalidInputError as error:
        view.note("file", error.message)
        return _page(request, cycle_id, principal, view, status=422)
    if text(form, "do") == "try":
        effect = app.product.cycles.rules_effect(cycle_id, new)
        return _page(
            request, cycle_id, principal, view, changes=changed_lines(old, new), effect=effect
        )
    reason = _reason(app, cycle_id, form, view, named="file_reason")
    if not view.problems:
        try:
            version = put_in_force(app, cycle_id, principal, old, new, reason, view)
        except StaleRevisionError as error:
            return _stale(request, cycle_id, principal, view, new, error)
        if version:
            return RedirectResponse(f"/setup/{cycle_id}/rules?saved={version}", 303)
    return _page(request, cycle_id, principal, view, status=422)


def _stale(
    request: Request,
    cycle_id: str,
    principal: Principal,
    view: FormView,
    new: Rules,
    error: StaleRevisionError,
) -> Response:
    """Show what was typed beside what it would change in the rules that are in force by now."""
    stored = app_context(request).product.cycles.rules(cycle_id)
    view.note("", error.message)
    view.values = {**view.values, "revision": str(stored.version)}
    changes = changed_lines(stored, new)
    return _page(request, cycle_id, principal, view, changes=changes, status=409)


def _spelled(form: TheForm) -> tuple[str, str]:
    """Return the text of a rules file and what it is called: of the file, or of the text field."""
    typed = text(form, "text")
    try:
        name, data = file_of(form, "file")
    except InvalidInputError:
        if not typed:
            raise
        name, data = "the text", typed.encode()
    if len(data) > MOST_RULES_BYTES:
        raise InvalidInputError("rules_file_too_long", name=name, most=MOST_RULES_BYTES // 1000)
    try:
        # Some editors put a byte order mark before the text.
        spelled = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError("rules_file_not_utf8", name=name) from error
    if problem := unwritable(spelled, most=MOST_RULES_BYTES):
        raise InvalidInputError("plan_refused", source=name, problem=problem)
    return spelled, name


def changed_lines(old: Rules, new: Rules) -> list[str]:
    """Return the lines of the rules file that other rules change, with - and + before them."""
    # The version always differs, and is no change of the rules.
    before, after = (rules_text(replace(r, version=old.version)) for r in (old, new))
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def _page(
    request: Request,
    cycle_id: str,
    principal: Principal,
    form: FormView,
    *,
    said: str = "",
    changes: list[str] | None = None,
    effect: RulesEffect | None = None,
    status: int = 200,
) -> Response:
    app = app_context(request)
    cycle = app.product.cycles.get(cycle_id)
    if effect is not None and seat_view_of(request, principal, cycle_id) is not None:
        effect = effect.nameless()
    return render(
        request,
        "setup/rules.html",
        {
            "cycle": cycle,
            "cycles": visible(app, principal, Right.SET_UP),
            "form": form,
            "launched": cycle.is_launched,
            "frozen": cycle.status is CycleStatus.FINALIZED,
            "history": app.product.cycles.rules_history(cycle_id),
            "rules": app.product.cycles.rules(cycle_id),
            "unit": unit_of(app, cycle),
            "zones": ZONES,
            "countries": _countries(),
            "languages": languages_to_choose(),
            "said": said,
            "revision": form.value("revision") or str(app.product.cycles.rules(cycle_id).version),
            "changes": changes,
            "effect": effect,
            "spelled": form.value("text") or rules_text(app.product.cycles.rules(cycle_id)),
        },
        status=status,
    )


def _countries() -> list[tuple[str, str]]:
    """List the countries whose public holidays are known, as people look for them: by name."""
    names = current_language().locale.territories
    return sorted(((code, names.get(code, code)) for code in countries()), key=lambda one: one[1])


# Without `Etc/GMT+5` and its like, which mean five hours behind Greenwich, not ahead.
ZONES = ("UTC", "AoE", *sorted(z for z in available_timezones() if "/" in z and "Etc" not in z))


def unit_of(app: AppContext, cycle: Cycle) -> str:
    """Return the unit that costs of a cycle are counted in."""
    return next(r.unit for r in app.product.cycles.rounds() if r.id == cycle.round_id)


def _reason(
    app: AppContext, cycle_id: str, form: TheForm, view: FormView, *, named: str = "reason"
) -> str:
    """Read why the rules are changed; after the launch a reason must be given."""
    reason = text(form, "reason")
    launched = app.product.cycles.get(cycle_id).is_launched
    if launched and not reason:
        view.note(named, "say why the rules change; it is kept in the record")
    if problem := unwritable(reason):
        view.note(named, problem)
    return reason or "set-up"


def put_in_force(
    app: AppContext,
    cycle_id: str,
    principal: Principal,
    old: Rules,
    new: Rules,
    reason: str,
    view: FormView,
) -> int:
    """Store rules as those in force; returns their version, 0 when they were refused."""
    # Saved unchanged, rules make no new version.
    if replace(new, version=old.version) == old:
        return old.version
    try:
        changed = app.product.cycles.change_rules(
            cycle_id, new, by=principal.name, reason=reason, made_from=view.value("revision")
        )
    except InvalidInputError as error:
        view.note("", error.message)
        return 0
    app.office.audit_log.record(
        principal.name,
        "changed the rules",
        cycle_id=cycle_id,
        about=f"version {changed.version}",
        detail=reason,
    )
    return changed.version
