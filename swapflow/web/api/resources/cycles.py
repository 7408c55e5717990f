"""Rounds and programs: make, read, launch, pause, stop, follow."""

from typing import Annotated, TypeVar

from fastapi import APIRouter, Path, Request

from swapflow.domain.cycle import START, Cycle, Position
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError
from swapflow.files.rules.rules_file import parse_rules, template
from swapflow.identity.permissions import Right
from swapflow.identity.principal import Principal, require
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import (
    MayRun,
    MaySeeApplicants,
    MaySeeProgress,
    MaySetUp,
    MaySetUpSomewhere,
    Signed,
)
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.base import Counted, coded, finite, judged
from swapflow.web.api.models.office import Me, ToDo
from swapflow.web.api.models.programs import (
    Because,
    Blocked,
    Decision,
    Event,
    Kind,
    LaunchPreview,
    NewProgram,
    NewRound,
    Obstacle,
    Program,
    Progress,
    Round,
)
from swapflow.web.api.pagination import Page, Paged, Paging
from swapflow.web.http.context import Product, TheOffice
from swapflow.web.http.dependencies import seat_view_of


router = APIRouter(route_class=ApiRoute, tags=["programs"])

WithId = TypeVar("WithId", Round, Program)

LONGEST_WAIT = 2.0
"""Seconds that a request waits for the quality of a list."""

CycleId = Annotated[str, Path(description="Short name of the program.", examples=["fall-2027"])]


@router.get("/me/to-do")
def read_to_do(principal: Signed, office: TheOffice, product: Product) -> list[ToDo]:
    """List what waits for the one who asks, over all programs."""
    return [
        ToDo(
            code=thing.code.value,
            params=dict(thing.params),
            text=thing.message,
            action=thing.action,
            program=thing.cycle_id or None,
            link=f"{product.address}{thing.path}",
        )
        for thing in office.to_do.of(principal, product.pending)
    ]


@router.get("/me")
def read_me(principal: Signed) -> Me:
    """Return who asks, and what they may do."""
    return Me(
        email=principal.account.email,
        name=principal.account.name,
        rights=sorted(right.message for right in principal.rights_anywhere),
        permissions=sorted(right.value for right in principal.rights_anywhere),
        scopes=None if principal.scopes is None else sorted(principal.scopes),
        reviews_in=sorted({cycle_id for cycle_id, _ in principal.seats}),
    )


@router.get("/rounds")
def list_rounds(principal: Signed, product: Product, paging: Paged) -> Page[Round]:
    """List the rounds in which the caller may see a program, or all for those who set them up."""
    mine = {cycle.round_id for cycle in _visible(principal, product)}
    rows = [
        Round(id=known.id, name=known.name, unit=known.unit, zone=known.zone)
        for known in product.cycles.rounds()
        if known.id in mine or principal.rights(round_id=known.id)
    ]
    rows.sort(key=lambda row: row.id)
    return _by_id(paging, rows)


@router.post("/rounds", status_code=201)
def create_round(request: Request, principal: MaySetUp, product: Product, new: NewRound) -> Round:
    """Make a round."""
    product.cycles.new_round(new.id, name=new.name, unit=new.unit, zone=new.zone)
    note(request, principal, "made a round", about=new.id)
    made = next(known for known in product.cycles.rounds() if known.id == new.id)
    return Round(id=made.id, name=made.name, unit=made.unit, zone=made.zone)


@router.delete("/rounds/{round_id}/erasures")
def forget_erasures(
    request: Request,
    round_id: Annotated[str, Path(max_length=40, description="The round.")],
    principal: MaySetUp,
    product: Product,
) -> Counted:
    """Forget whom a round erased, once it is over; says how many erasures that were."""
    forgotten = product.cycles.forget_erasures(round_id)
    note(request, principal, "forgot erasures", about=round_id, detail=f"{forgotten} people")
    return Counted(count=forgotten)


