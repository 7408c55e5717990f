"""What every act at the API leaves in the audit log."""

from fastapi import Request

from swapflow.identity.principal import Principal
from swapflow.web.http.context import app_context


def author_of(principal: Principal) -> str:
    """Name who acts at the API as the audit log does: a person, or their key."""
    return principal.name if principal.scopes is None else f"{principal.name} (by a key)"


def note(
    request: Request,
    principal: Principal,
    what: str,
    *,
    about: str = "",
    detail: str = "",
    cycle_id: str | None = None,
) -> None:
    """Write a line into the audit log; the path names the cycle, unless it is named here."""
    app_context(request).office.audit_log.record(
        author_of(principal),
        what,
        cycle_id=cycle_id or request.path_params.get("cycle_id"),
        about=about,
        detail=detail,
    )
