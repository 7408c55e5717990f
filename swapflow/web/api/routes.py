"""Every route of the API, under one address."""

from fastapi import APIRouter

from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.resources import (
    announcements,
    applications,
    calibration,
    cycles,
    decisions,
    files,
    imports,
    interviews,
    mails,
    meetings,
    offers,
    office,
    practice,
    reconsiderations,
    requests,
    reviewer_tasks,
    reviewers,
    rules,
    scores,
    tasks,
    values,
    webhooks,
)


PREFIX = "/api/v1"

router = APIRouter(prefix=PREFIX, route_class=ApiRoute)
for part in (
    cycles,
    rules,
    imports,
    applications,
    values,
    practice,
    reviewers,
    reviewer_tasks,
    tasks,
    requests,
    scores,
    files,
    decisions,
    calibration,
    reconsiderations,
    meetings,
    offers,
    announcements,
    interviews,
    office,
    mails,
    webhooks,
):
    router.include_router(part.router)
