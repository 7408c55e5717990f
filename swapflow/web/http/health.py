"""Whether this process lives, and whether it can do its work: for supervisors and proxies."""

from fastapi import APIRouter, Depends
from fastapi.responses import PlainTextResponse

from swapflow.bootstrap import why_unwritable
from swapflow.errors import UnavailableError
from swapflow.web.http.context import Product, TheSettings
from swapflow.web.http.dependencies import anybody


router = APIRouter(prefix="/health", dependencies=[Depends(anybody)])


@router.get("/live")
def live() -> PlainTextResponse:
    """Answer that the process is alive."""
    return PlainTextResponse("live")


@router.get("/ready")
def ready(product: Product, settings: TheSettings) -> PlainTextResponse:
    """Check whether the database answers and takes more; reviews are taken while Redis is away."""
    try:
        product.cycles.now()
    except UnavailableError:
        return PlainTextResponse("the database does not answer", status_code=503)
    problem = why_unwritable(settings)
    if problem:
        told = f"nothing can be stored ({problem}): make room on the disk of the data folder"
        return PlainTextResponse(told, status_code=503)
    return PlainTextResponse("ready")
