"""The web application: its middlewares and its routers, in their order."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI, Request
from fastapi.responses import RedirectResponse
from fastapi.telemetry import TelemetryConfig
from starlette.middleware.gzip import GZipMiddleware

from swapflow.advice.trial.limits import MOST_BYTES
from swapflow.engine.services import Swapflow
from swapflow.identity.services import Office
from swapflow.instrumentation.tracing import TracedRequests, is_on
from swapflow.settings import Settings
from swapflow.web.account import (
    api_keys,
    audit_log,
    backups,
    groups,
    kept_data,
    mail_check,
    profile,
    program_unit,
    provider,
    reviews_link,
    sign_in,
    units,
    users,
)
from swapflow.web.account.openid_client import Hop, OpenIdProvider
from swapflow.web.api import api_docs, routes
from swapflow.web.cohort import (
    announcements,
    applicant_answers,
    decision,
    decision_card,
    downloads,
    meeting,
    meeting_applicant,
    monitoring,
    offers,
    outcomes,
    reconsiderations,
    result,
)
from swapflow.web.cycle import (
    approvals,
    calibration,
    charts,
    exchange,
    imports,
    interviews,
    mail_log,
    offline_sheets,
    proposed_dates,
    reviewer_columns,
)
from swapflow.web.cycle.today import (
    activity,
    decisions,
    evidence,
    program,
    system,
    waiting,
)
from swapflow.web.cycle.today import (
    home as to_do,
)
from swapflow.web.http import health, language, server_events
from swapflow.web.http.acts.once import ActOnce
from swapflow.web.http.bounded_writes import BoundedWrites
from swapflow.web.http.context import AppContext
from swapflow.web.http.dependencies import Signed, anybody
from swapflow.web.http.error_handlers import add_handlers, answer_error
from swapflow.web.http.forwarding import ForwardedClients
from swapflow.web.http.middleware import OwnHost, SameSiteOnly, SecurityHeaders, SmallBodies
from swapflow.web.http.rendering import STATIC, places_of
from swapflow.web.http.shutdown import ShutdownMiddleware
from swapflow.web.http.static_files import StaticFilesInMemory
from swapflow.web.people import (
    applicant_acts,
    applicants,
    batches,
    find,
    panel,
    personal_data,
    reviewer_acts,
    reviewer_voids,
    reviewers,
)
from swapflow.web.reviewing import decline, documents, offline, review, task_list
from swapflow.web.reviewing import practice as own_practice
from swapflow.web.setup import (
    copies,
    launch,
    practice,
    programs,
    questions,
    rubrics,
    rules,
    try_spreadsheet,
    values,
)


ORDINARY_BODY = 512_000
"""Bytes of a request without files: a review with long remarks is a tenth of it."""


AROUND_A_FILE = 100_000
"""Bytes of a form beside its file."""


THREADS = 6
"""Requests that one process works on at the same time.

Threads share one interpreter's lock: with forty, a transaction waits behind each busy one for
every step, and everybody waits for the transaction. With 200 people typing, six took a third of
the time (`make load-web`).
"""


NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""The framework's own spans hold addresses as asked for, with mailed links and codes in them."""


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[None]:
    """Bound the threads of this process, and tidy up, while it serves."""
    current_default_thread_limiter().total_tokens = THREADS
    async with try_spreadsheet.tidied(app):
        yield


def create_app(
    product: Swapflow,
    office: Office,
    settings: Settings,
    *,
    note_proxy: Callable[[str], None] | None = None,
) -> FastAPI:
    """Build the web application on an app context that exists already.

    Args:
        product: The services of the cycles.
        office: The services around them.
        settings: The deployment.
        note_proxy: Takes the address of a proxy that nobody trusts; must not block.
    """
    app = FastAPI(
        title="swapflow",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=serving,
        telemetry=NO_TELEMETRY,
    )
    app.state.app = AppContext(product=product, office=office, settings=settings)
    app.state.provider = OpenIdProvider(settings) if settings.provider else None
    add_handlers(app)
    app.mount("/static", StaticFilesInMemory(directory=STATIC), name="static")
    app.get("/", dependencies=[Depends(anybody)])(home)
    # Where paths overlap the first one added answers: a fixed word comes before a pattern, as
    # `/reviewers/{cycle}/sheets` before `/reviewers/{cycle}/{number}`. A request is compared with
    # each path before its own: the two parts that reviewers who type ask all the time come first.
    for part in (
        review,
        task_list,
        health,
        language,
        sign_in,
        reviews_link,
        provider,
        applicant_answers,
        profile,
        offline,
        own_practice,
        decline,
        documents,
        interviews,
        proposed_dates,
        reviewer_columns,
        users,
        groups,
        units,
        program_unit,
        audit_log,
        kept_data,
        backups,
        mail_check,
        monitoring,
        mail_log,
        system,
        try_spreadsheet,
        programs,
        launch,
        questions,
        rules,
        values,
        rubrics,
        copies,
        practice,
        exchange,
        imports,
        decision,
        outcomes,
        result,
        calibration,
        reconsiderations,
        meeting,
        meeting_applicant,
        offers,
        announcements,
        downloads,
        charts,
        approvals,
        to_do,
        activity,
        waiting,
        decisions,
        evidence,
        program,
        server_events,
        batches,
        applicant_acts,
        applicants,
        find,
        panel,
        personal_data,
        decision_card,
        offline_sheets,
        reviewer_voids,
        reviewers,
        reviewer_acts,
        api_docs,
        api_keys,
    ):
        app.include_router(part.router)
    app.include_router(routes.router)
    # The last one added comes first.
    app.add_middleware(ShutdownMiddleware)
    app.add_middleware(ActOnce, refuse=answer_error)
    if settings.provider:
        app.add_middleware(Hop, settings=settings)
    app.add_middleware(GZipMiddleware, minimum_size=800, compresslevel=5)
    app.add_middleware(
        SmallBodies,
        most=ORDINARY_BODY,
        uploads=settings.upload_mb * 1_000_000 + AROUND_A_FILE,
        smaller={try_spreadsheet.PATH: MOST_BYTES + AROUND_A_FILE},
    )
    app.add_middleware(OwnHost, address=settings.address)
    app.add_middleware(BoundedWrites)
    app.add_middleware(SameSiteOnly)
    app.add_middleware(SecurityHeaders, secure=settings.secure)
    app.add_middleware(language.LanguageMiddleware, settings=settings)
    if is_on():
        app.add_middleware(TracedRequests)
    app.add_middleware(ForwardedClients, trusted=settings.trusted_proxies, note=note_proxy)
    return app


def home(request: Request, principal: Signed) -> RedirectResponse:
    """Redirect each person to where their work is: reviewers to the inbox, staff to Today."""
    del request
    places = places_of(principal, None)
    return RedirectResponse(places[0][1] if places else "/inbox", status_code=303)
