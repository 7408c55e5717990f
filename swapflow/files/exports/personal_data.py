"""One person's file and the log of what people did, as pages and for programs."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import PurePosixPath

from swapflow.files.exports.document import DocumentGrid, DocumentPart, PrintedDocument, html
from swapflow.files.exports.marks_in_words import withheld_in_words
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.identity.personal_data import MONITORED, ActivityEntry, Held, PersonalDataReport


_TITLES = {
    "application": gettext_noop("The applicant"),
    "roster": gettext_noop("The entry on the list of reviewers"),
    "person": gettext_noop("Name and address"),
    "document": gettext_noop("Documents"),
    "document_content": gettext_noop("Uploaded files"),
    "selection_attribute": gettext_noop("Attributes that may enter a list"),
    "monitoring_attribute": gettext_noop("What was declared for monitoring alone"),
    "conflict": gettext_noop("Conflicts of interest"),
    "panel": gettext_noop("Panels"),
    "endorsement": gettext_noop("Support"),
    "pull": gettext_noop("Reviews asked for"),
    "assignment": gettext_noop("Who was asked"),
    "draft": gettext_noop("Drafts"),
    "skip": gettext_noop("Reviews put off"),
    "score": gettext_noop("Scores"),
    "mark": gettext_noop("Marks"),
    "remark": gettext_noop("Remarks"),
    "score_note": gettext_noop("Further notes of reviewers"),
    "adjustment": gettext_noop("Adjusted scores"),
    "interview": gettext_noop("Interviews"),
    "approval": gettext_noop("Approvals"),
    "approval_pull": gettext_noop("Reviews that were approved or declined"),
    "seat": gettext_noop("Places in panels"),
    "wish": gettext_noop("Extra reviews asked for"),
    "place": gettext_noop("Places on proposed lists"),
    "outcome": gettext_noop("Decisions"),
    "waiver": gettext_noop("Waivers"),
    "meeting_outcome": gettext_noop("What was recorded at meetings"),
    "meeting_look": gettext_noop("What was opened at meetings"),
    "reconsideration": gettext_noop("What was reconsidered after the list was final"),
    "pin": gettext_noop("Wanted in or out"),
    "offer": gettext_noop("Offers"),
    "offer_answer": gettext_noop("Answers to offers"),
    "note": gettext_noop("Reasons on record"),
    "announced": gettext_noop("Letters about the decision"),
    "message": gettext_noop("Mails"),
    "account": gettext_noop("Account"),
    "session": gettext_noop("Devices signed in"),
    "role_grant": gettext_noop("Rights"),
    "account_group": gettext_noop("Groups stated at the last sign-in"),
    "group_claim": gettext_noop("Whether groups were stated at the last sign-in"),
    "audit": gettext_noop("What this person did at the screens"),
    "roster_absence": gettext_noop("Absences"),
    "expertise": gettext_noop("Topics"),
}


def personal_data_files(report: PersonalDataReport) -> list[tuple[str, bytes]]:
    """Return the files of a copy, each with its name: a page, JSON, the uploaded files."""
    return [
        ("person.html", html(personal_data_document(report))),
        ("person.json", personal_data_json(report)),
        *named_files(report),
    ]


def personal_data_archive(report: PersonalDataReport) -> bytes:
    """Return the files of a copy as one ZIP."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in personal_data_files(report):
            archive.writestr(name, body)
    return file.getvalue()


def personal_data_json(report: PersonalDataReport) -> bytes:
    """Return everything under stable keys."""
    content = {
        "cycle": report.cycle_id,
        "role": report.role,
        "id": report.external_id,
        "name": report.name,
        "at": report.at.isoformat(),
        "held": {name: list(rows) for name, rows in report.rows.items()},
        "files": [file for file, _ in named_files(report)],
        "withheld": list(report.withheld),
        "left_out": list(report.left_out),
    }
    return _json(content)


