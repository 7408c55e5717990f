"""Lists of known systems, recognised by their headers.

A shape fills what the headers alone leave open. It never chooses the mail address as the key:
that is proposed, and staff say so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from swapflow.files.tables.cells import spelling
from swapflow.files.tables.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLayout:
    """A list as some system writes it.

    Attributes:
        system: What messages call it.
        columns: Role by header, for headers that do not say it themselves.
        key: What names an applicant in such lists.
    """

    system: str
    columns: Mapping[str, str]
    key: Literal["id", "email"]

    def told(self, taken: Sequence[str]) -> str:
        """Return what was recognised, and which columns are taken for something because of it."""
        said = f"this looks like a list from {self.system}"
        if taken:
            roles = ", ".join(
                f"{header!r} for {self.columns[header] or 'nothing'}" for header in taken
            )
            said += f"; its columns are taken so: {roles}"
        if self.key == "email":
            said += ". It holds no id, so the mail address is proposed as the key"
        return said


_PERSON_IDS = (
    "person_reference_id",
    "person_ref",
    "person_id",
    "person",
    "slate_id",
    "prospect_id",
)
_APPLICATION_IDS = (
    "application_reference_id", "application_ref", "application_slate_guid", "application_id",
    "application", "app_id", "app_ref", "reference_id", "ref", "unique_field", "unique_id",
)  # fmt: skip
_SLATE = frozenset(
    {
        "bin", "round", "entry_term", "application_round", "application_period", "period",
        "decision_1", "decision_released", "checklist_complete", "submitted_date", "reader_queue",
        "first_source", "slate_id", "person_reference_id", "application_reference_id",
    }
)  # fmt: skip
_GREENHOUSE = frozenset(
    {"who_gets_credit", "prospect_pool", "prospect_stage", "prospect_pool_stage", "greenhouse_id",
     "candidate_id", "application_stage", "current_stage", "job_id", "stage_id", "stage_name",
     "current_stage_id", "rejected_at", "applied_at", "last_activity_at"}
)  # fmt: skip
_GREENHOUSE_TOO = frozenset(
    {"source", "job", "jobs", "office", "social_media", "recruiter", "coordinator", "stage"}
)
_GREENHOUSE_IDS = ("application_id", "candidate_id", "greenhouse_id")
_CAS_IDS = ("cas_id", "applicant_cas_id", "cas_applicant_id", "liaison_id")
_CAS_APPLICATION_IDS = ("cas_application_id", "designation_id", "application_designation_id")
_LIAISON = frozenset(
    {
        "local_status", "designation", "designation_name", "designation_status", "decision_code",
        "program_name", "program_code", "application_status", "cas_application_status",
        "date_submitted", "submitted_date", "date_verified", "verified_date", "last_cas_update",
        "application_last_changed_on", "local_gpa", "organization_name", "delivery", "cycle",
        "designation_id", "start_term", "start_year",
    }
)  # fmt: skip
_SIGNS = 2
"""Headers peculiar to a system that a list has at least."""


def shape_of(table: Table) -> KnownLayout | None:
    """Recognise the system that wrote a list; None if none is known."""
    headers = {spelling(header): header for header in reversed(table.headers)}
    return _liaison(headers) or _slate(headers) or _greenhouse(headers)


def _liaison(headers: Mapping[str, str]) -> KnownLayout | None:
    """Recognise an export of WebAdMIT, or a delivery of a Liaison CAS."""
    person = next((i for i in _CAS_IDS if i in headers), "")
    if not person or len(_LIAISON & headers.keys()) < _SIGNS:
        return None
    columns = {headers[person]: "external_id"}
    for one in (*_CAS_APPLICATION_IDS, "applicant_id", "application_id"):
        if one in headers:
            columns[headers[one]] = f"field:{headers[one]}"
    # Their column tells of the form and not of the applicant: "In Progress", "Verified".
    for one in ("application_status", "cas_application_status"):
        if one in headers:
            columns[headers[one]] = "status"
            break
    return KnownLayout(system="Liaison (WebAdMIT)", columns=columns, key="id")


def _slate(headers: Mapping[str, str]) -> KnownLayout | None:
    application = next((i for i in _APPLICATION_IDS if i in headers), "")
    person = next((i for i in _PERSON_IDS if i in headers), "")
    halves = {"first", "last"} <= headers.keys()
    signs = len(_SLATE & headers.keys()) + halves
    if not (application or person) or signs < _SIGNS:
        return None
    columns = {headers[application or person]: "external_id"}
    if application and person:
        columns[headers[person]] = f"field:{headers[person]}"
    for spelled, role in (("first", "first_name"), ("last", "last_name")):
        if halves:
            columns[headers[spelled]] = role
    return KnownLayout(system="Slate", columns=columns, key="id")


def _greenhouse(headers: Mapping[str, str]) -> KnownLayout | None:
    signs = len(_GREENHOUSE & headers.keys())
    if not {"first_name", "last_name", "email"} <= headers.keys() or signs < _SIGNS:
        return None
    ids = next(
        (i for i in ("application_id", "candidate_id", "greenhouse_id") if i in headers), ""
    )
    columns = {headers[ids]: "external_id"} if ids else {}
    if ids == "application_id" and "candidate_id" in headers:
        columns[headers["candidate_id"]] = f"field:{headers['candidate_id']}"
    return KnownLayout(system="Greenhouse", columns=columns, key="id" if ids else "email")
