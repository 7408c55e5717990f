"""The audit log: who did what."""

from collections.abc import Sequence
from dataclasses import dataclass

from swapflow.identity.account import AuditEntry
from swapflow.identity.services.context import IdentityContext


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLogService:
    """Writing and reading of the audit log."""

    context: IdentityContext

    def record(
        self,
        who: str,
        what: str,
        *,
        cycle_id: str | None = None,
        about: str = "",
        detail: str = "",
    ) -> None:
        """Write a line into the audit log."""
        self.context.record(who, what, cycle_id=cycle_id, about=about, detail=detail)

    def entries(
        self, *, cycle_id: str | None = None, before: int | None = None, at_most: int = 100
    ) -> Sequence[tuple[int, AuditEntry]]:
        """Read the audit log, newest first; `before` is the number of the last one seen."""
        return self.context.ledger.audit(cycle_id=cycle_id, before=before, at_most=at_most)
