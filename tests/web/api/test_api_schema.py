"""The running server against its own description: requests that nobody would write by hand."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import uvicorn

from swapflow.identity.api_keys import make_token
from swapflow.identity.permissions import SCOPES, Role, Scope
from swapflow.identity.principal import Principal
from swapflow.identity.services import Office, compose_office
from swapflow.web.app import create_app
from tests.support.waiting import CAP, wait_until
from tests.web.everyone import busy
from tests.web.site import Site


GENERATING_SECONDS = 150
PATIENCE = 400
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "ignored_auth",
)


REJECTED = 'expected-statuses = ["400", "401", "403", "404", "405", "413", "415", "422"]'
"""How a request may be rejected that breaks the description; being too big is one way."""


class Patient:
    """A limiter that lets everything through: thousands of requests a minute are wanted here."""

    def hit(self, name: str, key: str, *, times: int, seconds: int) -> int:
        del name, key, times, seconds
        return 0

    def give_back(self, name: str, key: str, *, times: int, seconds: int) -> None:
        pass

    def forget(self, name: str, key: str, *, times: int, seconds: int) -> None:
        pass

    def note(self, name: str) -> None:
        del name


@contextmanager
def serving(site: Site) -> Iterator[str]:
    """Serve a site on a free port from a thread; gives its address."""
    office: Office = compose_office(replace(site.office.context, limiter=Patient()))
    app = create_app(site.product, office, site.settings)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started or not thread.is_alive(), what="the pages are served")
    assert thread.is_alive()
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(CAP)


@pytest.mark.system
@pytest.mark.slow
def test_no_request_makes_the_api_fail_or_answer_what_it_does_not_describe(
    site: Site, tmp_path: Path
) -> None:
    busy(site)
    roster = site.product.reviewers.list("fall")
    reviewer = next(r for r in roster if site.product.tasks.inbox("fall", r.external_id))
    account = site.account(reviewer.email)
    site.office.users.grant(account, Role.ADMINISTRATOR, Scope.OFFICE, by="test")
    key, _ = make_token(
        account,
        name="schemathesis",
        scopes=tuple(SCOPES),
        days=1,
        ledger=site.office.context.ledger,
    )
    webhook = site.office.webhooks.make(
        Principal(account=account, session="", grants=(), seats=()),
        "https://example.org/hook",
        events=["score.received"],
        cycle_id="fall",
        reach=site.settings.reach,
    )
    task = site.product.tasks.inbox("fall", reviewer.external_id)[0]
    known = {
        "cycle_id": "fall",
        "task": site.product.tasks.code(task.id),
        "score": site.product.scores.list("fall")[0].assignment_id,
        "pull": task.pull_id,
        "webhook_id": webhook.id,
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in known.items()]
    (tmp_path / "schemathesis.toml").write_text(
        "\n".join(("[parameters]", *lines, "[checks.negative_data_rejection]", REJECTED)) + "\n"
    )

    with serving(site) as address:
        done = subprocess.run(
            [
                Path(sys.executable).parent / "schemathesis",
                "run",
                f"{address}/api/v1/openapi.json",
                *("-H", f"Authorization: Bearer {key}"),
                *("--checks", ",".join(CHECKS)),
                *("--phases", "examples,coverage,fuzzing"),
                *("--max-examples", "3", "--max-time", str(GENERATING_SECONDS)),
                *("--seed", "1", "--no-shrink", "--continue-on-failure", "--warnings", "off"),
            ],
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    assert done.returncode == 0, done.stdout[-20_000:]
    passed = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 1000, "it has asked for next to nothing"
    # The audit log says that writes got through: they were not all refused at the door.
    whats = {entry.what for _, entry in site.office.context.ledger.audit(at_most=1000)}
    assert len(whats) > 10, whats
