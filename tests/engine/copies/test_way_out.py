"""Nothing leaves a practice program: one way out, shut there, whatever is to leave."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import create_engine, select, update

from swapflow.domain.webhook_call import WebhookCall
from swapflow.engine.copies.practice_program import automatic_reviewer
from swapflow.engine.ports.dispatcher import QueueMessage
from swapflow.engine.ports.records import NOT_SENT, Mail
from swapflow.engine.services import ServiceContext, Swapflow, compose
from swapflow.engine.services.way_out import StaysInsideError
from swapflow.errors import InvalidInputError
from swapflow.ledger.schema import CYCLE, LINK_TOKEN, MESSAGE, WEBHOOK_CALL
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.queues.inline import InlineDispatcher
from swapflow.state.memory import MemoryCycleState, MemoryDoorbell
from tests.engine.cycle_by_hand import RULES, applicants, reviewers
from tests.engine.everything_decided import everything
from tests.support.migrated import new_database


PACKAGE = Path(__file__).parents[3] / "swapflow"
WAY_OUT = "engine/services/way_out.py"

QUEUE_MAILS = {
    "engine/interviews/invitations.py",
    "engine/interviews/slots.py",
    "engine/notifications/applicant_mail.py",
    "engine/notifications/review_reminders.py",
    "engine/notifications/reviewer_mail.py",
    "engine/offers/announcements.py",
    "engine/offers/applicant_links.py",
    "engine/services/pending.py",
    "identity/services/to_do.py",
}
"""Every module that queues a mail: a new kind of notification comes into this list."""

OF_NO_PROGRAM = {"identity/services/to_do.py"}
"""Those that also queue mails of the office; these tell of real programs alone."""


class Outside:
    """A product over a ledger, and all that reached the world from it."""

    def __init__(self, url: str) -> None:
        self.left: list[str] = []
        self.ledger = SqlLedger(url)
        self.product: Swapflow = compose(
            ServiceContext(
                ledger=self.ledger,
                state=MemoryCycleState(),
                dispatcher=InlineDispatcher(self._work),
                doorbell=MemoryDoorbell(),
                post=lambda mail: self.left.append(mail.id),
                send_webhook=self._called,
            )
        )

    def _called(self, call: WebhookCall) -> str:
        self.left.append(call.id)
        return "200"

    def _work(self, messages: Sequence[QueueMessage]) -> None:
        del messages


@pytest.fixture
def url(tmp_path: Path) -> str:
    new_database(tmp_path / "swapflow.db")
    return f"sqlite:///{tmp_path / 'swapflow.db'}"


def practised(outside: Outside) -> str:
    product = outside.product
    product.cycles.new_round("round", name="Round")
    product.cycles.new("fall", round_id="round", rules=RULES, by="ops")
    product.applicants.import_all("fall", applicants(8))
    product.reviewers.import_all("fall", reviewers(4))
    return product.copies.practise("fall", by="ops").id


def texts(folder: Path) -> dict[str, str]:
    """Return the text of every module below a folder, by its place in the package."""
    return {
        path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
        for path in folder.rglob("*.py")
    }


def test_services_send_call_and_ask_by_the_way_out_alone() -> None:
    door = re.compile(r"(?<!way_out)\.post\(|\.send_webhook\b|automatic_reviewers\.find\b")

    found = {name for name, text in texts(PACKAGE / "engine").items() if door.search(text)}

    assert found == {WAY_OUT}


def test_every_kind_of_notification_is_queued_where_this_list_says() -> None:
    queues = re.compile(r"\.queue_mails?\(")

    assert {name for name, text in texts(PACKAGE).items() if queues.search(text)} == QUEUE_MAILS


def test_no_mail_of_all_that_a_decided_cycle_writes_leaves_a_practice_program(url: str) -> None:
    world = everything(url)
    cycle_id = world.product.cycles.list()[0].id
    database = create_engine(url)
    with database.begin() as connection:
        connection.execute(update(CYCLE).values(practice_of="real"))
        connection.execute(update(MESSAGE).values(state="queued", attempts=0))
        ids = list(connection.execute(select(MESSAGE.c.id)).scalars())
    outside = Outside(url)

    sent = [outside.product.outbox.send_mail(one) for one in ids]

    assert {one.split(":")[1] for one in ids} == {"letter", "waiting"}
    assert not any(sent)
    assert outside.left == []
    assert outside.product.outbox.count(cycle_id) == {NOT_SENT: len(ids)}
    with database.begin() as connection:
        # No link opens anything: none was ever made.
        assert connection.execute(select(LINK_TOKEN)).all() == []
        # The same mails leave a real program, so it was the practice that kept them.
        connection.execute(update(CYCLE).values(practice_of=""))
        connection.execute(update(MESSAGE).values(state="queued", attempts=0))
    real = Outside(url)
    for one in ids:
        real.product.outbox.send_mail(one)
    assert {one.split(":")[1] for one in real.left} == {"letter", "waiting"}


@pytest.mark.parametrize("source", sorted(QUEUE_MAILS - OF_NO_PROGRAM))
@pytest.mark.parametrize("held", [False, True])
def test_a_mail_of_each_kind_stays_inside_also_when_it_is_sent_again(
    url: str, source: str, *, held: bool
) -> None:
    outside = Outside(url)
    practice = practised(outside)
    mail = Mail(
        id=f"{practice}:{source}",
        to="someone@example.org",
        subject="A practice mail",
        text="Words",
        html="",
        calendar="METHOD:REQUEST",
        state="queued",
        cycle_id=practice,
    )
    with outside.ledger.write(practice) as tx:
        tx.queue_mail([mail], held=held)
    if held:
        with create_engine(url).begin() as connection:
            connection.execute(update(MESSAGE).values(state="queued"))

    first = outside.product.outbox.send_mail(mail.id)
    outside.product.outbox.queue_all_again(practice)
    again = outside.product.outbox.send_mail(mail.id)

    assert (first, again) == (False, False)
    assert outside.left == []
    with pytest.raises(StaysInsideError):
        outside.product.context.way_out.post(mail)


def test_no_webhook_is_told_of_a_practice_program(url: str) -> None:
    outside = Outside(url)
    practice = practised(outside)
    real = "fall"
    outside.ledger.queue_calls()
    with create_engine(url).begin() as connection:
        told = {row.cycle_id for row in connection.execute(select(WEBHOOK_CALL))}
    call = WebhookCall(
        id=f"w1:{practice}:7", url="https://a.example", secret="s", event="e", body=b"", attempt=1
    )

    with pytest.raises(StaysInsideError):
        outside.product.context.way_out.call(call)

    assert practice not in told
    assert outside.left == []
    other = WebhookCall(
        id=f"w1:{real}:7", url="https://a.example", secret="s", event="e", body=b"", attempt=1
    )
    assert outside.product.context.way_out.call(other) == "200"


def test_a_practice_program_asks_no_scoring_service_and_a_real_one_no_inventor(url: str) -> None:
    outside = Outside(url)
    practice = practised(outside)
    way_out = outside.product.context.way_out

    with pytest.raises(StaysInsideError):
        way_out.reviewer(practice, "https://scores.example/v1")
    with pytest.raises(InvalidInputError):
        way_out.reviewer("fall", automatic_reviewer(practice))
