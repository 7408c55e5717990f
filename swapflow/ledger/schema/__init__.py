"""The schema: every table of the ledger, in the order in which a cycle fills them.

Three rules run through it. Ids are natural, so that creating a thing twice gives the same row.
Personal data and free text are in columns marked *erasable*; hashed or summed columns hold numbers
only. Statuses are words, so that a new one needs no migration.

Rows are written and read by SQLAlchemy Core over `ROUND`, `CYCLE` … at the end of this module:
the classes describe the rows and validate nothing (SQLModel tables never do).
"""

from swapflow.ledger.schema.base import table
from swapflow.ledger.schema.cohort import (
    AnnouncedRow,
    AnnouncementRow,
    ApplicantAnswerRow,
    MeetingLookRow,
    MeetingOutcomeRow,
    MeetingRow,
    MeetingTurnRow,
    OfferAnswerRow,
    OfferRow,
    ReconsiderationRow,
    YieldRateRow,
    ZoneConfirmationRow,
)
from swapflow.ledger.schema.cycle import (
    ClockRow,
    CoordinatorRow,
    CycleRow,
    PullKindRow,
    RoundRow,
    RubricRow,
    RulesRow,
    SeatLineRow,
)
from swapflow.ledger.schema.decisions import (
    CohortVersionRow,
    DecisionRow,
    EventRow,
    OutcomeRow,
    PinRow,
    PlaceRow,
    PreparedRow,
    PreparedSignatureRow,
    ProposalRow,
    SealRow,
    SignatureRow,
    WaiverRow,
    WishRow,
)
from swapflow.ledger.schema.identity import (
    AccountGroupRow,
    AccountRow,
    ApiTokenRow,
    AuditRow,
    CycleUnitRow,
    GroupClaimRow,
    GroupRoleRow,
    IdempotencyRow,
    RoleGrantRow,
    SessionRow,
    SignInRow,
    UnitRow,
)
from swapflow.ledger.schema.outbox import (
    HeldActRow,
    LinkTokenRow,
    MessageRow,
    NoteRow,
    PersonalLinkRow,
    StrayBounceRow,
    WebhookCallRow,
    WebhookPositionRow,
    WebhookRow,
)
from swapflow.ledger.schema.people import (
    ApplicationRow,
    AttributeValueRow,
    ConflictRow,
    DocumentContentRow,
    DocumentRow,
    EndorsementRow,
    ErasedPersonRow,
    ExchangedFileRow,
    ExpertiseRow,
    ImportedRow,
    ListReadingRow,
    MonitoringAttributeRow,
    OpenedRow,
    PanelRow,
    PersonRow,
    RosterAbsenceRow,
    RosterRow,
    SelectionAttributeRow,
    TopicRow,
)
from swapflow.ledger.schema.retention import (
    BackupRunRow,
    LegalHoldRow,
    RetentionDeletionRow,
    RetentionRuleRow,
)
from swapflow.ledger.schema.reviewing import (
    AdjustmentRow,
    ApprovalPullRow,
    ApprovalRow,
    AssignmentRow,
    DraftRow,
    InterviewRow,
    MarkRow,
    PracticeFileRow,
    PracticeMarkRow,
    PracticeNoteRow,
    PullRow,
    RemarkRow,
    ScoreNoteRow,
    ScoreRow,
    SeatRow,
    SkipRow,
)


