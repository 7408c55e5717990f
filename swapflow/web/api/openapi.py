"""The API's description: OpenAPI 3.1, made from the routes; `docs/openapi.json` is a copy of it.

`python -m swapflow.web.api.openapi` prints it.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from swapflow.web.api.idempotency import HEADER, LONGEST_KEY
from swapflow.web.api.models.base import Problem
from swapflow.web.api.routes import router


VERSION = "1.0.0"

ABOUT = """Everything that the pages do, for programs.

**Who asks.** `Authorization: Bearer sf_…` with a key that a person makes under *Keys for
programs*, or the session of a signed-in browser. A key has scopes (read, write, review, webhooks),
and may do the smaller of what they let through and what its account may.

**Sent twice, done once.** Every write takes an `Idempotency-Key`. The same request under the same
key is answered with the same words for 24 hours (`Idempotency-Replayed: true`); another request
under it is refused (422), and one that is still being carried out too (409). If the server dies
between act and answer, a repeat after a minute acts again; acts are conditional, so nothing is
done twice, and the answer may say that it was done already.

**Long lists** come in pages: `next` is the cursor of the following one, also in the Link header.

**Errors** are `application/problem+json` (RFC 9457). `code` is the stable name of what went wrong
and `params` what it is about; `detail` is both as an English sentence, whose wording may change.

**Webhooks** are called with `Swapflow-Id`, `Swapflow-Event` and `Swapflow-Signature:
t=TIME,v1=HMAC`, the HMAC-SHA256 in hex over `TIME.BODY` under the secret. Each event is told at
least once; a duplicate has the same `Swapflow-Id`. Whatever is answered but 2xx is told again,
with growing waits, for about a day.
"""

REFUSALS = {
    "400": "The request cannot be read.",
    "401": "There is no key or session, or it is not good any more.",
    "403": "The caller, or the key, lacks the right.",
    "404": "There is no such thing that the caller may see.",
    "409": "Things have moved on since they were read, or the same request is being carried out.",
    "413": "The request is too big.",
    "422": "It cannot be used as it is: `errors` or `detail` name the field and the cure.",
    "429": "Too often; Retry-After says when to go on.",
    "503": "A part of swapflow does not answer; try again.",
}
_READING = ("401", "403", "404", "422", "429", "503")
_SECURITY: list[dict[str, list[str]]] = [{"key": []}, {"session": []}]


@cache
def document() -> dict[str, Any]:
    """Build the description."""
    # An application of its own: the real one has the pages too.
    described = FastAPI(title="swapflow")
    described.include_router(router)
    made = get_openapi(
        title="swapflow",
        version=VERSION,
        description=ABOUT,
        routes=described.routes,
    )
    schemas = made["components"]["schemas"]
    # The framework's own description of bad input; here every refusal is a problem (RFC 9457).
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = Problem.model_json_schema()
    made["components"]["securitySchemes"] = {
        "key": {"type": "http", "scheme": "bearer", "description": "A key, `sf_…`."},
        "session": {"type": "apiKey", "in": "cookie", "name": "swapflow"},
    }
    made["components"]["responses"] = {
        f"Refused{status}": {
            "description": said,
            "content": {
                "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
            },
        }
        for status, said in REFUSALS.items()
    }
    made["security"] = _SECURITY
    for method, operation in _operations(made):
        _complete(method, operation)
    return made


def text() -> str:
    """Format the description as it is committed."""
    return json.dumps(document(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _operations(made: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in made["paths"].values():
        yield from path.items()


def _complete(method: str, operation: dict[str, Any]) -> None:
    """Name the operation, the refusals that it may meet, and the header that writes take."""
    # Without the path, which the framework appends: generated clients name their methods by it.
    operation["operationId"] = operation["operationId"].split("_api_v1", 1)[0]
    statuses = _READING if method == "get" else tuple(REFUSALS)
    for status in statuses:
        operation["responses"][status] = {"$ref": f"#/components/responses/Refused{status}"}
    if method != "get":
        operation.setdefault("parameters", []).append(
            {
                "name": HEADER,
                "in": "header",
                "required": False,
                "description": "Names this request, so that sending it again does nothing more.",
                "schema": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": LONGEST_KEY,
                    "pattern": r"^[\x20-\x7e]+$",
                },
            }
        )


if __name__ == "__main__":
    sys.stdout.write(text())
