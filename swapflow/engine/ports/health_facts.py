"""Facts about Redis, the database and the sender's domain, for the health checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from swapflow.engine.ports.live_state import QuarantineNote


MOST_LOOKUPS = 10
"""DNS queries that a receiver makes for one SPF record at most (RFC 7208, 4.6.4)."""

SECONDS_TO_ANSWER = 3.0
"""Seconds for which a page, or a program that asks, waits for all records of a sender together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentinelFacts:
    """What watches over Redis.

    Attributes:
        named: Sentinels that the address names; answering: those of them that answer.
        replicas: Copies of the server that could take over.
    """

    named: int
    answering: int
    replicas: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisFacts:
    """State of the server that holds queues and live state.

    Attributes:
        version: Its version as it reports it, e.g. "8.0.3".
        too_old: Whether that is older than swapflow needs.
        eviction: Its `maxmemory-policy`; anything but "noeviction" drops queues when full.
        on_disk: How it keeps what it holds over a restart: "append-only file", "snapshots",
            "unknown" when it does not report it, "" for not at all.
        save_failed: Whether its last write to disk failed.
        memory_used: Bytes it holds.
        memory_most: Bytes it may hold; 0 for no limit.
        refused: What it answered to a small write, "" when it took it.
        ahead: Seconds by which its clock is ahead of this machine's.
        waiting: Messages in each queue that was asked for.
        moving: Queues among them that shrank, or were empty, within the look's second.
        untrusted_proxy: Address that forwarded a request within a week and is not trusted to say
            for whom; "" for none.
        noted: What was only counted in the last 30 days, by name; approximate.
        quarantined: Cycles that stand still because something of theirs cannot be read, and why.
        sentinels: None where the address names the server itself.
    """

    version: str
    too_old: bool
    eviction: str
    on_disk: str
    save_failed: bool
    memory_used: int
    memory_most: int
    refused: str
    ahead: float
    waiting: dict[str, int]
    moving: frozenset[str]
    untrusted_proxy: str = ""
    noted: Mapping[str, int] = field(default_factory=dict)
    quarantined: Mapping[str, QuarantineNote] = field(default_factory=dict)
    sentinels: SentinelFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """A SQLite file and the disk that holds it, in bytes.

    Attributes:
        path: The file.
        open_to_others: Whether users of this machine outside its group may read it.
        free: Room left on its disk.
        disk: Size of its disk.
    """

    path: Path
    open_to_others: bool
    free: int
    disk: int


FITS_A_LINE = 5
"""Programs that a line names; of more it says how many."""


def some_of(programs: Sequence[str]) -> str:
    """Format a list of programs that fits a line."""
    named = ", ".join(programs[:FITS_A_LINE]) or "none"
    more = len(programs) - FITS_A_LINE
    return f"{named} and {more} more" if more > 0 else named


@dataclass(frozen=True, slots=True, kw_only=True)
class Leading:
    """A coordinator that is there.

    Attributes:
        holder: Its name in leases.
        programs: The ids of the programs that it leads now.
        since: When it came; None for one of an earlier release, which does not say.
    """

    holder: str
    programs: tuple[str, ...]
    since: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outboxes:
    """Messages that should have left and have not.

    Attributes:
        leaderless: Open cycles that no coordinator looks after.
        unsent: Review requests that no coordinator has handed to the workers.
        undelivered: Requests that were handed over and that no worker has delivered.
        mails_waiting: Mails that wait for longer than they should.
        mails_failed: Mails that were given up.
        calls_failed: Calls of webhooks that were given up.
        coordinators: The coordinators that are there, by name.
        altered: Cycles whose live state was found altered in the last week, and made again.
    """

    leaderless: tuple[str, ...]
    unsent: int
    undelivered: int
    mails_waiting: int
    mails_failed: int
    calls_failed: int
    coordinators: tuple[Leading, ...] = ()
    altered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbyFacts:
    """Replicas of the database that could take over.

    Attributes:
        hosts: Hosts that the address names.
        streaming: Replicas that follow the primary at the moment.
        waits: Whether a commit is answered only when a replica has it on its disk.
        named: The primary's `synchronous_standby_names`.
        commit: Its `synchronous_commit`.
    """

    hosts: int
    streaming: int
    waits: bool
    named: str
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFacts:
    """State of the database.

    Attributes:
        version: Its version as it reports it, e.g. "PostgreSQL 17.2" or "SQLite 3.46.0".
        place: Where it is, without a password.
        ahead: Seconds by which its clock is ahead of this machine's.
        offset: Seconds that a test adds to its clock; 0 in any real deployment.
        revision: The last migration it has seen, "" for none.
        newest: The last migration of this code.
        known: Whether this code knows the database's revision.
        outboxes: None when its tables are not those of this code.
        file: None for PostgreSQL.
        standbys: None unless the address names several hosts.
    """

    version: str
    place: str
    ahead: float
    offset: float
    revision: str
    newest: str
    known: bool
    outboxes: Outboxes | None
    file: FileFacts | None
    standbys: StandbyFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingDomain:
    """What the records of a domain say.

    Attributes:
        domain: The domain after the @ of the sender.
        spf: Its SPF records; exactly one is right.
        spf_lookups: How many DNS queries a receiver needs for the first of them.
        spf_all: What becomes of servers that the record does not name: "-", "~", "?" or "+";
            "" when it does not say.
        dkim: The tags of the key at the selector, by name; None when no selector is told or
            nothing stands there. An empty "p" is a key taken back.
        dmarc: The tags of the policy, by name; None without one.
        dmarc_at: The domain whose policy it is: this one, or one above it.
    """

    domain: str
    spf: tuple[str, ...]
    spf_lookups: int
    spf_all: str
    dkim: dict[str, str] | None
    dmarc: dict[str, str] | None
    dmarc_at: str


class Grade(StrEnum):
    """How bad a finding is."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorFinding:
    """What one check found.

    Attributes:
        check: What was looked at, in a few words.
        says: The finding in a sentence.
        cure: What to do, as a command where there is one; "" when nothing is to be done.
    """

    check: str
    grade: Grade
    says: str
    cure: str = ""