@router.get("/cycles")
def list_cycles(principal: Signed, product: Product, paging: Paged) -> Page[Program]:
    """List the programs of which the caller may see how they stand."""
    rows = sorted(map(shown_program, _visible(principal, product)), key=lambda row: row.id)
    return _by_id(paging, rows)


@router.post("/cycles", status_code=201)
def create_cycle(
    request: Request, principal: MaySetUpSomewhere, product: Product, new: NewProgram
) -> Program:
    """Make a program in draft."""
    # The route asks for the right in any round; it must be held in this one, or in the unit.
    require(principal, Right.SET_UP, cycle_id=None, round_id=new.round, unit_id=new.unit)
    text = new.rules or template(new.template)
    product.cycles.new(
        new.id,
        round_id=new.round,
        name=new.name,
        rules=parse_rules(text),
        by=principal.name,
        unit=new.unit or "",
    )
    note(request, principal, "made a program", cycle_id=new.id)
    return shown_program(product.cycles.get(new.id))


@router.get("/cycles/{cycle_id}")
def read_cycle(cycle_id: CycleId, principal: MaySeeProgress, product: Product) -> Program:
    """Read one program."""
    del principal
    return shown_program(product.cycles.get(cycle_id))


@router.get("/cycles/{cycle_id}/progress")
def read_progress(
    request: Request, cycle_id: CycleId, principal: MaySeeProgress, product: Product
) -> Progress:
    """Return how a program stands."""
    names = (
        Right.SEE_APPLICANTS
        in principal.rights(cycle_id=cycle_id, round_id=product.cycles.get(cycle_id).round_id)
        and seat_view_of(request, principal, cycle_id) is None
    )
    seen = product.reports.progress(cycle_id, seconds=LONGEST_WAIT)
    return Progress(
        program=seen.cycle_id,
        status=seen.status,
        stop_reason=seen.stop_reason,
        stop_sentence=seen.stop_sentence,
        candidates=seen.candidates,
        places=seen.places,
        too_close_to_call=seen.too_close,
        most_to_gain=finite(seen.certified_loss),
        **judged(seen.figures),
        calculating=seen.calculating,
        unit=seen.unit,
        budget=seen.budget,
        spent=seen.spent,
        committed=seen.committed,
        reserved=seen.reserved,
        kinds=[
            Kind(
                name=kind.name,
                cost=kind.cost,
                done=kind.done,
                out=kind.out,
                waiting_for_approval=kind.proposed,
                overdue=kind.overdue,
            )
            for kind in seen.kinds
        ],
        floors_missing=seen.floors_missing,
        # Progress alone shows that something is blocked, not whom it is about.
        blocked=[
            Blocked(applicant=applicant if names else "", kind=kind, reason=reason)
            for applicant, kind, reason in seen.blocked
        ],
        wishes=seen.wishes,
    )


@router.get("/cycles/{cycle_id}/launch-preview")
def preview_launch(
    request: Request, cycle_id: CycleId, principal: MayRun, product: Product
) -> LaunchPreview:
    """Return what launching a program as it stands would mean, and what keeps it from that."""
    seen = product.cycles.preview(cycle_id)
    if seat_view_of(request, principal, cycle_id) is not None:
        seen = seen.nameless()
    return LaunchPreview(
        applicants=seen.applicants,
        places=seen.places,
        reviewers=seen.reviewers,
        unit=seen.unit,
        budget=seen.budget,
        reserve=seen.reserve,
        floors=seen.floors + seen.for_draw,
        rest=seen.rest,
        days=seen.days,
        warnings=list(seen.warnings),
        warning_codes=[coded(one) for one in seen.warnings],
        obstacles=[Obstacle(step=o.step, text=o.text, code=coded(o.text)) for o in seen.obstacles],
    )


@router.post("/cycles/{cycle_id}/launch")
def launch_cycle(
    request: Request, cycle_id: CycleId, principal: MayRun, product: Product
) -> Program:
    """Start a program: the first requests go out."""
    seated = seat_view_of(request, principal, cycle_id) is not None
    product.cycles.launch(cycle_id, by=principal.name, nameless=seated)
    note(request, principal, "launched the program")
    return shown_program(product.cycles.get(cycle_id))


