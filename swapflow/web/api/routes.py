"""Every route of the API, under one address."""

from fastapi import APIRouter

from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.resources import (
    announcements,
    applications,
    backups,
    calibration,
    copies,
    cycles,
    decisions,
    exchange,
    files,
    groups,
    imports,
    interviews,
    mails,
    meetings,
    offers,
    office,
    practice,
    reconsiderations,
    requests,
    retention,
    reviewer_tasks,
    reviewers,
    rules,
    scores,
    tasks,
    units,
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
    copies,
    practice,
    reviewers,
    reviewer_tasks,
    tasks,
    requests,
    scores,
    files,
    decisions,
    exchange,
    calibration,
    reconsiderations,
    meetings,
    offers,
    announcements,
    interviews,
    office,
    groups,
    retention,
    backups,
    units,
    mails,
    webhooks,
):
    router.include_router(part.router)
router.include_router(exchange.pieces)
router.include_router(mails.check)
