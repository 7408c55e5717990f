"""The services that interfaces call around the cycles, one per subject, built at first use."""

# ruff: noqa: PLC0415 - each service is imported where it is built, as in `engine/services/`

from functools import cached_property
from typing import TYPE_CHECKING

from swapflow.identity.services.context import IdentityContext


if TYPE_CHECKING:
    from swapflow.identity.services.api_clients import ApiClientService
    from swapflow.identity.services.applicant_tries import ApplicantTries
    from swapflow.identity.services.audit_log import AuditLogService
    from swapflow.identity.services.groups import GroupService
    from swapflow.identity.services.personal_data import PersonalDataService
    from swapflow.identity.services.reviews_links import ReviewsLinkService
    from swapflow.identity.services.sign_in import SignInService
    from swapflow.identity.services.to_do import ToDoService
    from swapflow.identity.services.units import UnitService
    from swapflow.identity.services.users import UserService
    from swapflow.identity.services.webhooks import WebhookService


__all__ = ["IdentityContext", "Office", "compose_office"]


class Office:
    """Accounts, sign-in, rights and the audit log: the office's services, by subject.

    Attributes:
        context: The objects that the services need; interfaces call the services instead.
    """

    def __init__(self, context: IdentityContext) -> None:
        self.context = context

    @cached_property
    def sign_in(self) -> "SignInService":
        """Sessions: begun, recognised, ended."""
        from swapflow.identity.services.sign_in import SignInService

        return SignInService(context=self.context, groups=self.groups)

    @cached_property
    def reviews_links(self) -> "ReviewsLinkService":
        """Links that lead a reviewer to their reviews."""
        from swapflow.identity.services.reviews_links import ReviewsLinkService

        return ReviewsLinkService(context=self.context, sign_in=self.sign_in)

    @cached_property
    def users(self) -> "UserService":
        """Accounts and their rights."""
        from swapflow.identity.services.users import UserService

        return UserService(context=self.context)

    @cached_property
    def groups(self) -> "GroupService":
        """Groups of the identity provider, and the roles that they give."""
        from swapflow.identity.services.groups import GroupService

        return GroupService(context=self.context)

    @cached_property
    def units(self) -> "UnitService":
        """Units of the office, and who works for which."""
        from swapflow.identity.services.units import UnitService

        return UnitService(context=self.context, users=self.users)

    @cached_property
    def api_clients(self) -> "ApiClientService":
        """Keys of programs that use the API."""
        from swapflow.identity.services.api_clients import ApiClientService

        return ApiClientService(context=self.context)

    @cached_property
    def webhooks(self) -> "WebhookService":
        """Addresses that are called when something happens."""
        from swapflow.identity.services.webhooks import WebhookService

        return WebhookService(context=self.context)

    @cached_property
    def audit_log(self) -> "AuditLogService":
        """Who did what."""
        from swapflow.identity.services.audit_log import AuditLogService

        return AuditLogService(context=self.context)

    @cached_property
    def personal_data(self) -> "PersonalDataService":
        """Copies of everything held about one person."""
        from swapflow.identity.services.personal_data import PersonalDataService

        return PersonalDataService(context=self.context)

    @cached_property
    def to_do(self) -> "ToDoService":
        """What waits for each person."""
        from swapflow.identity.services.to_do import ToDoService

        return ToDoService(context=self.context)

    @cached_property
    def applicant_tries(self) -> "ApplicantTries":
        """How often applicants' links are tried."""
        from swapflow.identity.services.applicant_tries import ApplicantTries

        return ApplicantTries(context=self.context)


def compose_office(context: IdentityContext) -> Office:
    """Return the office over one context."""
    return Office(context)
