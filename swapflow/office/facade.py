"""What the interfaces call around the cycles: one method for each thing that a person does."""

from dataclasses import dataclass

from swapflow.office.doors import PROVIDER_FAILURES, Doors
from swapflow.office.people import People
from swapflow.office.programs import Programs
from swapflow.office.visitor import User, Visitor, require


__all__ = ["PROVIDER_FAILURES", "Office", "User", "Visitor", "require"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Office(Doors, People, Programs):
    """Accounts, sign-in, rights and the audit log."""
