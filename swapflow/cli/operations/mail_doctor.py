"""Whether mails of this deployment arrive: the sender's domain, and a probe to a person."""

from collections.abc import Iterator

from swapflow.bootstrap import check_sender, sender_of
from swapflow.engine.notifications.mail_text import probe_mail
from swapflow.engine.ports.health_facts import DoctorFinding, Grade
from swapflow.engine.ports.records import Mail
from swapflow.errors import InvalidInputError, MailRefusedError, UnavailableError
from swapflow.settings import Settings, load_settings


def examine_mail(*, to: str | None = None, probe_id: str = "") -> Iterator[DoctorFinding]:
    """Check what receivers check: SPF, DKIM and DMARC of the sender's domain.

    Args:
        to: Where a probe is sent as well.
        probe_id: Names the probe, so that two of them are two mails.
    """
    try:
        settings = load_settings()
    except InvalidInputError as error:
        yield _fault("settings", str(error), "set them right; docs/administrators.md lists each")
        return
    yield from check_sender(settings)
    if to is not None:
        yield _probe(settings, probe_mail().to(to, mail_id=f"probe:{probe_id}"))


def _probe(settings: Settings, mail: Mail) -> DoctorFinding:
    if settings.smtp_host is None:
        return _fault("probe", "no mail leaves", "set SWAPFLOW_SMTP_HOST (docs/administrators.md)")
    try:
        sender_of(settings)(mail)
    except MailRefusedError as error:
        return _fault("probe", str(error), "check the address and what the server says of it")
    except UnavailableError as error:
        return _fault("probe", str(error), "check the settings that begin with SWAPFLOW_SMTP")
    return DoctorFinding(
        check="probe",
        grade=Grade.GOOD,
        says=f"{settings.smtp_host} took a test mail to {mail.to}; look whether it came",
    )


def _fault(check: str, says: str, cure: str) -> DoctorFinding:
    return DoctorFinding(check=check, grade=Grade.FAULT, says=says, cure=cure)
