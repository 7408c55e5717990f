"""What a sign-in mail holds while it waits, and what its copies and refusals give away."""

import re
from collections.abc import Callable
from dataclasses import replace

from swapflow.domain.personal_link import CODE_MASK, MASK
from swapflow.engine.ports.records import Mail
from swapflow.engine.services.outbox import OutboxService
from swapflow.errors import MailRefusedError, UnavailableError
from tests.web.site import Site


WHO = "ann@example.org"
LINK, CODE = r"http://testserver(/sign-in/link/[\w-]+)", r"\b\d{6}\b"


def ask(site: Site) -> str:
    """Ask for a sign-in mail, which then waits; gives its id."""
    site.anonymous().post("/sign-in/link", data={"email": WHO, "next": "/me"})
    (waiting,) = site.ledger.mails(at_most=9)
    return waiting.id


def outbox(site: Site, post: Callable[[Mail], None]) -> OutboxService:
    """The sender, with another mail server."""
    return OutboxService(context=replace(site.product.context, post=post))


def test_a_mail_that_waits_has_neither_link_nor_code(site: Site) -> None:
    site.account(WHO)
    ask(site)
    (waiting,) = site.ledger.mails(at_most=9)

    for words in (waiting.text, waiting.html):
        assert f"/sign-in/link/{MASK}" in words
        assert CODE_MASK in words
        assert not re.search(CODE, words.replace("#ffffff", ""))
    assert site.anonymous().get(f"/sign-in/link/{MASK}").status_code == 404

    site.turn()

    sent = site.mails[-1]
    assert MASK not in sent.text + sent.html
    assert CODE_MASK not in sent.text + sent.html
    (link,) = re.findall(LINK, sent.text)
    assert link in sent.html
    assert site.anonymous().post(link).headers["location"] == "/me"


def test_an_invitation_that_waits_has_no_link_either(site: Site) -> None:
    site.office.users.invite(WHO, name="", by="boss", site="http://testserver")
    (waiting,) = [mail for mail in site.ledger.mails(at_most=9) if mail.to == WHO]
    assert not re.search(LINK, waiting.text)

    site.turn()

    (link,) = re.findall(LINK, site.mails[-1].text)
    assert site.anonymous().post(link).status_code == 303


def test_copies_of_one_mail_let_in_once_together(site: Site) -> None:
    site.account(WHO)
    copies: list[Mail] = []

    def lost(mail: Mail) -> None:
        copies.append(mail)
        raise UnavailableError("mail_server_away", host="mail", port=25)

    mail_id = ask(site)
    outbox(site, lost).send_mail(mail_id)
    outbox(site, copies.append).send_mail(mail_id)
    first, second = (re.findall(LINK, copy.text)[0] for copy in copies)
    assert first != second

    assert site.anonymous().post(first).status_code == 303
    assert site.anonymous().post(second).status_code == 410
    code = re.findall(CODE, copies[-1].text)[0]
    typed = site.anonymous().post("/sign-in/code", data={"email": WHO, "code": code})
    assert typed.status_code == 401


def test_a_refusal_that_quotes_the_mail_is_kept_without_its_link(site: Site) -> None:
    site.account(WHO)
    said: list[str] = []

    def refuse(mail: Mail) -> None:
        said.append(mail.text)
        raise MailRefusedError("mail_server_says", host="mail", answer=mail.text)

    outbox(site, refuse).send_mail(ask(site))

    (link,), (code,) = re.findall(LINK, said[0]), re.findall(CODE, said[0])
    kept = site.file.read_bytes() + b"".join(
        file.read_bytes() for file in site.file.parent.glob(f"{site.file.name}-*")
    )
    assert MASK.encode() in kept
    assert link.rpartition("/")[2].encode() not in kept
    assert code.encode() not in kept


def test_a_link_that_was_taken_back_while_its_mail_waited_does_not_leave(site: Site) -> None:
    site.account(WHO)
    ask(site)
    site.office.users.revoke_access(site.account(WHO), by="ops")

    site.turn()

    assert not [mail for mail in site.mails if mail.to == WHO]
    assert site.ledger.mails(at_most=9) == ()
