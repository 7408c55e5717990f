"""Mails that come back: a line, nothing more to a dead address, and once more to the right one."""

from dataclasses import replace

import pytest

from swapflow.domain.returned_mail import Bounce, BounceKind, BounceReading, TakenIn
from swapflow.engine.pending.things import PendingCode
from swapflow.engine.ports.records import Mail
from swapflow.engine.services import Swapflow, compose
from swapflow.errors import NotReadyError
from swapflow.outbound.mail import smtp
from swapflow.settings import SmtpSecurity, load_settings
from tests.engine.cycle_by_hand import CYCLE, World, applicants, reviewer
from tests.support.smtp_server import SmtpServer


def world() -> World:
    return World(roster=[reviewer("R1", email="r1@example.org")], launch=False)


def queue(here: World, *mails: str, to: str = "r1@example.org") -> None:
    letter = Mail(id="", to=to, subject="2 wait", text="t", html="", calendar="", state="queued")
    for one in mails:
        with here.ledger.write(CYCLE) as tx:
            tx.queue_mail([replace(letter, id=f"{CYCLE}:{one}")])


def state(here: World, mail: str) -> str:
    return here.ledger.cycle_mail(CYCLE, f"{CYCLE}:{mail}").mail.state


def bounce_of(here: World, mail: str, kind: BounceKind = BounceKind.ADDRESS) -> Bounce:
    code = here.ledger.cycle_mail(CYCLE, f"{CYCLE}:{mail}").mail.code
    assert code is not None
    return Bounce(
        reading=BounceReading.BOUNCE, digest=mail, code=code, kind=kind, said="550 no such user"
    )


def through(here: World, server: SmtpServer) -> Swapflow:
    settings = load_settings(
        smtp_host="127.0.0.1",
        smtp_port=server.port,
        smtp_security=SmtpSecurity.NONE,
        mail_from="Office <office@example.edu>",
        bounce_address="bounces@example.edu",
    )
    return compose(replace(here.product.context, post=smtp(settings)))


def send(product: Swapflow, *mails: str) -> list[bool]:
    return [product.outbox.send_mail(f"{CYCLE}:{one}") for one in mails]


def test_a_server_s_refusal_of_an_address_is_a_line_at_once_and_holds_the_rest() -> None:
    here = world()
    queue(here, "waiting:0:1", "remind-1:0:1", "remind-2:0:2")
    with SmtpServer({"r1@example.org": "550 5.1.1 no such user"}) as server:
        sent = send(through(here, server), "waiting:0:1", "remind-1:0:1", "remind-2:0:2")

    returned = here.product.returned_mails.of_program(CYCLE)
    assert sent == [False, False, False]
    ((number, (line,)),) = returned.reviewers.items()
    assert (number, line.to, line.kind, line.said, line.kept_back) == (
        0,
        "r1@example.org",
        BounceKind.ADDRESS,
        "550 5.1.1 no such user",
        2,
    )
    assert state(here, "remind-2:0:2") == "kept back"
    waits = {one.code: one.params for one in here.product.pending.in_cycle(CYCLE)}
    assert PendingCode.REVIEWER_MAIL_BACK not in waits  # before the launch nothing of it is due


def test_a_corrected_address_gets_the_last_mail_once_and_the_line_is_gone() -> None:
    here = world()
    queue(here, "waiting:0:1", "remind-1:0:1", "remind-2:0:2")
    with SmtpServer({"r1@example.org": "550 5.1.1 no such user"}) as server:
        product = through(here, server)
        send(product, "waiting:0:1", "remind-1:0:1", "remind-2:0:2")
        moved = reviewer("R1", email="new@example.org", said=frozenset({"external_id", "email"}))
        here.product.reviewers.import_list(CYCLE, [moved])
        send(product, "waiting:0:1", "remind-1:0:1", "remind-2:0:2")
        send(product, "waiting:0:1", "remind-1:0:1", "remind-2:0:2")
        (mail,) = server.mails

    assert "To: new@example.org" in mail
    assert here.product.returned_mails.of_program(CYCLE).reviewers == {}
    assert [state(here, one) for one in ("waiting:0:1", "remind-1:0:1", "remind-2:0:2")] == [
        "settled",
        "settled",
        "sent",
    ]


def test_a_report_is_one_line_however_often_it_comes() -> None:
    here = world()
    queue(here, "waiting:0:1")
    with SmtpServer() as server:
        send(through(here, server), "waiting:0:1")
        (mail,) = server.mails
    bounce = bounce_of(here, "waiting:0:1")

    taken = [here.product.returned_mails.take(bounce) for _ in range(3)]
    settled = here.product.returned_mails.settle(CYCLE, ["R1@example.org"])
    after = here.product.returned_mails.take(bounce)

    assert bounce.code in mail.partition("Message-ID:")[2].partition("\n")[0]
    assert taken == [TakenIn.NEW, TakenIn.KNOWN, TakenIn.KNOWN]
    assert (settled, after) == (1, TakenIn.KNOWN)
    assert not here.ledger.is_dead("r1@example.org")
    with pytest.raises(NotReadyError):
        here.product.returned_mails.settle(CYCLE, ["r1@example.org"])


def test_a_stranger_s_report_marks_no_address_and_is_counted() -> None:
    """The id of a mail can be guessed, its code cannot."""
    here = world()
    queue(here, "waiting:0:1")
    here.product.outbox.send_mail(f"{CYCLE}:waiting:0:1")
    forged = replace(bounce_of(here, "waiting:0:1"), code="sf" + "a" * 26, reporter="evil.example")

    taken = [here.product.returned_mails.take(one) for one in (forged, forged)]

    assert taken == [TakenIn.STRAY, TakenIn.KNOWN]
    assert here.product.returned_mails.of_program(CYCLE).reviewers == {}
    assert here.product.returned_mails.strays().reporters == (("evil.example", 1),)
    assert here.product.returned_mails.drop_strays() == 1


def test_a_full_mailbox_is_a_line_and_further_mails_still_leave() -> None:
    here = world()
    queue(here, "waiting:0:1", "remind-1:0:1")
    send(here.product, "waiting:0:1")
    here.product.returned_mails.take(bounce_of(here, "waiting:0:1", BounceKind.FULL))

    assert send(here.product, "remind-1:0:1") == [True]


def test_an_applicant_s_letter_comes_back_to_the_applicant_and_leaves_again() -> None:
    here = World(
        applications=[replace(one, email="a@example.org") for one in applicants(2)][:1],
        roster=[reviewer("R1", email="a@example.org")],
        launch=False,
    )
    queue(here, "applicant:0:slot:x:1", to="a@example.org")
    send(here.product, "applicant:0:slot:x:1")
    here.product.returned_mails.take(bounce_of(here, "applicant:0:slot:x:1"))

    returned = here.product.returned_mails.of_program(CYCLE)
    here.product.applicants.correct(
        CYCLE, "A001", {"email": "b@example.org"}, by="ops", reason="a typing error"
    )

    assert (list(returned.applicants), dict(returned.reviewers)) == ([0], {})
    assert state(here, "applicant:0:slot:x:1") == "queued"
