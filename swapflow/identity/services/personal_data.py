"""Copies of everything held about one person, each written into the audit log before it leaves."""

from dataclasses import dataclass

from swapflow.identity.personal_data import (
    ActivityEntry,
    PersonalDataReport,
    own_copy,
    without_monitoring,
)
from swapflow.identity.services.context import IdentityContext


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataService:
    """Copies of what is held about one person: page, command and API all take them here."""

    context: IdentityContext

    def applicant(
        self,
        cycle_id: str,
        external_id: str,
        *,
        by: str,
        with_confidential: bool = False,
        with_monitoring: bool = False,
    ) -> PersonalDataReport:
        """Collect an applicant's own copy, and write down who takes it.

        Args:
            cycle_id: The program.
            external_id: The applicant.
            by: Who takes it.
            with_confidential: Confidential documents and fields too, for the office alone.
            with_monitoring: What was declared for monitoring alone too; never for people who
                decide in the program.

        Raises:
            NotFoundError: If there is no such program or applicant; nothing is written then.
            UnavailableError: If the database does not answer.
        """
        record = self.context.personal_data
        found = record.applicant(cycle_id, external_id)
        if not with_confidential:
            found = own_copy(found, record.confidential_words(cycle_id))
        if not with_monitoring:
            found = without_monitoring(found)
        detail = "with what is confidential" if with_confidential else ""
        return self._written_down(found, by=by, detail=detail)

    def reviewer(self, cycle_id: str, external_id: str, *, by: str) -> PersonalDataReport:
        """Collect everything held about a reviewer, their account included; write down by whom.

        Raises:
            NotFoundError: If there is no such program or reviewer; nothing is written then.
            UnavailableError: If the database does not answer.
        """
        found = self.context.personal_data.reviewer(cycle_id, external_id)
        return self._written_down(found, by=by)

    def acts(self, cycle_id: str) -> tuple[ActivityEntry, ...]:
        """List the actions of people in a cycle, oldest first."""
        return self.context.personal_data.acts(cycle_id)

    def _written_down(
        self, found: PersonalDataReport, *, by: str, detail: str = ""
    ) -> PersonalDataReport:
        """Write into the audit log who takes a copy; only then it is handed on."""
        self.context.record(
            by,
            f"exported the file of one {found.role}",
            cycle_id=found.cycle_id,
            about=found.external_id,
            detail=detail,
        )
        return found
