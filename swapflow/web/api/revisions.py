"""Which revision a write was made from: `ETag` of what was read, `If-Match` of what is written."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request, Response

from swapflow.domain.seal import NOTHING
from swapflow.web.http.context import app_context


ANY = "*"
"""What `If-Match` holds in a request that overwrites whatever is there, and says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Precondition:
    """What a write was made from, and the answer that says what it came to.

    Attributes:
        made_from: The revision of `If-Match`; "" without one.
    """

    made_from: str
    response: Response

    def tag(self, revision: str) -> None:
        """Put the revision of what is stored now into the answer's `ETag`."""
        tag(self.response, revision)

    def done(self, revision: str) -> Response:
        """Build the answer of a write that has nothing to say but the new revision."""
        answer = Response(status_code=204)
        tag(answer, revision)
        return answer


async def _precondition(
    request: Request,
    response: Response,
    if_match: Annotated[
        str | None,
        Header(
            max_length=200,
            description="The `ETag` of what this was made from, or the row's `revision`; "
            f'`"{NOTHING}"` where nothing was stored. If something else is stored by now, the '
            "answer is 409 and holds it. Requests without it overwrite what is stored; from 1.0 "
            "on they are answered with 428.",
        ),
    ] = None,
) -> Precondition:
    """Read the revision that a request was made from; count those without."""
    if if_match is None:
        app_context(request).office.api_clients.note_unconditional()
    revision = (if_match or "").strip().removeprefix("W/").strip('"')
    return Precondition(made_from="" if revision == ANY else revision, response=response)


MadeFrom = Annotated[Precondition, Depends(_precondition)]
"""The revision that a request was made from, and the answer to it."""


def tag(response: Response, revision: str) -> None:
    """Put the revision of what is answered into the answer's `ETag`."""
    response.headers["ETag"] = f'"{revision}"'
