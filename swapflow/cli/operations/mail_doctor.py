"""Whether mails of this deployment arrive: the sender's domain, and a probe to a person."""

from collections.abc import Iterator
from email.utils import parseaddr

from swapflow.bootstrap import look_at_sending_domain, sender_of
from swapflow.engine.ports.health_facts import MOST_LOOKUPS, SendingDomain
from swapflow.engine.ports.records import Mail
from swapflow.errors import InvalidInputError, MailRefusedError, UnavailableError
from swapflow.processes.doctor import DoctorFinding, Grade
from swapflow.settings import Settings, load_settings


PROBE = """This is a test mail of swapflow.

It has arrived, so mails of your programs can. If it lay among unwanted mail, open its source
and look for a line that begins with Authentication-Results: it should say spf=pass, dkim=pass
and dmarc=pass. Give that line to those who run your mail server.
"""


def examine_mail(*, to: str | None = None, probe_id: str = "") -> Iterator[DoctorFinding]:
    """Check what receivers check: SPF, DKIM and DMARC of the sender's domain.

    Args:
        to: Where a probe is sent as well.
        probe_id: Names the probe, so that two of them are two mails.
    """
    try:
        settings = load_settings()
        domain = parseaddr(settings.mail_from)[1].rpartition("@")[2].lower().rstrip(".")
        if "." not in domain:
            yield _fault(
                "sender",
                f"mails come from {settings.mail_from}, which no one outside can answer",
                "set SWAPFLOW_MAIL_FROM to an address of your domain",
            )
        else:
            yield _good("sender", f"mails come from {settings.mail_from}")
            yield from _records(look_at_sending_domain(settings, domain), settings.dkim_selector)
    except InvalidInputError as error:
        yield _fault("settings", str(error), "set them right; docs/administrators.md lists each")
        return
    except UnavailableError as error:
        yield _fault("DNS", str(error), "set SWAPFLOW_DNS_SERVER to a resolver that answers")
    if to is not None:
        yield _probe(settings, to, probe_id)


def _records(found: SendingDomain, selector: str | None) -> Iterator[DoctorFinding]:
    yield _spf(found)
    if selector is None:
        yield _warning(
            "DKIM",
            "the key that signs your mails was not looked for",
            "set SWAPFLOW_DKIM_SELECTOR; who runs the mail server knows it (selector._domainkey)",
        )
    else:
        yield _dkim(found, selector)
    yield _dmarc(found)


def _spf(found: SendingDomain) -> DoctorFinding:
    name = found.domain
    if not found.spf:
        cure = f'a TXT record at {name}: "v=spf1 include:YOUR-MAIL-SERVICE -all"'
        return _fault("SPF", f"{name} names no server that may send for it", cure)
    if len(found.spf) > 1:
        says = f"{name} has {len(found.spf)} SPF records; receivers then take none"
        return _fault("SPF", says, "join them into one")
    if found.spf_lookups > MOST_LOOKUPS:
        says = f"the record of {name} needs more than {MOST_LOOKUPS} lookups; receivers give up"
        return _fault("SPF", says, "name fewer services, or their addresses (ip4:, ip6:)")
    if found.spf_all in {"", "+", "?"}:
        return _warning(
            "SPF",
            f"the record of {name} forbids no other server: {found.spf[0]}",
            "end it with -all, or ~all while you try it",
        )
    return _good("SPF", f"{name}: {found.spf[0]}")


def _dkim(found: SendingDomain, selector: str) -> DoctorFinding:
    place = f"{selector}._domainkey.{found.domain}"
    if found.dkim is None:
        cure = "publish the key that your mail server shows, as a TXT record there"
        return _fault("DKIM", f"there is no key at {place}", cure)
    if not found.dkim.get("p"):
        cure = "publish the key in use, or set SWAPFLOW_DKIM_SELECTOR to its selector"
        return _fault("DKIM", f"the key at {place} was taken back (p= is empty)", cure)
    return _good("DKIM", f"there is a key at {place}; a test mail (--to) shows whether it signs")


def _dmarc(found: SendingDomain) -> DoctorFinding:
    if found.dmarc is None:
        cure = f'a TXT record at _dmarc.{found.domain}: "v=DMARC1; p=none; rua=mailto:…"'
        return _fault("DMARC", f"{found.domain} has no policy; large receivers ask for one", cure)
    policy = found.dmarc.get("p", "").lower()
    if found.dmarc_at != found.domain:
        policy = found.dmarc.get("sp", policy).lower()
    if policy not in {"none", "quarantine", "reject"}:
        cure = "write p=none, p=quarantine or p=reject"
        return _fault("DMARC", f"the policy at _dmarc.{found.dmarc_at} has no known p=", cure)
    if policy == "none":
        cure = "when its reports show that your mails pass, write p=quarantine"
        return _warning("DMARC", f"the policy of {found.dmarc_at} only watches (p=none)", cure)
    return _good("DMARC", f"{found.dmarc_at}: p={policy}")


def _probe(settings: Settings, to: str, probe_id: str) -> DoctorFinding:
    if settings.smtp_host is None:
        return _fault("probe", "no mail leaves", "set SWAPFLOW_SMTP_HOST (docs/administrators.md)")
    mail = Mail(
        id=f"probe:{probe_id}",
        to=to,
        subject="Test mail of swapflow",
        text=PROBE,
        html="",
        calendar="",
        state="sending",
    )
    try:
        sender_of(settings)(mail)
    except MailRefusedError as error:
        return _fault("probe", str(error), "check the address and what the server says of it")
    except UnavailableError as error:
        return _fault("probe", str(error), "check the settings that begin with SWAPFLOW_SMTP")
    return _good("probe", f"{settings.smtp_host} took a test mail to {to}; look whether it came")


def _good(check: str, says: str) -> DoctorFinding:
    return DoctorFinding(check=check, grade=Grade.GOOD, says=says)


def _warning(check: str, says: str, cure: str) -> DoctorFinding:
    return DoctorFinding(check=check, grade=Grade.WARNING, says=says, cure=cure)


def _fault(check: str, says: str, cure: str) -> DoctorFinding:
    return DoctorFinding(check=check, grade=Grade.FAULT, says=says, cure=cure)
