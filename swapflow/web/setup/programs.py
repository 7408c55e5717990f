"""Setting up: rounds, programs, and the way from rules to a launch."""

from dataclasses import dataclass
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from swapflow.domain.cycle import Cycle, Round
from swapflow.domain.ids import derived_id
from swapflow.engine.lifecycle.launch import SetupStep
from swapflow.errors import InvalidInputError
from swapflow.files.rules.checks import problems
from swapflow.files.rules.rules_file import TEMPLATES, parse_rules, template
from swapflow.i18n.formatting import cost_words, counted
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal
from swapflow.messages import Message
from swapflow.web.http.acts.told import tell
from swapflow.web.http.context import AppContext, app_context
from swapflow.web.http.dependencies import may, may_anywhere
from swapflow.web.http.nested_forms import FormView, TheForm, text, unwritable
from swapflow.web.http.program_page import about
from swapflow.web.http.rendering import render
from swapflow.web.setup.program_units import NEW_ROUND, unit_name, units_to_set_up
from swapflow.web.setup.rules import ZONES, unit_of


router = APIRouter(prefix="/setup")

TAKEN = frozenset(("users", "audit", "system", "rounds", "programs", "backups"))
"""Names that addresses under /setup have already."""

_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class StepView:
    """One step of the wizard.

    Attributes:
        state: "done", "todo" or "blocked".
        said: Its state, in a few words.
    """

    number: int
    name: str
    path: str
    state: str
    said: str


@router.get("")
def list_programs(
    request: Request,
    principal: Annotated[Principal, Depends(may_anywhere(Right.SET_UP))],
    made: str = "",
) -> Response:
    """List rounds and programs, with forms for new ones."""
    said = gettext("%(made)s is made.") % {"made": made} if made else ""
    return _list(request, principal, FormView({}), said=said)


@router.post("/rounds")
def new_round(
    request: Request, principal: Annotated[Principal, Depends(may(Right.SET_UP))], form: TheForm
) -> Response:
    """Create a round."""
    view = _typed(form, "id", "name", "unit", "zone")
    app = app_context(request)
    if not view.problems:
        try:
            app.product.cycles.new_round(
                view.value("id"),
                name=view.value("name"),
                unit=view.value("unit") or "minutes",
                zone=_zone(view.value("zone")),
            )
        except InvalidInputError as error:
            view.note("id", error.message)
    if view.problems:
        return _list(request, principal, view, which="round", status=422)
    app.office.audit_log.record(principal.name, "made a round", about=view.value("id"))
    return RedirectResponse(f"/setup?made={view.value('id')}", 303)


@router.post("/rounds/{round_id}/forget-erasures")
def forget_erasures(
    request: Request,
    round_id: str,
    principal: Annotated[Principal, Depends(may(Right.SET_UP))],
    form: TheForm,
) -> Response:
    """Forget whom a round erased, once its id is typed."""
    app = app_context(request)
    view = _typed(form, "round")
    if view.value("round") != round_id:
        view.note("round", Message("forgetting_round_name_differs", name=round_id))
        return _list(request, principal, view, which=f"erasures:{round_id}", status=422)
    forgotten = app.product.cycles.forget_erasures(round_id)
    app.office.audit_log.record(
        principal.name, "forgot erasures", about=round_id, detail=f"{forgotten} people"
    )
    tell(request, Message("act_erasures_forgotten", count=forgotten))
    return RedirectResponse("/setup", 303)


