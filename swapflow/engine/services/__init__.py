"""The services that interfaces call, one per subject, with one method per action of a person.

A command, a page and a task each parse, call one method here, and report. A service is loaded and
built when it is first asked for: a command that reads one program needs three of them, and the
rest would be a quarter of its time. Services keep nothing of their own, so of two threads that
come first at the same time each may build one.
"""

# ruff: noqa: PLC0415 - each service is imported where it is built, see above

from functools import cached_property
from typing import TYPE_CHECKING

from swapflow.engine.services.context import ServiceContext


if TYPE_CHECKING:
    from swapflow.engine.notifications.office_contact import OfficeContact
    from swapflow.engine.services.announcements import AnnouncementService
    from swapflow.engine.services.answers import AnswerService
    from swapflow.engine.services.applicants import ApplicantService
    from swapflow.engine.services.approvals import ApprovalService
    from swapflow.engine.services.backups import BackupService
    from swapflow.engine.services.cohort import CohortService
    from swapflow.engine.services.copies import CopyService
    from swapflow.engine.services.cycles import CycleService
    from swapflow.engine.services.delivery import DeliveryService
    from swapflow.engine.services.exchange import ExchangeService
    from swapflow.engine.services.held_acts import HeldActService
    from swapflow.engine.services.meetings import MeetingService
    from swapflow.engine.services.offers import OfferService
    from swapflow.engine.services.outbox import OutboxService
    from swapflow.engine.services.pending import PendingService
    from swapflow.engine.services.practice import PracticeService
    from swapflow.engine.services.reconsiderations import ReconsiderationService
    from swapflow.engine.services.reports import ReportService
    from swapflow.engine.services.retention import RetentionService
    from swapflow.engine.services.returned_mails import ReturnedMailService
    from swapflow.engine.services.reviewers import ReviewerService
    from swapflow.engine.services.scores import ScoreService
    from swapflow.engine.services.tasks import TaskService


__all__ = ["ServiceContext", "Swapflow", "compose"]


class Swapflow:
    """The product: its services, by subject.

    Attributes:
        context: What the services have at hand; interfaces call the services instead.
    """

    def __init__(self, context: ServiceContext) -> None:
        self.context = context

    @property
    def office(self) -> "OfficeContact":
        """How the office is named to reviewers and applicants."""
        return self.context.office

    @property
    def address(self) -> str:
        """Where people reach the pages; links in mails and files start with it."""
        return self.context.address

    @cached_property
    def cycles(self) -> "CycleService":
        """The life of a program: its rules, from launch to the end of asking."""
        from swapflow.engine.services.cycles import CycleService

        return CycleService(context=self.context)

    @cached_property
    def copies(self) -> "CopyService":
        """Programs made from others."""
        from swapflow.engine.services.copies import CopyService

        return CopyService(context=self.context, tasks=self.tasks)

    @cached_property
    def reports(self) -> "ReportService":
        """How a program stands, and whether its record is intact."""
        from swapflow.engine.services.reports import ReportService

        return ReportService(context=self.context)

    @cached_property
    def applicants(self) -> "ApplicantService":
        """Applicants: imported, corrected, withdrawn, erased."""
        from swapflow.engine.services.applicants import ApplicantService

        return ApplicantService(context=self.context)

    @cached_property
    def reviewers(self) -> "ReviewerService":
        """Reviewers, and the interviews that they hold."""
        from swapflow.engine.services.reviewers import ReviewerService

        return ReviewerService(context=self.context)

    @cached_property
    def tasks(self) -> "TaskService":
        """The reviewer's side."""
        from swapflow.engine.services.tasks import TaskService

        return TaskService(context=self.context)

    @cached_property
    def scores(self) -> "ScoreService":
        """What staff do to scores."""
        from swapflow.engine.services.scores import ScoreService

        return ScoreService(context=self.context)

    @cached_property
    def practice(self) -> "PracticeService":
        """Practice files before a launch."""
        from swapflow.engine.services.practice import PracticeService

        return PracticeService(context=self.context)

    @cached_property
    def exchange(self) -> "ExchangeService":
        """Files of other systems."""
        from swapflow.engine.services.exchange import ExchangeService

        return ExchangeService(context=self.context)

    @cached_property
    def approvals(self) -> "ApprovalService":
        """Requests that wait for an approval."""
        from swapflow.engine.services.approvals import ApprovalService

        return ApprovalService(context=self.context)

    @cached_property
    def cohort(self) -> "CohortService":
        """The proposal and the final list."""
        from swapflow.engine.services.cohort import CohortService

        return CohortService(context=self.context)

    @cached_property
    def meetings(self) -> "MeetingService":
        """The meeting of the committee."""
        from swapflow.engine.services.meetings import MeetingService

        return MeetingService(context=self.context)

    @cached_property
    def offers(self) -> "OfferService":
        """Places offered and answered."""
        from swapflow.engine.services.offers import OfferService

        return OfferService(context=self.context)

    @cached_property
    def announcements(self) -> "AnnouncementService":
        """What applicants are told."""
        from swapflow.engine.services.announcements import AnnouncementService

        return AnnouncementService(context=self.context)

    @cached_property
    def answers(self) -> "AnswerService":
        """What applicants answer by their links."""
        from swapflow.engine.services.answers import AnswerService

        return AnswerService(context=self.context)

    @cached_property
    def reconsiderations(self) -> "ReconsiderationService":
        """Applications looked at again after the list was final."""
        from swapflow.engine.services.reconsiderations import ReconsiderationService

        return ReconsiderationService(context=self.context)

    @cached_property
    def outbox(self) -> "OutboxService":
        """Mails and webhook calls that wait to leave."""
        from swapflow.engine.services.outbox import OutboxService

        return OutboxService(context=self.context)

    @cached_property
    def returned_mails(self) -> "ReturnedMailService":
        """Mails that came back, and addresses that take none."""
        from swapflow.engine.services.returned_mails import ReturnedMailService

        return ReturnedMailService(context=self.context)

    @cached_property
    def delivery(self) -> "DeliveryService":
        """What a worker does with a message."""
        from swapflow.engine.services.delivery import DeliveryService

        return DeliveryService(self.context, self.tasks)

    @cached_property
    def pending(self) -> "PendingService":
        """What waits for people."""
        from swapflow.engine.services.pending import PendingService

        return PendingService(context=self.context)

    @cached_property
    def held_acts(self) -> "HeldActService":
        """Acts that can be undone for some minutes."""
        from swapflow.engine.services.held_acts import HeldActService

        return HeldActService(
            context=self.context, approvals=self.approvals, reviewers=self.reviewers
        )

    @cached_property
    def retention(self) -> "RetentionService":
        """What is kept, and how long."""
        from swapflow.engine.services.retention import RetentionService

        return RetentionService(context=self.context)

    @cached_property
    def backups(self) -> "BackupService":
        """Copies of the database."""
        from swapflow.engine.services.backups import BackupService

        return BackupService(context=self.context)


def compose(context: ServiceContext) -> Swapflow:
    """Return the product over one context."""
    return Swapflow(context)
