"""`swapflow doctor`: what is wrong with this deployment, and the cure for each."""

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated
from uuid import uuid4

import typer

from swapflow.cli.options import AsJson
from swapflow.cli.output import clean, many, report, say
from swapflow.errors import InvalidInputError


_SIGNS = {"good": "✓", "warning": "!", "fault": "✗"}


class DoctorPart(StrEnum):
    """What is looked at: the whole deployment, or whether its mails arrive."""

    ALL = "all"
    MAIL = "mail"


def register(app: typer.Typer) -> None:
    """Add the command to the top level."""
    app.command()(doctor)


def doctor(
    part: Annotated[
        DoctorPart,
        typer.Argument(help="mail: SPF, DKIM and DMARC of the domain that mails are sent from"),
    ] = DoctorPart.ALL,
    to: Annotated[
        str | None, typer.Option("--to", help="address to send a test mail to, with mail")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look for what is wrong, and say how to mend it; exit code 1 if there is a fault."""
    from swapflow.cli.operations.mail_doctor import examine_mail
    from swapflow.engine.ports.health_facts import Grade
    from swapflow.processes.doctor import examine

    if to is not None and part is not DoctorPart.MAIL:
        raise InvalidInputError("probe_without_mail")
    findings = []
    for finding in (
        examine_mail(to=to, probe_id=uuid4().hex) if part is DoctorPart.MAIL else examine()
    ):
        findings.append(finding)
        if not as_json:
            # At once: a part that does not answer takes its time, and what was seen is seen.
            say(clean(f"{_SIGNS[finding.grade]} {finding.check}: {finding.says}"))
            if finding.cure:
                say(clean(f"    → {finding.cure}"))
    faults = sum(finding.grade is Grade.FAULT for finding in findings)
    warnings = sum(finding.grade is Grade.WARNING for finding in findings)
    report(
        {"faults": faults, "warnings": warnings, "findings": [asdict(one) for one in findings]},
        (
            f"{many(faults, 'fault')}, {many(warnings, 'warning')}"
            if faults + warnings
            else "nothing is wrong"
        ),
        as_json=as_json,
    )
    if faults:
        raise typer.Exit(1)