@router.post("/programs")
def new_program(
    request: Request,
    principal: Annotated[Principal, Depends(may_anywhere(Right.SET_UP))],
    form: TheForm,
) -> Response:
    """Create a program from one of the templates, in a round that is there or in a new one.

    Ids that are left blank are derived from the names.
    """
    view = _typed(form, "id", "name", "round", "unit", "new_round", "zone", "template")
    app = app_context(request)
    known = {r.id: r for r in app.product.cycles.rounds()}
    cycle_id = view.value("id") or derived_id(
        view.value("name"), TAKEN | {cycle.id for cycle in app.product.cycles.list()}
    )
    if not view.value("name"):
        view.note("name", gettext_noop("write the name of the program"))
    round_id = units_to_set_up(app, principal).round_of(view, known)
    if view.value("template") not in TEMPLATES:
        view.note(
            "template", gettext_noop("choose one to start from; everything in it can be changed")
        )
    if cycle_id in TAKEN:
        view.note("id", Message("cycle_id_reserved", cycle=cycle_id))
    if not view.problems:
        try:
            zone = known[round_id].zone if round_id in known else _zone(view.value("zone"))
            rules = parse_rules(template(view.value("template"), zone=zone))
            if round_id not in known:
                # A round without the program that it was made for would be half of an act.
                app.product.cycles.check_new(cycle_id)
                app.product.cycles.new_round(round_id, name=view.value("new_round"), zone=zone)
                app.office.audit_log.record(principal.name, "made a round", about=round_id)
            app.product.cycles.new(
                cycle_id,
                round_id=round_id,
                rules=rules,
                by=principal.name,
                name=view.value("name"),
                unit=view.value("unit"),
            )
        except InvalidInputError as error:
            view.note("zone" if error.code == "time_zone_unknown" else "id", error.message)
    if view.problems:
        return _list(request, principal, view, which="program", status=422)
    app.office.audit_log.record(
        principal.name, "made a program", cycle_id=cycle_id, about=cycle_id
    )
    tell(request, Message("act_program_made", program=cycle_id))
    return RedirectResponse(f"/setup/{cycle_id}", 303)


MaySetUp = Annotated[Principal, Depends(may(Right.SET_UP))]


@router.get("/{cycle_id}")
def show_steps(request: Request, cycle_id: str, principal: MaySetUp, done: str = "") -> Response:
    """Show the steps of a program's set-up and the state of each."""
    app = app_context(request)
    return render(
        request,
        "setup/steps.html",
        {
            **about(app, cycle_id, principal),
            "steps": _steps(app, cycle_id),
            "unit": unit_name(app, cycle_id),
            "said": gettext("The program is launched; the first reviews go out now.")
            if done
            else "",
        },
    )


def _list(
    request: Request,
    principal: Principal,
    form: FormView,
    *,
    which: str = "",
    said: str = "",
    status: int = 200,
) -> Response:
    app = app_context(request)
    held, mine = principal.rights(), units_to_set_up(app, principal)
    rounds = [
        (known, cycles)
        for known in app.product.cycles.rounds()
        if (cycles := _cycles_in(app, principal, known)) or mine.anywhere(known.id)
    ]
    return render(
        request,
        "setup/programs.html",
        {
            "rounds": rounds,
            "may_make_programs": Right.SET_UP in held
            or any(mine.anywhere(known.id) for known, _ in rounds),
            "zones": ZONES,
            "round_options": _round_options(
                [(r.id, r.name) for r, _ in rounds if mine.anywhere(r.id)],
                new=Right.SET_UP in held,
            ),
            "unit_options": mine.options([known for known, _ in rounds]),
            "unit_names": {
                cycle: mine.units.name(unit) for cycle, unit in mine.units.places.items()
            },
            "may_units": {known.id for known, _ in rounds if mine.manages(known.id)},
            "template_options": [
                ("", gettext("choose …")),
                *((name, gettext(name)) for name in TEMPLATES),
            ],
            "form": form,
            "program_form": form if which == "program" else _blank_program(app),
            "round_form": form if which == "round" else FormView({}, prefix="r"),
            "erasures": {
                known.id: (
                    count,
                    form
                    if which == f"erasures:{known.id}"
                    else FormView({}, prefix=f"e-{known.id}"),
                )
                for known, _ in rounds
                if Right.SET_UP in held and (count := app.product.cycles.erasures(known.id))
            },
            "which": which,
            "said": said,
            "may_make_rounds": Right.SET_UP in held,
            "may_manage": Right.MANAGE_USERS in held,
            "may_audit": Right.SEE_AUDIT in held,
            "may_health": Right.RUN in held,
            "may_back_up": Right.BACK_UP in held and app.product.backups.can,
            "may_keep": {
                known.id
                for known, _ in rounds
                if Right.MANAGE_RETENTION in principal.rights(round_id=known.id)
            },
        },
        status=status,
    )


