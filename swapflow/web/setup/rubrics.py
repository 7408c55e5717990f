"""The score form of a kind: criteria, anchored marks, weights, in versions."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.rules import Rubric
from swapflow.engine.lifecycle.rules_effect import RulesEffect
from swapflow.errors import InvalidInputError, NotFoundError, StaleRevisionError
from swapflow.files.rules.rules_file import examine_rules, raw_rules
from swapflow.files.rules.schema_tables import Toml
from swapflow.identity.principal import Principal
from swapflow.web.http.context import app_context
from swapflow.web.http.dependencies import seat_view_of
from swapflow.web.http.error_handlers import status_of
from swapflow.web.http.nested_forms import (
    FormView,
    TheForm,
    Tree,
    change_rows,
    made_from,
    nested,
    rows,
    text,
    texts,
    unwritable,
)
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render
from swapflow.web.setup.rules import MaySetUp
from swapflow.web.setup.rules_form import field_of, problem_sentence, read_field


router = APIRouter(prefix="/setup/{cycle_id}/rubrics")

_BLANK: dict[str, Tree] = {
    "criteria": {
        "name": "",
        "weight": "1",
        "marks": [{"mark": str(mark), "means": ""} for mark in range(1, 6)],
    },
    "marks": {"mark": "", "means": ""},
}


@router.get("")
def list_rubrics(
    request: Request, cycle_id: str, principal: MaySetUp, saved: str = ""
) -> Response:
    """List the kinds and their score forms."""
    app = app_context(request)
    rules = app.product.cycles.rules(cycle_id)
    return render(
        request,
        "setup/rubrics.html",
        {
            **about(app, cycle_id, principal),
            "kinds": [(kind, rules.rubric(kind.name)) for kind in rules.kinds],
            "said": f"The score form for {saved} is in force." if saved else "",
        },
    )


@router.get("/{kind}")
def show_rubric(request: Request, cycle_id: str, kind: str, principal: MaySetUp) -> Response:
    """Show a kind's score form, to be changed."""
    rubric = app_context(request).product.cycles.rules(cycle_id).rubric(kind)
    return _page(request, cycle_id, kind, principal, FormView(_shown(rubric)))


@router.post("/{kind}")
def save_rubric(
    request: Request, cycle_id: str, kind: str, principal: MaySetUp, form: TheForm
) -> Response:
    """Add or remove a row, preview a change, or put it in force."""
    values = nested(texts(form))
    view = FormView({**values, "revision": made_from(form)})
    do = text(form, "do")
    if change_rows(values, do, _BLANK):
        return _page(request, cycle_id, kind, principal, view)
    app = app_context(request)
    raw = raw_rules(app.product.cycles.rules(cycle_id))
    _read(raw, kind, values, view)
    launched = app.product.cycles.get(cycle_id).status is not CycleStatus.DRAFT
    reason = text(form, "reason")
    if problem := unwritable(reason):
        view.note("reason", problem)
    if view.problems:
        return _page(request, cycle_id, kind, principal, view, status=422)
    rules, _ = examine_rules(raw)
    if do == "preview":
        effect = app.product.cycles.rules_effect(cycle_id, rules)
        return _page(request, cycle_id, kind, principal, view, effect=effect)
    if launched and not reason:
        view.note("reason", "say why the form changes; it is kept in the record")
        return _page(request, cycle_id, kind, principal, view, status=422)
    try:
        changed = app.product.cycles.change_rules(
            cycle_id,
            rules,
            by=principal.name,
            reason=reason or "set-up",
            made_from=view.value("revision"),
        )
    except (StaleRevisionError, InvalidInputError) as error:
        view.note("", error.message)
        if isinstance(error, StaleRevisionError):
            # Sent again, the form overwrites what the message names.
            view.values = {**view.values, "revision": str(error.stored["version"])}
        return _page(request, cycle_id, kind, principal, view, status=status_of(error)[0])
    app.office.audit_log.record(
        principal.name,
        "changed the score form",
        cycle_id=cycle_id,
        about=f"{kind}, rules version {changed.version}",
        detail=reason,
    )
    return RedirectResponse(f"/setup/{cycle_id}/rubrics?saved={kind}", 303)


def _page(
    request: Request,
    cycle_id: str,
    kind: str,
    principal: Principal,
    form: FormView,
    *,
    effect: RulesEffect | None = None,
    status: int = 200,
) -> Response:
    app = app_context(request)
    rules = app.product.cycles.rules(cycle_id)
    if rules.kind_index(kind) < 0:
        raise NotFoundError("kind_not_in_rules", kind=kind)
    rubric = rules.rubric(kind)
    if effect is not None and seat_view_of(request, principal, cycle_id) is not None:
        effect = effect.nameless()
    return render(
        request,
        "setup/rubric.html",
        {
            "revision": form.value("revision") or str(rules.version),
            **about(app, cycle_id, principal),
            "kind": kind,
            "version": rubric.version if rubric else 0,
            "form": form,
            "effect": effect,
        },
        status=status,
    )


def _shown(rubric: Rubric | None) -> dict[str, Tree]:
    if rubric is None:
        return {"criteria": [_BLANK["criteria"]]}
    return {
        "criteria": [
            {
                "name": c.name,
                "weight": f"{c.weight:g}",
                "marks": [{"mark": f"{mark:g}", "means": means} for mark, means in c.marks],
            }
            for c in rubric.criteria
        ]
    }


def _read(raw: dict[str, Toml], kind: str, values: dict[str, Tree], view: FormView) -> Rubric:
    """Read the form into the raw rules, and note what is wrong with it."""
    criteria: list[Toml] = []
    for i, row in enumerate(rows(values, "criteria")):
        marks: list[Toml] = [
            {
                "mark": _field(mark, "mark", f"criteria.{i}.marks.{j}.", view, 0.0),
                "means": _field(mark, "means", f"criteria.{i}.marks.{j}.", view, ""),
            }
            for j, mark in enumerate(rows(row, "marks"))
            # A row that was left empty is no mark.
            if any(isinstance(v, str) and v.strip() for v in mark.values())
        ]
        criteria.append(
            {
                "name": _field(row, "name", f"criteria.{i}.", view, ""),
                "weight": _field(row, "weight", f"criteria.{i}.", view, 1.0),
                "marks": marks,
            }
        )
    there = raw.get("rubrics", [])
    others = [r for r in there if isinstance(r, dict)] if isinstance(there, list) else []
    mine = next((r for r in others if r.get("kind") == kind), None)
    if mine is None:
        mine = {"kind": kind}
        others.append(mine)
    mine["criteria"] = criteria
    raw["rubrics"] = list(others)
    rules, found = examine_rules(raw)
    prefix = f"rubrics.{others.index(mine)}."
    for problem in found:
        place = field_of(problem.place)
        field = place.removeprefix(prefix) if place.startswith(prefix) else ""
        # A field that could not be read is named already;
        # what follows from it is not a second fault.
        if field not in view.problems and not any(
            k.startswith(field + ".") for k in view.problems
        ):
            view.note(field, problem_sentence(problem))
    rubric = rules.rubric(kind)
    return rubric if rubric is not None else Rubric(kind=kind, version=1, criteria=())


def _field(row: dict[str, Tree], name: str, prefix: str, view: FormView, default: Toml) -> Toml:
    typed = row.get(name, "")
    try:
        value = read_field(name, typed if isinstance(typed, str) else "")
    except ValueError as error:
        view.note(prefix + name, str(error))
        return default
    if value is None and name == "mark":
        view.note(prefix + name, "write the mark, e.g. 1")
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return default if value is None else value