ROUND = table(RoundRow)
CYCLE = table(CycleRow)
RULES = table(RulesRow)
PULL_KIND = table(PullKindRow)
SEAT_LINE = table(SeatLineRow)
RUBRIC = table(RubricRow)
PERSON = table(PersonRow)
APPLICATION = table(ApplicationRow)
DOCUMENT = table(DocumentRow)
IMPORTED = table(ImportedRow)
LIST_READING = table(ListReadingRow)
SELECTION_ATTRIBUTE = table(SelectionAttributeRow)
MONITORING_ATTRIBUTE = table(MonitoringAttributeRow)
ATTRIBUTE_VALUE = table(AttributeValueRow)
TOPIC = table(TopicRow)
ROSTER = table(RosterRow)
ROSTER_ABSENCE = table(RosterAbsenceRow)
EXPERTISE = table(ExpertiseRow)
CONFLICT = table(ConflictRow)
OPENED = table(OpenedRow)
PANEL = table(PanelRow)
ENDORSEMENT = table(EndorsementRow)
ERASED_PERSON = table(ErasedPersonRow)
RETENTION_RULE = table(RetentionRuleRow)
RETENTION_DELETION = table(RetentionDeletionRow)
LEGAL_HOLD = table(LegalHoldRow)
BACKUP_RUN = table(BackupRunRow)
PULL = table(PullRow)
SEAT = table(SeatRow)
ASSIGNMENT = table(AssignmentRow)
DRAFT = table(DraftRow)
SCORE = table(ScoreRow)
MARK = table(MarkRow)
REMARK = table(RemarkRow)
EVENT = table(EventRow)
SEAL = table(SealRow)
DECISION = table(DecisionRow)
WISH = table(WishRow)
PROPOSAL = table(ProposalRow)
PLACE = table(PlaceRow)
APPROVAL = table(ApprovalRow)
APPROVAL_PULL = table(ApprovalPullRow)
COHORT_VERSION = table(CohortVersionRow)
OUTCOME = table(OutcomeRow)
SIGNATURE = table(SignatureRow)
WAIVER = table(WaiverRow)
MESSAGE = table(MessageRow)
STRAY_BOUNCE = table(StrayBounceRow)
HELD_ACT = table(HeldActRow)
PERSONAL_LINK = table(PersonalLinkRow)
LINK_TOKEN = table(LinkTokenRow)
NOTE = table(NoteRow)
CLOCK = table(ClockRow)
COORDINATOR = table(CoordinatorRow)
ADJUSTMENT = table(AdjustmentRow)
DOCUMENT_CONTENT = table(DocumentContentRow)
SKIP = table(SkipRow)
INTERVIEW = table(InterviewRow)
SCORE_NOTE = table(ScoreNoteRow)
PIN = table(PinRow)
MEETING = table(MeetingRow)
MEETING_OUTCOME = table(MeetingOutcomeRow)
MEETING_TURN = table(MeetingTurnRow)
MEETING_LOOK = table(MeetingLookRow)
ZONE_CONFIRMATION = table(ZoneConfirmationRow)
PREPARED = table(PreparedRow)
PREPARED_SIGNATURE = table(PreparedSignatureRow)
RECONSIDERATION = table(ReconsiderationRow)
OFFER = table(OfferRow)
OFFER_ANSWER = table(OfferAnswerRow)
APPLICANT_ANSWER = table(ApplicantAnswerRow)
YIELD_RATE = table(YieldRateRow)
ANNOUNCEMENT = table(AnnouncementRow)
ANNOUNCED = table(AnnouncedRow)
ROLE_GRANT = table(RoleGrantRow)
GROUP_ROLE = table(GroupRoleRow)
ACCOUNT_GROUP = table(AccountGroupRow)
GROUP_CLAIM = table(GroupClaimRow)
UNIT = table(UnitRow)
CYCLE_UNIT = table(CycleUnitRow)
ACCOUNT = table(AccountRow)
SESSION = table(SessionRow)
SIGN_IN = table(SignInRow)
API_TOKEN = table(ApiTokenRow)
IDEMPOTENCY = table(IdempotencyRow)
AUDIT = table(AuditRow)
EXCHANGED_FILE = table(ExchangedFileRow)
PRACTICE_FILE = table(PracticeFileRow)
PRACTICE_MARK = table(PracticeMarkRow)
PRACTICE_NOTE = table(PracticeNoteRow)
WEBHOOK = table(WebhookRow)
WEBHOOK_CALL = table(WebhookCallRow)
WEBHOOK_POSITION = table(WebhookPositionRow)
