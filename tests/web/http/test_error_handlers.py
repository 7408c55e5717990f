"""What visitors are told while a server behind the pages is away."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from swapflow.engine.services import compose
from swapflow.identity.services import compose_office
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.web.app import create_app
from swapflow.web.http import error_handlers, rendering
from swapflow.web.http.dependencies import cookie_name
from tests.web.site import Site


@pytest.fixture
def principal(site: Site) -> Iterator[TestClient]:
    """A person with a cookie, before pages whose database nobody has started."""
    away = SqlLedger("postgresql://keeper:hidden@127.0.0.1:9/books")
    parts = site.app.state.app
    app = create_app(
        compose(replace(parts.product.context, ledger=away)),
        compose_office(replace(parts.office.context, ledger=away.office())),
        parts.settings,
    )
    with TestClient(app) as client:
        client.cookies.set(cookie_name(secure=parts.settings.secure), "a" * 43)
        yield client
    away.dispose()


@pytest.mark.parametrize("path", ["/inbox", "/today", "/api/v1/cycles"])
def test_nobody_outside_learns_where_the_database_is_and_who_may_enter(
    principal: TestClient, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = principal.get(path)

    assert answer.status_code == 503
    assert "the database does not answer" in answer.text.lower()
    assert not {word for word in ("keeper", "hidden", "127.0.0.1", "books") if word in answer.text}
    logged = "".join(capfd.readouterr())
    assert "keeper" in logged
    assert "hidden" not in logged


def test_no_page_about_an_error_asks_the_database_for_what_other_pages_show() -> None:
    source = Path(error_handlers.__file__).read_text(encoding="utf-8")
    shown = {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and str(node.value).endswith(".html")
    }

    assert shown == rendering._ERRORS
