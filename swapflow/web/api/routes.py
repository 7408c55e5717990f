"""Every route of the API, under one address."""

from fastapi import APIRouter

from swapflow.web.api import (
    applications,
    calibration,
    cycles,
    decisions,
    files,
    imports,
    interviews,
    letters,
    mails,
    meetings,
    offers,
    offices,
    reconsiderations,
    reviewers,
    scores,
    seats,
    tasks,
    webhooks,
)
from swapflow.web.api.idempotency import ApiRoute


PREFIX = "/api/v1"

router = APIRouter(prefix=PREFIX, route_class=ApiRoute)
for part in (
    cycles,
    imports,
    applications,
    reviewers,
    seats,
    tasks,
    scores,
    files,
    decisions,
    calibration,
    reconsiderations,
    meetings,
    offers,
    letters,
    interviews,
    offices,
    mails,
    webhooks,
):
    router.include_router(part.router)
