"""Every route of the API, under one address."""

from fastapi import APIRouter

from swapflow.web.api import (
    applications,
    cycles,
    decisions,
    offices,
    reviewers,
    scores,
    tasks,
    webhooks,
)
from swapflow.web.api.idempotency import ApiRoute


PREFIX = "/api/v1"

router = APIRouter(prefix=PREFIX, route_class=ApiRoute)
for part in (cycles, applications, reviewers, tasks, scores, decisions, offices, webhooks):
    router.include_router(part.router)