def _blank_program(app: AppContext) -> FormView:
    """The form of a new program; the first one's round is named after the year."""
    first = not app.product.cycles.rounds()
    year = app.product.cycles.now().year
    return FormView({"new_round": f"{year}/{year + 1}"} if first else {}, prefix="p")


def _cycles_in(app: AppContext, principal: Principal, known: Round) -> list[Cycle]:
    return [
        cycle
        for cycle in app.product.cycles.list()
        if cycle.round_id == known.id
        and Right.SET_UP in principal.rights(cycle_id=cycle.id, round_id=known.id)
    ]


def _typed(form: TheForm, *names: str) -> FormView:
    view = FormView({name: text(form, name) for name in names})
    for name in names:
        if problem := unwritable(view.value(name), most=_LONGEST_NAME):
            view.note(name, problem)
    return view


def _zone(typed: str) -> str:
    try:
        return ZoneInfo(typed or "UTC").key
    except (KeyError, ValueError, OSError) as error:
        # A typed name may be no zone, leave the zones' folder, or be a folder in it.
        raise InvalidInputError("time_zone_unknown", name=typed) from error


def _steps(app: AppContext, cycle_id: str) -> list[StepView]:
    cycle, rules = app.product.cycles.get(cycle_id), app.product.cycles.rules(cycle_id)
    # Problems of a launched program are shown at Today, with all else that waits for a person.
    hindered = (
        set()
        if cycle.is_launched
        else {o.step for o in app.product.cycles.launch_problems(cycle_id)}
    )
    applications, reviewers = (
        sum(a.status.is_candidate for a in app.product.applicants.list(cycle_id)),
        sum(r.active for r in app.product.reviewers.list(cycle_id)),
    )
    judged = [rubric.kind for rubric in rules.rubrics]
    wrong = bool(problems(rules)) or SetupStep.RULES in hindered
    rest: list[tuple[str, str, str, str]] = [
        (
            gettext("Applicants"),
            "applicants",
            _state(applications, hindered, SetupStep.APPLICANTS),
            counted(applications, "%(count)s applicant ready", "%(count)s applicants ready")
            if applications
            else gettext("none yet"),
        ),
        (
            gettext("Reviewers"),
            "reviewers",
            _state(reviewers, hindered, SetupStep.REVIEWERS),
            counted(reviewers, "%(count)s reviewer", "%(count)s reviewers")
            if reviewers
            else gettext("none yet"),
        ),
        (
            gettext("Questions"),
            "questions",
            "blocked" if wrong else "done",
            counted(
                rules.cohort_size,
                "%(count)s place, %(time)s of reviewer time",
                "%(count)s places, %(time)s of reviewer time",
                time=cost_words(rules.budget, unit_of(app, cycle)),
            ),
        ),
        (
            gettext("Score forms"),
            "rubrics",
            "done" if judged else "todo",
            gettext("for %(kinds)s") % {"kinds": ", ".join(judged)}
            if judged
            else gettext("none: reviewers give one score, 0 to 100"),
        ),
        (
            gettext("Check and launch"),
            "launch",
            "done" if cycle.is_launched else "todo",
            gettext("launched") if cycle.is_launched else _ready_words(len(hindered)),
        ),
    ]
    return [
        StepView(number=n, name=name, path=path, state=state, said=said)
        for n, (name, path, state, said) in enumerate(rest, start=1)
    ]


def _ready_words(hindered: int) -> str:
    if hindered:
        return gettext("something is still in the way")
    return gettext("everything is in place")


def _state(count: int, hindered: set[SetupStep], step: SetupStep) -> str:
    if not count:
        return "todo"
    return "blocked" if step in hindered else "done"


def _round_options(rounds: list[tuple[str, str]], *, new: bool) -> list[tuple[str, str]]:
    """Offer the rounds there are, and a new one to who may make it; the only one is chosen."""
    options = [*rounds, *([(NEW_ROUND, gettext("a new round"))] if new else [])]
    return options if len(rounds) == 1 else [("", gettext("choose …")), *options]
