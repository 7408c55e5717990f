"""What an act did, from the route that did it to the page that is shown next."""

import json
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from swapflow.identity.principal import Principal
from swapflow.messages import Message, plain, restored
from swapflow.web.http.context import app_context


FIELD = "act"
"""Hidden field of every form: a number of the page that the form came with."""

AGAIN = "again"
"""Marks a cookie that tells of a repeat."""


def tell(request: Request, done: Message) -> None:
    """Store what was done; the page that is shown next tells it."""
    request.state.done = done


def said(request: Request) -> Message | None:
    """Return what a route has said that it did."""
    done: Message | None = getattr(request.state, "done", None)
    return done


def told_cookie(*, secure: bool) -> str:
    """Name the cookie that leads from an act to the page that tells of it."""
    return "__Host-swapflow-told" if secure else "swapflow-told"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActOutcome:
    """What became of an act, as it is stored for its repeats.

    Attributes:
        to: The path that its answer led to; "" where its answer was a page.
        done: What was done; None where the page that it led to says so itself.
    """

    to: str
    done: str | None

    def text(self) -> str:
        """Return it as it is stored."""
        return json.dumps({"to": self.to, "done": None if self.done is None else plain(self.done)})

    @staticmethod
    def of(body: str) -> "ActOutcome":
        """Read what `text` made; an erasure may have emptied it."""
        kept = json.loads(body or "{}")
        done = kept.get("done")
        return ActOutcome(to=kept.get("to", ""), done=None if done is None else restored(done))


@dataclass(frozen=True, slots=True, kw_only=True)
class ActNotice:
    """What a page tells of the act that led to it.

    Attributes:
        message: What was done.
        again: Whether this was a repeat, which did nothing.
    """

    message: str
    again: bool


def told(request: Request, principal: Principal | None) -> ActNotice | None:
    """Return what the act did that led to this page; None when no act has."""
    name = told_cookie(secure=app_context(request).settings.secure)
    key, _, how = request.cookies.get(name, "").partition(".")
    # Looked up, never shown as it came: only acts of this account are found.
    if not key or principal is None or request.method != "GET":
        return None
    stored = app_context(request).office.api_clients.known_act(principal.account.id, key)
    if stored is None:
        return None
    done, again = ActOutcome.of(stored.body).done, how == AGAIN
    if done is None:
        return ActNotice(message=Message("act_repeated_plain"), again=True) if again else None
    return ActNotice(message=Message("act_repeated", done=done) if again else done, again=again)


def forget(request: Request, response: Response) -> None:
    """Tell of an act once."""
    secure = app_context(request).settings.secure
    if told_cookie(secure=secure) in request.cookies:
        response.delete_cookie(
            told_cookie(secure=secure), path="/", secure=secure, httponly=True, samesite="lax"
        )


def with_field(page: str, key: str) -> str:
    """Add the number of the page to each of its forms that is posted.

    Templates are not asked to: one that forgot would act twice. What people typed is escaped, so
    the words of a form's tag are the template's own.
    """
    hidden = f'<input type="hidden" name="{FIELD}" value="{key}">'
    parts = page.split("<form ")
    for place, part in enumerate(parts[1:], start=1):
        tag, end, rest = part.partition(">")
        if 'method="post"' in tag:
            parts[place] = f"{tag}{end}{hidden}{rest}"
    return "<form ".join(parts)
