"""Whether mails arrive, as receivers decide it: by the records of the sender's domain.

Each finding and each cure is a message: who shows it words it in the reader's language.
"""

from collections.abc import Iterator
from email.utils import parseaddr
from typing import Protocol

from swapflow.engine.ports.health_facts import MOST_LOOKUPS, DoctorFinding, Grade, SendingDomain
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.messages import Message
from swapflow.outbound.sending_domain import DnsSettings, look_at_sending_domain


class SenderSettings(DnsSettings, Protocol):
    """The settings of a look at the sender."""

    @property
    def mail_from(self) -> str:
        """Sender of every mail."""
        ...


def check_sender(
    settings: SenderSettings, *, within: float | None = None
) -> Iterator[DoctorFinding]:
    """Check what receivers check: SPF, DKIM and DMARC of the sender's domain.

    Args:
        settings: Sender, resolver and selector.
        within: Seconds for all records together; what is not known by then is a finding.
    """
    sender = settings.mail_from
    domain = parseaddr(sender)[1].rpartition("@")[2].lower().rstrip(".")
    if "." not in domain:
        yield _fault("sender", "no_domain", sender=sender)
        return
    yield _good("sender", "", sender=sender)
    try:
        found = look_at_sending_domain(settings, domain, within=within)
    except InvalidInputError as error:
        yield _told("settings", Grade.FAULT, error.message, Message("mail_check_settings_cure"))
    except UnavailableError as error:
        yield _told("DNS", Grade.FAULT, error.message, Message("mail_check_dns_cure"))
    else:
        yield _spf(found)
        yield _dkim(found, settings.dkim_selector)
        yield _dmarc(found)


def _spf(found: SendingDomain) -> DoctorFinding:
    name = found.domain
    if not found.spf:
        return _fault("SPF", "none", domain=name)
    if len(found.spf) > 1:
        return _fault("SPF", "several", domain=name, records=len(found.spf))
    if found.spf_lookups > MOST_LOOKUPS:
        return _fault("SPF", "lookups", domain=name, most=MOST_LOOKUPS)
    if found.spf_all in {"", "+", "?"}:
        return _warning("SPF", "open", domain=name, record=found.spf[0])
    return _good("SPF", "", domain=name, record=found.spf[0])


def _dkim(found: SendingDomain, selector: str | None) -> DoctorFinding:
    if selector is None:
        return _warning("DKIM", "unknown")
    place = f"{selector}._domainkey.{found.domain}"
    if found.dkim is None:
        return _fault("DKIM", "none", place=place)
    if not found.dkim.get("p"):
        return _fault("DKIM", "taken_back", place=place)
    return _good("DKIM", "", place=place)


def _dmarc(found: SendingDomain) -> DoctorFinding:
    if found.dmarc is None:
        return _fault("DMARC", "none", domain=found.domain)
    policy = found.dmarc.get("p", "").lower()
    if found.dmarc_at != found.domain:
        policy = found.dmarc.get("sp", policy).lower()
    if policy not in {"none", "quarantine", "reject"}:
        return _fault("DMARC", "unreadable", domain=found.dmarc_at)
    if policy == "none":
        return _warning("DMARC", "watches", domain=found.dmarc_at)
    return _good("DMARC", "", domain=found.dmarc_at, policy=policy)


def _code(check: str, what: str) -> str:
    return "_".join(part for part in ("mail_check", check.lower(), what or "good") if part)


def _good(check: str, what: str, **params: object) -> DoctorFinding:
    return _told(check, Grade.GOOD, Message(_code(check, what), **params), None)


def _warning(check: str, what: str, **params: object) -> DoctorFinding:
    return _with_cure(check, Grade.WARNING, what, params)


def _fault(check: str, what: str, **params: object) -> DoctorFinding:
    return _with_cure(check, Grade.FAULT, what, params)


def _with_cure(check: str, grade: Grade, what: str, params: dict[str, object]) -> DoctorFinding:
    code = _code(check, what)
    return _told(check, grade, Message(code, **params), Message(f"{code}_cure", **params))


def _told(check: str, grade: Grade, says: Message, cure: Message | None) -> DoctorFinding:
    return DoctorFinding(check=check, grade=grade, says=says, cure="" if cure is None else cure)
