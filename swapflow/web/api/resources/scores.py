"""Scores as staff see them: read, correct, void, keep and admit what nobody had asked for."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Request

from swapflow.domain.ids import cycle_of
from swapflow.domain.reviewing import score as stored
from swapflow.domain.reviewing.score import reason_code
from swapflow.engine.ports.records import TaskRecord
from swapflow.engine.reviewing.submitted_score import review_revision
from swapflow.engine.scoring.volunteered import Volunteered
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, NotFoundError
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MayEnterReviews, MaySeeApplicants
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.base import Counted
from swapflow.web.api.models.programs import Because
from swapflow.web.api.models.scores import Correction, Ids, NewScores, Numbered, Score, Voiding
from swapflow.web.api.pagination import Page, Paged
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.resources.tasks import answer_of
from swapflow.web.api.revisions import MadeFrom
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import seat_view_of


router = APIRouter(prefix="/cycles/{cycle_id}", route_class=ApiRoute, tags=["scores"])

ScoreId = Annotated[str, Path(max_length=200, description="As the list of scores gives it.")]


@router.get("/scores")
def list_scores(
    request: Request,
    cycle_id: CycleId,
    principal: MaySeeApplicants,
    product: Product,
    paging: Paged,
) -> Page[Score]:
    """List scores as they stand, in the order of their ids."""
    seat = seat_view_of(request, principal, cycle_id)
    last = paging.last(str)
    kinds = [kind.name for kind in product.cycles.rules(cycle_id).kinds]
    rows = [
        shown_score(score, kinds)
        for _, score in sorted(standing_scores(product, cycle_id).items())
        if (last is None or score.assignment_id > str(last[0]))
        and (seat is None or seat.sees(score.application))
    ]
    return paging.page(rows, lambda row: [row.id])


def standing_scores(product: Swapflow, cycle_id: str) -> dict[str, stored.Score]:
    """Read the scores of a program as they stand, by assignment id."""
    return {score.assignment_id: score for score in product.scores.list(cycle_id)}


def shown_score(score: stored.Score, kinds: Sequence[str]) -> Score:
    """Return a score as JSON; `kinds` are the names of the rules' kinds."""
    return Score(
        id=score.assignment_id,
        applicant=score.application,
        kind=kinds[score.kind],
        reviewer=score.reviewer,
        score=score.value / 10_000,
        counts=score.counts,
        reason=score.reason,
        reason_code=reason_code(score.reason),
        origin=score.origin.value,
        late=None if score.late is None else score.late.value,
        typed_by=score.typed_by or None,
        revision=score.revision,
        submitted_at=score.submitted_at,
    )


@router.post("/scores/{score}/correction")
def correct_score(
    request: Request,
    cycle_id: CycleId,
    score: ScoreId,
    principal: MayEnterReviews,
    product: Product,
    new: Correction,
    precondition: MadeFrom,
) -> Numbered:
    """Put another score in the place of one; the old one stays on record."""
    task = _find(product, cycle_id, score)
    answer = answer_of(new.marks, new.score, product.tasks.form(task), remark=new.remark)
    number = product.scores.correct(
        answer,
        by=principal.name,
        reason=new.reason,
        saw_others=new.saw_others,
        made_from=precondition.made_from,
    )
    precondition.tag(review_revision(product.tasks.score(score)))
    note(request, principal, "corrected a score", about=score, detail=new.reason)
    return Numbered(number=number)


@router.post("/scores/void")
def void_scores(
    request: Request,
    cycle_id: CycleId,
    principal: MayEnterReviews,
    product: Product,
    what: Voiding,
) -> Counted:
    """Make scores count no more; says how many did before."""
    for name in what.scores:  # all are there, or none is touched
        _find(product, cycle_id, name)
    voided = product.scores.void(
        what.scores, by=principal.name, reason=what.reason, made_from=what.made_from
    )
    note(
        request, principal, "voided scores", about=f"{len(what.scores)} scores", detail=what.reason
    )
    return Counted(count=voided)


@router.post("/scores/restore")
def restore_scores(
    request: Request,
    cycle_id: CycleId,
    principal: MayEnterReviews,
    product: Product,
    what: Voiding,
) -> Counted:
    """Undo voids, so that the scores count again: all of them, or none."""
    for name in what.scores:
        _find(product, cycle_id, name)
    restored = product.scores.restore(
        what.scores, by=principal.name, reason=what.reason, made_from=what.made_from
    )
    note(request, principal, "undid voids", about=f"{restored} scores", detail=what.reason)
    return Counted(count=restored)


@router.post("/scores/volunteered", status_code=201)
def keep_scores(
    request: Request,
    cycle_id: CycleId,
    principal: MayEnterReviews,
    product: Product,
    new: NewScores,
) -> Ids:
    """Keep scores that nobody had asked for; none counts until staff admit it."""
    applications = {a.external_id: a.number for a in product.applicants.list(cycle_id)}
    reviewers = {r.external_id: r.number for r in product.reviewers.list(cycle_id)}
    rules = product.cycles.rules(cycle_id)
    kept = []
    for row in new.scores:
        kind = rules.kind_index(row.kind)
        if row.applicant not in applications or row.reviewer not in reviewers or kind < 0:
            raise InvalidInputError(
                "score_pair_unknown", applicant=row.applicant, reviewer=row.reviewer, kind=row.kind
            )
        kept.append(
            Volunteered(
                application=applications[row.applicant],
                kind=kind,
                reviewer=reviewers[row.reviewer],
                utility=row.score / 100,
                typed_by=principal.name,
                remark=row.remark,
            )
        )
    ids = product.scores.volunteer(cycle_id, kept, imported=True)
    note(request, principal, "kept volunteered scores", about=f"{len(ids)} scores")
    return Ids(ids=list(ids))


@router.post("/scores/{score}/admission")
def admit_score(
    request: Request,
    cycle_id: CycleId,
    score: ScoreId,
    principal: MayEnterReviews,
    product: Product,
    why: Because,
) -> Numbered:
    """Admit a score that nobody had asked for."""
    _find(product, cycle_id, score)
    number = product.scores.admit(score, by=principal.name, reason=why.reason)
    note(request, principal, "admitted a score", about=score, detail=why.reason)
    return Numbered(number=number)


def _find(product: Swapflow, cycle_id: str, score: str) -> TaskRecord:
    """Find a score's assignment in this program; another program's is not there at all."""
    if cycle_of(score) == cycle_id and score.isprintable():
        return product.tasks.task(score)
    raise NotFoundError("score_unknown", score=score)
