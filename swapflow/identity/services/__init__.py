"""The services of the office: one method for each action of a person."""

from dataclasses import dataclass

from swapflow.identity.services.api_clients import ApiClientService
from swapflow.identity.services.sign_in import SignInService
from swapflow.identity.services.users import UserService


__all__ = ["Office"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Office(SignInService, UserService, ApiClientService):
    """Accounts, sign-in, permissions and the audit log."""
