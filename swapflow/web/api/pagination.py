"""Long lists in pages: a cursor names the last row seen, so rows that come in move nothing."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import BaseModel, Field

from swapflow.errors import InvalidInputError
from swapflow.untrusted.json_text import load_json


MOST = 1000
LONGEST_CURSOR = 400
HIGHEST = 2**62
"""A number that every database can hold, and no list reaches."""

T = TypeVar("T")
Key = int | str


class Page(BaseModel, Generic[T]):
    """A part of a list."""

    items: list[T]
    next: str | None = Field(
        description="Cursor of the next page; null on the last one. The Link header has it too."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """Which page is asked for."""

    request: Request
    response: Response
    limit: int
    cursor: str

    def last(self, *kinds: type[Key]) -> list[Key] | None:
        """Read the cursor: the key of the last row seen; None on the first page.

        Raises:
            InvalidInputError: If it is none that this list gave.
        """
        if not self.cursor:
            return None
        try:
            padded = self.cursor + "=" * (-len(self.cursor) % 4)
            key = load_json(
                base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
            )
        except (ValueError, binascii.Error) as error:
            raise _unknown() from error
        # The type itself, for True passes as an int.
        fits = isinstance(key, list) and [type(part) for part in key] == list(kinds)
        if not fits or any(isinstance(part, int) and not 0 <= part < HIGHEST for part in key):
            raise _unknown()
        if any(isinstance(part, str) and not part.isprintable() for part in key):
            raise _unknown()
        return list(key)

    def page(
        self, rows: Sequence[T], key: Callable[[T], list[Key]], *, more: bool = False
    ) -> Page[T]:
        """Build a page of the rows read: one above `limit`, or `more`: others follow."""
        shown = list(rows[: self.limit])
        more = bool(shown) and (more or len(rows) > self.limit)
        following = _spelled(key(shown[-1])) if more else None
        if following is not None:
            query = {**self.request.query_params, "cursor": following}
            address = self.request.url.replace(query=urlencode(query))
            self.response.headers["Link"] = f'<{address}>; rel="next"'
        return Page(items=shown, next=following)

    def after(self, rows: Sequence[T], key: Callable[[T], int]) -> Page[T]:
        """Build a page of a list that is at hand as a whole, in the order of its numbers."""
        last = self.last(int)
        start = -1 if last is None else int(last[0])
        rest = [row for row in rows if key(row) > start]
        return self.page(rest, lambda row: [key(row)])


def _paging(
    request: Request,
    response: Response,
    limit: Annotated[int, Query(ge=1, le=MOST, description="Most rows of a page.")] = 100,
    cursor: Annotated[
        str,
        Query(max_length=LONGEST_CURSOR, description="`next` of the page before; opaque."),
    ] = "",
) -> Paging:
    return Paging(request=request, response=response, limit=limit, cursor=cursor)


Paged = Annotated[Paging, Depends(_paging)]

Searched = Annotated[
    str,
    Query(
        alias="q",
        max_length=100,
        description="Only those in whose name, id or mail address every word occurs; case and "
        "accents do not count.",
    ),
]


def _spelled(key: list[Key]) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def _unknown() -> InvalidInputError:
    return InvalidInputError("cursor_unknown")
