"""A program that is run through the API, and what a good review sends."""

from typing import Any

from starlette.testclient import TestClient

from swapflow.identity.api_keys import make_token
from swapflow.identity.permissions import SCOPES, Role, Scope
from tests.web.client import Browser
from tests.web.site import ADDRESS, Site


V1 = "/api/v1"

GOOD: dict[str, Any] = {"marks": {"Preparation": 3, "Promise": 2}, "remark": "clear"}


def program(
    site: Site,
    role: Role | None = Role.ADMINISTRATOR,
    *,
    scopes: tuple[str, ...] = tuple(SCOPES),
    email: str = "",
    cycle: str = "",
) -> TestClient:
    """A program with a person's key, and no cookie."""
    account = site.account(email or f"{role.value if role else 'nobody'}@example.org")
    if role is not None:
        reach = (Scope.CYCLE, cycle) if cycle else (Scope.OFFICE, "")
        site.office.users.grant(account, role, *reach, by="test")
    key, _ = make_token(
        account, name="a program", scopes=scopes, days=30, ledger=site.office.context.ledger
    )
    client = Browser(site.app, base_url=ADDRESS, follow_redirects=False)
    client.headers["Authorization"] = f"Bearer {key}"
    return client
