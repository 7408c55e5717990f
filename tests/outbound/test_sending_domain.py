"""What receivers look at before a person sees a mail is looked at here, on a real DNS server."""

from collections.abc import Iterator

import pytest

from swapflow.cli.operations.mail_doctor import examine_mail
from swapflow.engine.ports.health_facts import MOST_LOOKUPS, DoctorFinding, Grade
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.outbound.sending_domain import look_at_domain, records_by_dns
from tests.support.dns_server import DnsServer
from tests.support.ports import free_port
from tests.support.smtp_server import SmtpServer


KEY = "v=DKIM1; k=rsa; p=" + "MIIBIjANBgkq" * 30
RECORDS = (
    ("good.test", "v=spf1 ip4:192.0.2.0/24 include:service.test -all"),
    ("good.test", "some-site-verification=1"),
    ("service.test", "v=spf1 a:one.service.test mx ~all"),
    ("swap._domainkey.good.test", KEY),
    ("_dmarc.good.test", "v=DMARC1; p=reject; sp=none; rua=mailto:postmaster@good.test"),
    ("twice.test", "v=spf1 -all"),
    ("twice.test", "v=spf1 ~all"),
    ("swap._domainkey.twice.test", "v=DKIM1; p="),
    ("_dmarc.twice.test", "v=DMARC1; p=sometimes"),
    ("open.test", "v=spf1 +all"),
    ("_dmarc.open.test", "v=DMARC1; p=none"),
    ("moved.test", "v=spf1 redirect=good.test"),
    ("circle.test", "v=spf1 include:circle.test -all"),
    ("many.test", "v=spf1 " + " ".join(f"include:s{n}.test" for n in range(11)) + " -all"),
)


@pytest.fixture(scope="module")
def server() -> Iterator[DnsServer]:
    with DnsServer(*RECORDS) as started:
        yield started


@pytest.fixture
def sends_from(server: DnsServer, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("SWAPFLOW_DNS_SERVER", server.address)
    monkeypatch.setenv("SWAPFLOW_DKIM_SELECTOR", "swap")
    return monkeypatch


def examined(sends_from: pytest.MonkeyPatch, sender: str) -> dict[str, DoctorFinding]:
    sends_from.setenv("SWAPFLOW_MAIL_FROM", sender)
    found = {one.check: one for one in examine_mail()}
    assert all(one.cure for one in found.values() if one.grade is not Grade.GOOD), found
    return found


def test_a_domain_with_all_three_records_is_in_order(sends_from: pytest.MonkeyPatch) -> None:
    found = examined(sends_from, "Admissions <office@good.test>")

    assert {one.grade for one in found.values()} == {Grade.GOOD}
    assert set(found) == {"sender", "SPF", "DKIM", "DMARC"}


@pytest.mark.parametrize(
    ("domain", "check", "grade", "part"),
    [
        ("nothing.test", "SPF", Grade.FAULT, "names no server"),
        ("nothing.test", "DKIM", Grade.FAULT, "no key at swap._domainkey.nothing.test"),
        ("nothing.test", "DMARC", Grade.FAULT, "has no policy"),
        ("twice.test", "SPF", Grade.FAULT, "2 SPF records"),
        ("twice.test", "DKIM", Grade.FAULT, "withdrawn"),
        ("twice.test", "DMARC", Grade.FAULT, "no valid p="),
        ("open.test", "SPF", Grade.WARNING, "does not forbid other servers"),
        ("open.test", "DMARC", Grade.WARNING, "only asks for reports"),
        ("many.test", "SPF", Grade.FAULT, "more than 10 lookups"),
        ("moved.test", "SPF", Grade.GOOD, "redirect=good.test"),
        ("circle.test", "SPF", Grade.GOOD, "include:circle.test"),
        ("admissions.good.test", "DMARC", Grade.WARNING, "only asks for reports"),
    ],
)
def test_each_fault_is_named_with_its_cure(
    sends_from: pytest.MonkeyPatch, domain: str, check: str, grade: Grade, part: str
) -> None:
    """A name below takes the policy above it, by `sp`; a redirect takes the other's end."""
    found = examined(sends_from, f"office@{domain}")[check]

    assert (found.grade, part in found.says) == (grade, True), found


def test_lookups_are_counted_through_what_is_included(server: DnsServer) -> None:
    """The record includes one that asks for an address and a mail server: three queries."""
    found = look_at_domain("good.test", records_by_dns(server.address), selector="swap")

    assert found.spf_lookups == 3
    assert found.dkim is not None
    assert found.dkim["p"] == KEY.rpartition("=")[2]


def test_a_record_that_includes_itself_is_read_once(server: DnsServer) -> None:
    found = look_at_domain("circle.test", records_by_dns(server.address))

    assert found.spf_lookups <= MOST_LOOKUPS


def test_a_resolver_that_is_away_is_said_to_be_away(sends_from: pytest.MonkeyPatch) -> None:
    sends_from.setenv("SWAPFLOW_DNS_SERVER", f"127.0.0.1:{free_port()}")

    found = examined(sends_from, "office@good.test")

    assert found["DNS"].grade is Grade.FAULT
    assert "good.test" in found["DNS"].says


def test_a_resolver_that_is_no_address_is_refused_with_its_setting() -> None:
    with pytest.raises(InvalidInputError, match="SWAPFLOW_DNS_SERVER: resolver"):
        records_by_dns("resolver")


def test_without_a_domain_nothing_is_asked(sends_from: pytest.MonkeyPatch) -> None:
    found = examined(sends_from, "swapflow@localhost")

    assert set(found) == {"sender"}
    assert "SWAPFLOW_MAIL_FROM" in found["sender"].cure


def test_a_probe_reaches_the_mail_server(sends_from: pytest.MonkeyPatch) -> None:
    with SmtpServer() as mails:
        sends_from.setenv("SWAPFLOW_MAIL_FROM", "office@good.test")
        sends_from.setenv("SWAPFLOW_SMTP_HOST", "127.0.0.1")
        sends_from.setenv("SWAPFLOW_SMTP_PORT", str(mails.port))
        sends_from.setenv("SWAPFLOW_SMTP_SECURITY", "none")
        *_, probe = examine_mail(to="ana@example.org", probe_id="1")

    assert probe.grade is Grade.GOOD, probe
    assert "Authentication-Results" in "".join(mails.mails)


@pytest.mark.long
def test_a_resolver_that_does_not_answer_is_unavailable() -> None:
    with pytest.raises(UnavailableError):
        look_at_domain("good.test", records_by_dns(f"127.0.0.1:{free_port()}"))
