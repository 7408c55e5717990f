"""Tables of events, decisions, proposals, lists and signatures."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ForeignKeyConstraint,
    Index,
    Text,
)
from sqlmodel import Field

from swapflow.ledger.schema.base import JsonText, Row


class EventRow(Row):
    """One event: `body` is the text that was hashed onto the chain, byte for byte."""

    __tablename__ = "event"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    seq: int = Field(primary_key=True, sa_type=BigInteger)
    type: str
    version: int
    body: str = Field(sa_type=Text)
    hash: str
    at: datetime


class SealRow(Row):
    """The salt of a name or a text that an event holds as a digest; erasable as a whole.

    Without it the digest cannot be tested against a guess. `application` is whom a text is about.
    """

    __tablename__ = "seal"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    digest: str = Field(primary_key=True)
    salt: str
    application: int | None


class DecisionRow(Row):
    """One decision: the estimates, and why these pulls."""

    __tablename__ = "decision"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    number: int = Field(primary_key=True)
    read_seq: int = Field(sa_type=BigInteger)
    read_hash: str
    digest: str
    rules_version: int
    why: str
    picks: list[Any] = Field(sa_type=JsonText)
    look: dict[str, float] = Field(sa_type=JsonText)
    cohort: list[int] = Field(sa_type=JsonText)
    contested: list[int] = Field(sa_type=JsonText)
    stop: str
    versions: dict[str, str] = Field(sa_type=JsonText)
    at: datetime


class WishRow(Row):
    """A staff request to the coordinator; `reason` is erasable, `done` closes it."""

    __tablename__ = "wish"
    __table_args__ = (Index(None, "cycle_id", "done"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    what: str
    application: int
    kind: int
    by: str
    reason: str = Field(sa_type=Text)
    done: str
    at: datetime


class ProposalRow(Row):
    """A list that the rule proposed, with its method sheet."""

    __tablename__ = "proposal"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    sheet: dict[str, Any] = Field(sa_type=JsonText)
    at: datetime


class PlaceRow(Row):
    """One application's place in a proposal; names stay with the application."""

    __tablename__ = "place"
    __table_args__ = (
        ForeignKeyConstraint(["cycle_id", "version"], ["proposal.cycle_id", "proposal.version"]),
    )
    cycle_id: str = Field(primary_key=True)
    version: int = Field(primary_key=True)
    application: int = Field(primary_key=True)
    rank: int
    standing: str
    estimate: float
    raw_mean: float | None
    margin: float
    evidence: float
    contested: bool
    tied: bool
    pulls: dict[str, int] = Field(sa_type=JsonText)
    floor_missing: dict[str, int] = Field(sa_type=JsonText)


class CohortVersionRow(Row):
    """A cohort version of the cycle, and the event that it includes."""

    __tablename__ = "cohort_version"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    seq: int = Field(sa_type=BigInteger)
    head_hash: str
    at: datetime


class OutcomeRow(Row):
    """A person's decision about an application; the last row is valid, `reason` is erasable.

    `by` recorded it. Earlier releases stored the last signer there, and no `prepared_by`.
    """

    __tablename__ = "outcome"
    __table_args__ = (Index(None, "cycle_id", "version", "application"),)
    id: int | None = Field(default=None, primary_key=True)
    cycle_id: str = Field(foreign_key="cycle.id")
    version: int
    application: int
    verdict: str
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime
    prepared_by: str | None


class SignatureRow(Row):
    """A named person signed a cohort version."""

    __tablename__ = "signature"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    by: str = Field(primary_key=True)
    role: str
    at: datetime


class WaiverRow(Row):
    """A person accepts an application below a floor; `reason` is erasable."""

    __tablename__ = "waiver"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    version: int = Field(primary_key=True)
    application: int = Field(primary_key=True)
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime


class PinRow(Row):
    """People want an application in or out whatever the rule says; `reason` is erasable."""

    __tablename__ = "pin"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    application: int = Field(primary_key=True)
    verdict: str
    by: str
    reason: str = Field(sa_type=Text)
    at: datetime


class PreparedRow(Row):
    """The decision of a cycle that waits for signatures: at most one; `body` is erasable."""

    __tablename__ = "prepared"
    cycle_id: str = Field(primary_key=True, foreign_key="cycle.id")
    what: str
    digest: str
    body: dict[str, Any] = Field(sa_type=JsonText)
    by: str
    at: datetime


class PreparedSignatureRow(Row):
    """A named person signed the prepared decision with this digest."""

    __tablename__ = "prepared_signature"
    cycle_id: str = Field(primary_key=True, foreign_key="prepared.cycle_id")
    by: str = Field(primary_key=True)
    digest: str
    at: datetime
