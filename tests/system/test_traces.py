"""A score's trace, from the page over ledger and coordinator to the worker that passes on."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from swapflow.bootstrap import assemble
from swapflow.domain.reviewing.assignment import AssignmentStatus
from swapflow.engine.services import Swapflow
from swapflow.identity.account import Method
from swapflow.identity.services import Office
from swapflow.processes.deployment import running
from swapflow.settings import Settings, load_settings
from tests.engine.cycle_by_hand import applicant, reviewer
from tests.support.collector import Collector, Seen, collecting
from tests.support.ports import free_port
from tests.support.waiting import wait_until
from tests.web.site import SITE_RULES


pytestmark = pytest.mark.system

NAMES = ("Quendolyn", "Zarathustra", "quendolyn@", "Applicant", "@example", "clear thesis")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """A deployment whose processes send traces, and where they arrive."""

    settings: Settings
    product: Swapflow
    office: Office
    collector: Collector


@pytest.fixture
def traced(tmp_path: Path) -> Iterator[Traced]:
    settings = load_settings(
        data_dir=tmp_path / "data", web_port=free_port(), database_url=None, redis_url=None
    )
    with ExitStack() as stack:
        collector = stack.enter_context(collecting())
        stack.enter_context(
            running(
                settings,
                SWAPFLOW_WEB_PORT=str(settings.web_port),
                OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
                OTEL_BSP_SCHEDULE_DELAY="100",
                FASTAPI_OTEL_AUTO_CONFIGURE="true",  # the framework's own spans hold addresses
            )
        )
        product, office = assemble(settings)
        yield Traced(settings=settings, product=product, office=office, collector=collector)
        for part in (product.context.dispatcher, product.context.state, product.context.doorbell):
            part.close()  # type: ignore[union-attr]  # the real ones, all of which close
        product.context.ledger.dispose()  # type: ignore[attr-defined]  # an SqlLedger


def test_a_score_is_followed_from_the_page_to_the_request_that_comes_of_it(
    traced: Traced,
) -> None:
    product, seen = traced.product, traced.collector.spans
    product.cycles.new_round("round", name="Fall")
    product.cycles.new("fall", round_id="round", rules=SITE_RULES, by="ops", name="MS")
    product.applicants.import_all(
        "fall", [applicant(f"A{n}", name=f"Applicant {n}") for n in range(1, 9)]
    )
    roster = [
        reviewer(f"R{n}", name=f"Quendolyn Zarathustra {n}", email=f"quendolyn@{n}.example.org")
        for n in range(1, 4)
    ]
    product.reviewers.import_all("fall", roster)
    product.cycles.launch("fall", by="ops")
    wait_until(
        lambda: bool(product.tasks.inbox("fall", "R1")) and delivered(product),
        what="requests",
    )
    task = product.tasks.inbox("fall", "R1")[0]
    code = product.cycles.get("fall").task_code(task.id)
    account = traced.office.users.add("quendolyn@1.example.org", name="Quendolyn")
    secret, _ = traced.office.sign_in.start_session(account, method=Method.LINK, agent="test")
    with httpx.Client(
        base_url=f"http://127.0.0.1:{traced.settings.web_port}",
        cookies={"swapflow": secret},
        headers={"Sec-Fetch-Site": "same-origin"},
    ) as client:
        marks = {"c0": "2", "c1": "1", "remark": "A clear thesis", "then": "stay"}
        assert client.post(f"/tasks/{code}", data=marks).status_code == 303
        token = client.get("/sign-in/link/qq-secret-token-qq")
        assert token.status_code in {200, 404}

    def found() -> tuple[Seen, ...] | None:
        return chain(seen(), task.id)

    wait_until(lambda: found() is not None, what="the whole trace")
    page, write, event, turn = found() or ()

    assert page.service == "swapflow-web"
    assert page.attributes["http.route"] == "/tasks/{task}"
    assert page.attributes["http.response.status_code"] == 303
    assert write.attributes["swapflow.cycle"] == "fall"
    assert event.attributes["swapflow.assignment"] == task.id
    assert turn.service == "swapflow-coordinator"
    wait_until(
        lambda: any(
            one.service == "swapflow-worker" and by_id(seen(), one.parent) for one in seen()
        ),
        what="a worker's part",
    )
    worker = next(
        one for one in seen() if one.service == "swapflow-worker" and by_id(seen(), one.parent)
    )
    sender = by_id(seen(), worker.parent)
    assert sender is not None
    assert (sender.service, sender.trace) == ("swapflow-coordinator", worker.trace)
    assert worker.attributes["swapflow.assignment"].startswith("fall:")
    everything = b"\n".join(traced.collector.bodies)
    for word in (*NAMES, code.partition(":")[2], secret, "qq-secret-token-qq"):
        assert word.encode() not in everything, word


def chain(spans: list[Seen], assignment: str) -> tuple[Seen, Seen, Seen, Seen] | None:
    """Follow an answer's page, write and event to the turn that counted it."""
    for event in spans:
        if event.name != "event scored" or event.attributes["swapflow.assignment"] != assignment:
            continue
        write = by_id(spans, event.links[0][1])
        page = by_id(spans, write.parent) if write else None
        turn = next(
            (one for one in spans if one.name == "turn" and (event.trace, event.id) in one.links),
            None,
        )
        if write and page and turn:
            return page, write, event, turn
    return None


def by_id(spans: list[Seen], one: str) -> Seen | None:
    return next((span for span in spans if span.id == one), None)


def delivered(product: Swapflow) -> bool:
    return all(
        one.status is not AssignmentStatus.QUEUED
        for one in product.context.ledger.assignments("fall")
    )


@pytest.mark.parametrize(
    ("settings", "traced"),
    [
        ({}, False),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
            False,
        ),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}, True),
    ],
    ids=["nothing set", "switched off", "on"],
)
def test_nothing_of_it_is_imported_unless_it_is_wanted(
    settings: dict[str, str], traced: bool
) -> None:
    # The clients of Redis and of the web import parts of it by themselves, but none that traces.
    code = (
        "import sys\n"
        "from swapflow.instrumentation import tracing\n"
        "alone = [name for name in sys.modules if name.startswith('opentelemetry')]\n"
        "from swapflow import bootstrap\n"
        "from swapflow.processes import coordinator\n"
        "from swapflow.web import app\n"
        "import workers.app, workers.lifecycle\n"
        "parts = ('opentelemetry.sdk.trace', 'opentelemetry.exporter')\n"
        "print(tracing.is_on(), *(part in sys.modules for part in parts), len(alone))\n"
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, **settings},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == [str(traced)] * 3 + ["0"]


def test_a_protocol_that_is_not_there_is_refused_with_the_cure() -> None:
    code = "from swapflow.instrumentation import tracing\ntracing.start('web')\n"
    environment = {
        **os.environ,
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )

    assert "4318" in done.stderr
