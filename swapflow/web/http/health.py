"""Whether this process lives, and whether it can do its work: for supervisors and proxies."""

from fastapi import APIRouter, Depends
from fastapi.responses import PlainTextResponse

from swapflow.errors import UnavailableError
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import anybody


router = APIRouter(prefix="/health", dependencies=[Depends(anybody)])


@router.get("/live")
def live() -> PlainTextResponse:
    """Answer that the process is alive."""
    return PlainTextResponse("live")


@router.get("/ready")
def ready(product: Product) -> PlainTextResponse:
    """Check whether the database answers; reviews are taken while Redis is away."""
    try:
        product.cycles.now()
    except UnavailableError:
        return PlainTextResponse("the database does not answer", status_code=503)
    return PlainTextResponse("ready")