@router.post("/cycles/{cycle_id}/pause")
def pause_cycle(
    request: Request, cycle_id: CycleId, principal: MayRun, product: Product, why: Because
) -> Program:
    """Send and expire nothing for a while; reviews are taken."""
    product.cycles.pause(cycle_id, by=principal.name, reason=why.reason)
    note(request, principal, "paused the program")
    return shown_program(product.cycles.get(cycle_id))


@router.post("/cycles/{cycle_id}/resume")
def resume_cycle(
    request: Request, cycle_id: CycleId, principal: MayRun, product: Product, why: Because
) -> Program:
    """Go on after a pause, or against a proposed stop."""
    product.cycles.resume(cycle_id, by=principal.name, reason=why.reason)
    note(request, principal, "resumed the program")
    return shown_program(product.cycles.get(cycle_id))


@router.post("/cycles/{cycle_id}/stop")
def stop_cycle(
    request: Request, cycle_id: CycleId, principal: MayRun, product: Product, why: Because
) -> Program:
    """End the asking, so that it can be decided."""
    product.cycles.stop(cycle_id, by=principal.name, reason=why.reason)
    note(request, principal, "ended asking")
    return shown_program(product.cycles.get(cycle_id))


@router.get("/cycles/{cycle_id}/events")
def list_events(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product, paging: Paged
) -> Page[Event]:
    """Read a program's record, oldest first; each fact carries the hash of all before it."""
    del principal
    last = paging.last(int, str)
    after = START if last is None else Position(int(last[0]), str(last[1]))
    found = product.reports.timeline(cycle_id, after=after, at_most=paging.limit + 1)
    if found is None:
        raise InvalidInputError("cursor_of_record_unknown")
    rows = [
        Event(
            number=event.position.seq,
            type=event.type.value,
            at=event.at,
            hash=event.position.hash,
            payload=dict(event.payload),
        )
        for event in found
    ]
    # Long events are read a few at a time: a short page may have others behind it.
    return paging.page(
        rows,
        lambda row: [row.number, row.hash],
        more=bool(rows) and rows[-1].number < product.cycles.get(cycle_id).position.seq,
    )


@router.get("/cycles/{cycle_id}/decisions")
def list_decisions(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product, paging: Paged
) -> Page[Decision]:
    """Read the decision log, newest first."""
    del principal
    last = paging.last(int)
    found = product.reports.decisions_before(
        cycle_id, 0 if last is None else int(last[0]), at_most=paging.limit + 1
    )
    rows = [
        Decision(
            number=record.number,
            at=at,
            why=record.why,
            stop=record.stop,
            requests=len(record.picks),
            rules_version=record.rules_version,
            too_close_to_call=list(record.contested),
        )
        for record, at in found
    ]
    return paging.page(rows, lambda row: [row.number])


def _visible(principal: Principal, product: Swapflow) -> list[Cycle]:
    return [
        cycle
        for cycle in product.cycles.list()
        if Right.SEE_PROGRESS in principal.rights(cycle_id=cycle.id, round_id=cycle.round_id)
    ]


def _by_id(paging: Paging, rows: list[WithId]) -> Page[WithId]:
    last = paging.last(str)
    return paging.page(
        [row for row in rows if last is None or row.id > str(last[0])], lambda row: [row.id]
    )


def shown_program(cycle: Cycle) -> Program:
    """Return a program as the API shows it."""
    return Program(
        id=cycle.id,
        round=cycle.round_id,
        name=cycle.name,
        status=cycle.status,
        stop_reason=cycle.stop_reason,
        rules_version=cycle.rules_version,
        spent=cycle.spent,
        committed=cycle.committed,
        decisions=cycle.decisions,
        list_version=cycle.cohort_version,
        events=cycle.position.seq,
        created_at=cycle.created_at,
        practice_of=cycle.practice_of,
    )
