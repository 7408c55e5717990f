"""One person's file and the log of what people did, as pages and for programs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import PurePosixPath

from swapflow.files.exports.document import DocumentGrid, DocumentPart, PrintedDocument
from swapflow.files.exports.marks_in_words import withheld_in_words
from swapflow.identity.personal_data import ActivityEntry, Held, PersonalDataReport


_TITLES = {
    "application": "The application",
    "roster": "The entry on the list of reviewers",
    "person": "Name and address",
    "document": "Documents",
    "document_content": "Uploaded files",
    "selection_attribute": "Attributes that may enter a list",
    "monitoring_attribute": "What was declared for monitoring alone",
    "conflict": "Conflicts of interest",
    "panel": "Panels",
    "endorsement": "Words in favour",
    "pull": "Requests for reviews",
    "assignment": "Who was asked",
    "draft": "Drafts",
    "skip": "Tasks put off",
    "score": "Scores",
    "mark": "Marks",
    "remark": "Remarks",
    "score_note": "Further notes of reviewers",
    "adjustment": "Adjusted scores",
    "interview": "Interviews",
    "approval": "Approvals",
    "approval_pull": "Requests that were approved or struck",
    "seat": "Seats of panels",
    "wish": "Extra reviews asked for",
    "place": "Places on proposed lists",
    "outcome": "Decisions",
    "waiver": "Waivers",
    "meeting_outcome": "What was recorded at meetings",
    "meeting_look": "What was opened at meetings",
    "reconsideration": "What was reconsidered after the list was fixed",
    "pin": "Wanted in or out",
    "offer": "Offers",
    "offer_answer": "Answers to offers",
    "note": "Reasons on record",
    "announced": "Letters about the decision",
    "message": "Mails",
    "account": "Account",
    "session": "Devices signed in",
    "role_grant": "Rights",
    "account_group": "Groups stated at the last sign-in",
    "group_claim": "Whether groups were stated at the last sign-in",
    "audit": "What this person did at the screens",
    "roster_absence": "Absences",
    "expertise": "Topics",
}
_BEFORE_YOU_HAND_IT_OVER = (
    "Read it before you hand it over: free text may name others, whose data it then is too. "
    "Keys of devices and passwords are left out."
)


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
    }
    return _json(content)


def personal_data_document(report: PersonalDataReport) -> PrintedDocument:
    """Write everything on one page."""
    return PrintedDocument(
        title=f"Everything held about one {report.role}",
        about=f"{report.name or report.external_id} ({report.external_id}), {report.cycle_id}",
        lead=(
            f"All that is kept in program {report.cycle_id}, table by table.",
            "The record of events holds numbers besides, never a name.",
            *withheld_in_words(report.withheld),
            _BEFORE_YOU_HAND_IT_OVER,
        ),
        parts=tuple(_part(name, rows) for name, rows in report.rows.items() if rows),
        foot=f"Made {report.at:%Y-%m-%d %H:%M} UTC.",
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


def _part(name: str, rows: Sequence[Mapping[str, Held]]) -> DocumentPart:
    title = _TITLES.get(name, name.replace("_", " ").capitalize())
    if len(rows) == 1:
        return DocumentPart(
            title=title, facts=tuple((_word(k), _spelled(v)) for k, v in rows[0].items())
        )
    headers = tuple(dict.fromkeys(column for row in rows for column in row))
    grid = DocumentGrid(
        caption=f"{len(rows)} rows",
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
        return "yes" if value else "no"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _ending(name: str) -> str:
    # The name is the uploader's: nothing but letters and digits may reach a path.
    ending = PurePosixPath(name).suffix.lower()
    return ending if ending[1:].isascii() and ending[1:].isalnum() else ""


def _json(content: Mapping[str, object] | Iterable[object]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1, default=str) + "\n").encode()
