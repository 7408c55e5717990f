"""What the interfaces call around the cycles: one method for each thing that a person does."""

from dataclasses import dataclass

from swapflow.identity.services.api_clients import ApiClientService
from swapflow.identity.services.sign_in import SignInService
from swapflow.identity.services.users import UserService


__all__ = ["Office"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Office(SignInService, UserService, ApiClientService):
    """Accounts, sign-in, rights and the audit log."""
