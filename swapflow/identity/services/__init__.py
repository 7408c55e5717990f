"""The services that interfaces call around the cycles, one per subject."""

from dataclasses import dataclass

from swapflow.identity.services.api_clients import ApiClientService
from swapflow.identity.services.applicant_tries import ApplicantTries
from swapflow.identity.services.audit_log import AuditLogService
from swapflow.identity.services.context import IdentityContext
from swapflow.identity.services.reviews_links import ReviewsLinkService
from swapflow.identity.services.sign_in import SignInService
from swapflow.identity.services.to_do import ToDoService
from swapflow.identity.services.users import UserService
from swapflow.identity.services.webhooks import WebhookService


__all__ = ["IdentityContext", "Office", "compose_office"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Accounts, sign-in, rights and the audit log: the office's services, by subject.

    Attributes:
        context: The objects that the services need; interfaces call the services instead.
    """

    context: IdentityContext
    sign_in: SignInService
    reviews_links: ReviewsLinkService
    users: UserService
    api_clients: ApiClientService
    webhooks: WebhookService
    audit_log: AuditLogService
    to_do: ToDoService
    applicant_tries: ApplicantTries


def compose_office(context: IdentityContext) -> Office:
    """Build every service of the office over one context."""
    sign_in = SignInService(context=context)
    return Office(
        context=context,
        sign_in=sign_in,
        reviews_links=ReviewsLinkService(context=context, sign_in=sign_in),
        users=UserService(context=context),
        api_clients=ApiClientService(context=context),
        webhooks=WebhookService(context=context),
        audit_log=AuditLogService(context=context),
        to_do=ToDoService(context=context),
        applicant_tries=ApplicantTries(context=context),
    )
