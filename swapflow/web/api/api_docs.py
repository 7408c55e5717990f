"""The API's description: as a file for programs, as pages for people."""

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from swapflow.web.api import openapi
from swapflow.web.api.routes import PREFIX
from swapflow.web.http.dependencies import anybody
from swapflow.web.http.rendering import render


router = APIRouter(dependencies=[Depends(anybody)], include_in_schema=False)

OPENAPI = f"{PREFIX}/openapi.json"


@router.get(OPENAPI)
def read_description() -> Response:
    """Return the description in OpenAPI 3.1."""
    return Response(openapi.text(), media_type="application/json")


@router.get("/api/docs")
def show_description(request: Request) -> Response:
    """Show the description, with a form for trying each call."""
    return render(request, "api_docs.html", {"openapi": OPENAPI})
