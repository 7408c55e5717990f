"""The page on which an office sees whether its mails arrive."""

from dataclasses import replace

from swapflow.domain.returned_mail import Bounce, BounceReading
from swapflow.engine.services import compose
from swapflow.identity.permissions import Role
from swapflow.outbound.mail import smtp
from swapflow.settings import SmtpSecurity, load_settings
from tests.support.smtp_server import SmtpServer
from tests.web.site import Site


HERE = "/setup/mail"


def test_the_page_names_what_is_wrong_with_the_sender_and_the_cure(site: Site) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)

    page = client.get(HERE).text
    told = client.get("/api/v1/mail-check").json()

    assert "which no one outside can answer" in page
    assert "set SWAPFLOW_MAIL_FROM to an address of your domain" in page
    assert [(one["check"], one["grade"]) for one in told["findings"]] == [("sender", "fault")]
    assert (told["probe"], told["strays"]) == (None, 0)


def test_a_test_mail_goes_to_the_person_who_presses_and_the_page_says_what_came_of_it(
    site: Site,
) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)

    client.post(f"{HERE}/probe")
    waits = client.get(HERE).text
    client.post("/api/v1/mail-check/probe")
    site.turn()
    (mail,) = [one for one in site.mails if one.id.startswith("probe:")]

    assert "has not left yet" in waits
    assert mail.to == "administrator@example.org"
    assert "Authentication-Results" in mail.text
    assert "Your mail server accepted the test mail" in client.get(HERE).text


def test_a_test_mail_that_the_server_refuses_says_so_with_its_answer(site: Site) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)
    client.post(f"{HERE}/probe")
    record = site.office.to_do.last_probe(site.account("administrator@example.org"))
    assert record is not None
    with SmtpServer({"administrator@example.org": "550 5.1.1 no such user"}) as server:
        settings = load_settings(
            smtp_host="127.0.0.1", smtp_port=server.port, smtp_security=SmtpSecurity.NONE
        )
        product = compose(replace(site.product.context, post=smtp(settings)))
        product.outbox.send_mail(record.mail.id)

    page = client.get(HERE).text
    settled = client.post(f"{HERE}/settled")

    assert "550 5.1.1 no such user" in page
    assert "Mail to administrator@example.org came back: the address does not exist." in page
    assert settled.status_code == 303
    assert "Mail to administrator@example.org" not in client.get(HERE).text


def test_reports_that_fit_no_mail_are_shown_to_the_administrator_alone(site: Site) -> None:
    stray = Bounce(reading=BounceReading.BOUNCE, digest="d", reporter="mx.example.org")
    site.product.returned_mails.take(stray)
    admin, operations = site.signed_in(Role.ADMINISTRATOR), site.signed_in(Role.OPERATIONS)

    shown = admin.get(HERE).text
    admin.post(f"{HERE}/strays")

    assert "1 report fits no mail of ours" in shown
    assert "mx.example.org (1)" in shown
    assert "report fits no mail" not in operations.get(HERE).text
    assert "report fits no mail" not in admin.get(HERE).text
