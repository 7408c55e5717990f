"""What the interfaces call around the cycles: one method for each thing that a person does."""

from dataclasses import dataclass

from swapflow.identity.principal import User, Visitor, require
from swapflow.identity.services.api_clients import Programs
from swapflow.identity.services.sign_in import PROVIDER_FAILURES, Doors
from swapflow.identity.services.users import People


__all__ = ["PROVIDER_FAILURES", "Office", "User", "Visitor", "require"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Office(Doors, People, Programs):
    """Accounts, sign-in, rights and the audit log."""
