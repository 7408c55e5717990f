"""The services that interfaces call, one per subject, with one method per action of a person.

A command, a page and a task each parse, call one method here, and report.
"""

from dataclasses import dataclass

from swapflow.engine.notifications.office_contact import OfficeContact
from swapflow.engine.services.announcements import AnnouncementService
from swapflow.engine.services.answers import AnswerService
from swapflow.engine.services.applicants import ApplicantService
from swapflow.engine.services.approvals import ApprovalService
from swapflow.engine.services.cohort import CohortService
from swapflow.engine.services.context import ServiceContext
from swapflow.engine.services.cycles import CycleService
from swapflow.engine.services.delivery import DeliveryService
from swapflow.engine.services.held_acts import HeldActService
from swapflow.engine.services.meetings import MeetingService
from swapflow.engine.services.offers import OfferService
from swapflow.engine.services.outbox import OutboxService
from swapflow.engine.services.pending import PendingService
from swapflow.engine.services.practice import PracticeService
from swapflow.engine.services.reconsiderations import ReconsiderationService
from swapflow.engine.services.reports import ReportService
from swapflow.engine.services.reviewers import ReviewerService
from swapflow.engine.services.scores import ScoreService
from swapflow.engine.services.tasks import TaskService


__all__ = ["ServiceContext", "Swapflow", "compose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swapflow:
    """The product: its services, by subject.

    Attributes:
        context: What the services have at hand; interfaces call the services instead.
    """

    context: ServiceContext
    cycles: CycleService
    reports: ReportService
    applicants: ApplicantService
    reviewers: ReviewerService
    tasks: TaskService
    scores: ScoreService
    practice: PracticeService
    approvals: ApprovalService
    cohort: CohortService
    meetings: MeetingService
    offers: OfferService
    announcements: AnnouncementService
    answers: AnswerService
    reconsiderations: ReconsiderationService
    outbox: OutboxService
    delivery: DeliveryService
    pending: PendingService
    held_acts: HeldActService

    @property
    def office(self) -> OfficeContact:
        """How the office is named to reviewers and applicants."""
        return self.context.office

    @property
    def address(self) -> str:
        """Where people reach the pages; links in mails and files start with it."""
        return self.context.address


def compose(context: ServiceContext) -> Swapflow:
    """Build every service over one context."""
    tasks = TaskService(context=context)
    approvals, reviewers = ApprovalService(context=context), ReviewerService(context=context)
    return Swapflow(
        context=context,
        cycles=CycleService(context=context),
        reports=ReportService(context=context),
        applicants=ApplicantService(context=context),
        reviewers=reviewers,
        tasks=tasks,
        scores=ScoreService(context=context),
        practice=PracticeService(context=context),
        approvals=approvals,
        cohort=CohortService(context=context),
        meetings=MeetingService(context=context),
        offers=OfferService(context=context),
        announcements=AnnouncementService(context=context),
        answers=AnswerService(context=context),
        reconsiderations=ReconsiderationService(context=context),
        outbox=OutboxService(context=context),
        delivery=DeliveryService(context, tasks),
        pending=PendingService(context=context),
        held_acts=HeldActService(context=context, approvals=approvals, reviewers=reviewers),
    )