def personal_data_document(report: PersonalDataReport) -> PrintedDocument:
    """Write everything on one page."""
    return PrintedDocument(
        title=gettext("Everything held about one applicant")
        if report.role == "applicant"
        else gettext("Everything held about one reviewer"),
        about=f"{report.name or report.external_id} ({report.external_id}), {report.cycle_id}",
        lead=(
            gettext("All that is kept in program %(program)s, table by table.")
            % {"program": report.cycle_id},
            gettext("The record of events has numbers besides, never a name."),
            *withheld_in_words(report.withheld),
            *_left_out_in_words(report.left_out),
            gettext(
                "Read it before you hand it over: free text may name others, whose data it then "
                "is too. Keys of devices and passwords are left out."
            ),
        ),
        parts=tuple(_part(name, rows) for name, rows in report.rows.items() if rows),
        foot=gettext("Made %(time)s UTC.") % {"time": f"{report.at:%Y-%m-%d %H:%M}"},
    )


def named_files(report: PersonalDataReport) -> list[tuple[str, bytes]]:
    """Return the uploaded files under names that are safe as paths: a number and the ending."""
    return [
        (f"document-{number}{_ending(file.name)}", file.body)
        for number, file in enumerate(report.files, start=1)
    ]


def oversight_json(cycle_id: str, acts: Sequence[ActivityEntry], *, at: datetime) -> bytes:
    """Return the log under stable keys."""
    listed = [asdict(act) | {"at": act.at.isoformat()} for act in acts]
    return _json({"cycle": cycle_id, "at": at.isoformat(), "acts": listed})


def oversight_document(
    cycle_id: str, acts: Sequence[ActivityEntry], *, at: datetime
) -> PrintedDocument:
    """List what people did: where they departed from what was proposed, then everything else."""
    departed = [act for act in acts if act.departs]
    others = [act for act in acts if not act.departs]
    return PrintedDocument(
        title="Oversight log",
        about=f"Program {cycle_id}",
        lead=(
            "What people did in this program.",
            "First where they decided otherwise than was proposed, or intervened; then the rest.",
        ),
        parts=(
            _listed("Where people decided otherwise or intervened", departed),
            _listed("Everything else", others),
        ),
        foot=f"Made {at:%Y-%m-%d %H:%M} UTC from the record.",
    )


def _listed(title: str, acts: Sequence[ActivityEntry]) -> DocumentPart:
    if not acts:
        return DocumentPart(title=title, text=("Nothing is on record.",))
    rows = tuple(
        (f"{act.at:%Y-%m-%d %H:%M}", act.by, act.what, act.about or "–", act.reason or "–")
        for act in acts
    )
    headers = ("When (UTC)", "Who", "What", "About", "Reason")
    return DocumentPart(
        title=title, grids=(DocumentGrid(caption="Oldest first", headers=headers, rows=rows),)
    )


def _left_out_in_words(tables: Sequence[str]) -> Iterable[str]:
    if MONITORED in tables:
        yield gettext(
            "What applicants declare for monitoring alone is in no copy that is taken at a screen "
            "or by the API, since people who decide may not see it. "
            "The command swapflow personal-data export adds it."
        )


def _part(name: str, rows: Sequence[Mapping[str, Held]]) -> DocumentPart:
    known = _TITLES.get(name)
    title = gettext(known) if known else name.replace("_", " ").capitalize()
    if len(rows) == 1:
        return DocumentPart(
            title=title, facts=tuple((_word(k), _spelled(v)) for k, v in rows[0].items())
        )
    headers = tuple(dict.fromkeys(column for row in rows for column in row))
    grid = DocumentGrid(
        caption=gettext("%(count)s rows") % {"count": len(rows)},
        headers=tuple(_word(header) for header in headers),
        rows=tuple(tuple(_spelled(row.get(header)) for header in headers) for row in rows),
    )
    return DocumentPart(title=title, grids=(grid,))


def _word(column: str) -> str:
    return column.replace("_", " ")


def _spelled(value: Held) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _ending(name: str) -> str:
    # The name is the uploader's: nothing but letters and digits may reach a path.
    ending = PurePosixPath(name).suffix.lower()
    return ending if ending[1:].isascii() and ending[1:].isalnum() else ""


def _json(content: Mapping[str, object] | Iterable[object]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1, default=str) + "\n").encode()
