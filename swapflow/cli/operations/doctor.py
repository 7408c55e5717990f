"""`swapflow doctor`: what is wrong with this deployment, and the cure for each."""

from dataclasses import asdict

import typer

from swapflow.cli.options import AsJson
from swapflow.cli.output import clean, many, report, say


_SIGNS = {"good": "✓", "warning": "!", "fault": "✗"}


def register(app: typer.Typer) -> None:
    """Add the command to the top level."""
    app.command()(doctor)


def doctor(as_json: AsJson = False) -> None:
    """Look for what is wrong, and say how to mend it; exit code 1 if there is a fault."""
    from swapflow.processes.doctor import Grade, examine

    findings = []
    for finding in examine():
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
