"""What is wrong with a deployment, and what to do about it: one look at every part.

Each check gives one finding, good or bad. A part that does not answer is a finding as well, and
leaves out only the checks that need it.
"""

import shutil
import socket
import sys
from collections.abc import Iterator
from importlib.metadata import version

from swapflow.bootstrap import why_unwritable
from swapflow.engine.ports.health_facts import (
    DatabaseFacts,
    DoctorFinding,
    Grade,
    Outboxes,
    RedisFacts,
    some_of,
)
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.identity.ports.identity_store import UNCONDITIONAL
from swapflow.processes import exposure
from swapflow.processes.doctor_findings import fault, sentinels, standbys
from swapflow.settings import Settings, load_settings, refuse_unsafe


SKEW_SECONDS = 2.0
"""Largest difference between two machines' clocks that does no harm to due times and leases."""

LITTLE_ROOM = 1 << 30
"""Bytes of free disk below which those who look after the machine should be told."""

NO_ROOM = 100 << 20
"""Bytes of free disk below which writes are about to fail."""

NEARLY_FULL = 0.9
"""Share of Redis' memory at which it is about to refuse writes."""


def examine() -> Iterator[DoctorFinding]:
    """Check every part of the deployment that the environment describes, one after another."""
    yield DoctorFinding(
        check="version",
        grade=Grade.GOOD,
        says=f"swapflow {version('swapflow')}, Python {sys.version.split()[0]}, "
        f"Celery {version('celery')}, redis-py {version('redis')}",
    )
    try:
        settings = load_settings()
    except InvalidInputError as error:
        yield fault("settings", str(error), "set them right; docs/administrators.md lists each")
        return
    yield _settings(settings)
    yield from _database(settings)
    yield from _redis(settings)
    yield _disk(settings)
    yield from map(_exposed, exposure.open_data(settings))
    yield _mail_server(settings)


def _settings(settings: Settings) -> DoctorFinding:
    try:
        refuse_unsafe(settings)
    except InvalidInputError as error:
        return fault("settings", str(error), "see above; `swapflow web` will not start")
    if not settings.public_url:
        return DoctorFinding(
            check="settings",
            grade=Grade.WARNING,
            says=f"only this machine is served, at {settings.address}",
            cure="for others, set SWAPFLOW_PUBLIC_URL to the https://… of a proxy before it",
        )
    return DoctorFinding(
        check="settings", grade=Grade.GOOD, says=f"people come to {settings.address}"
    )


def _database(settings: Settings) -> Iterator[DoctorFinding]:
    from swapflow.bootstrap import (  # noqa: PLC0415 - slow to import
        look_at_database,
        office,
        swapflow,
    )

    try:
        facts = look_at_database(settings)
    except (UnavailableError, InvalidInputError) as error:
        yield fault("database", str(error), "no score can be taken until it answers")
        return
    yield DoctorFinding(check="database", grade=Grade.GOOD, says=f"{facts.version} answers")
    yield _tables(facts)
    yield _clock("the database's clock", facts.ahead)
    if facts.standbys is not None:
        yield standbys(facts.standbys)
    if facts.offset:
        yield fault(
            "test clock",
            f"a test has moved the database's clock by {facts.offset:g} s",
            "UPDATE clock SET offset_seconds = 0; no real round should run on this database",
        )
    if facts.file is not None and facts.file.open_to_others:
        yield DoctorFinding(
            check="privacy of the database",
            grade=Grade.WARNING,
            says=f"every user of this machine can read {facts.file.path}",
            cure=f"chmod 700 {facts.file.path.parent}",
        )
    if facts.outboxes is not None:
        yield from _outboxes(facts.outboxes)
        yield from map(_exposed, exposure.refused_rosters(swapflow()))
        if not office().users.has_administrator():
            yield DoctorFinding(
                check="accounts",
                grade=Grade.WARNING,
                says="no one can sign in as an administrator",
                cure="swapflow user add YOUR@ADDRESS --role administrator",
            )
        yield from map(_exposed, exposure.groups_unstated(settings, office()))


def _exposed(found: exposure.Exposure) -> DoctorFinding:
    grade = Grade.FAULT if found.is_fault else Grade.WARNING
    return DoctorFinding(check=found.check, grade=grade, says=found.says, cure=found.cure)


def _tables(facts: DatabaseFacts) -> DoctorFinding:
    if not facts.known:
        return fault(
            "tables",
            f"the database is at migration {facts.revision}, which this version does not "
            f"know (its last is {facts.newest})",
            "run the version that made it, or restore the backup from before the upgrade",
        )
    if facts.revision != facts.newest:
        return fault(
            "tables",
            f"the database is at migration {facts.revision or 'none'}, this version needs "
            f"{facts.newest}",
            "swapflow db upgrade",
        )
    return DoctorFinding(check="tables", grade=Grade.GOOD, says="they are those of this version")


def _outboxes(boxes: Outboxes) -> Iterator[DoctorFinding]:
    found = (
        (
            "coordinator",
            boxes.leaderless,
            f"no coordinator looks after {some_of(boxes.leaderless)}",
            "start a coordinator: swapflow coordinator (or swapflow up)",
            Grade.FAULT,
        ),
        (
            "reviews to send",
            boxes.unsent,
            f"{boxes.unsent} reviews have not been handed to the workers for two minutes",
            "look at the coordinator's log; it needs Redis",
            Grade.FAULT,
        ),
        (
            "reviews on their way",
            boxes.undelivered,
            f"{boxes.undelivered} reviews were handed over and no worker took them",
            "start a worker: swapflow worker (they are sent again by themselves)",
            Grade.FAULT,
        ),
        (
            "mail that waits",
            boxes.mails_waiting,
            f"{boxes.mails_waiting} mails have waited for more than two minutes",
            "start a worker that serves the queue mail, and look at its log",
            Grade.FAULT,
        ),
        (
            "mail that failed",
            boxes.mails_failed,
            f"{boxes.mails_failed} mails were given up",
            "Today › Mail shows why; send them again there once the cause is mended",
            Grade.WARNING,
        ),
        (
            "webhooks",
            boxes.calls_failed,
            f"{boxes.calls_failed} calls were given up",
            "Setup › Webhooks shows why",
            Grade.WARNING,
        ),
    )
    if boxes.altered:
        yield DoctorFinding(
            check="live state",
            grade=Grade.WARNING,
            says=f"another program changed the numbers of {', '.join(boxes.altered[:5])} "
            "in Redis in the "
            "last week; they were made again from the record, and no decision followed them",
            cure="let no one else reach Redis (password, firewall); swapflow cycle verify PROGRAM",
        )
    if boxes.coordinators:
        yield DoctorFinding(
            check="coordinators",
            grade=Grade.GOOD,
            says="; ".join(
                f"{one.holder} leads {some_of(one.programs)}"
                + (f", here since {one.since:%Y-%m-%d %H:%M} UTC" if one.since else "")
                for one in boxes.coordinators
            ),
        )
    bad = [
        DoctorFinding(check=check, grade=grade, says=says, cure=cure)
        for check, wrong, says, cure, grade in found
        if wrong
    ]
    yield from bad or [DoctorFinding(check="outboxes", grade=Grade.GOOD, says="nothing is stuck")]


def _redis(settings: Settings) -> Iterator[DoctorFinding]:
    from swapflow.bootstrap import look_at_redis  # noqa: PLC0415 - slow to import

    try:
        facts = look_at_redis(settings)
    except (UnavailableError, InvalidInputError) as error:
        cure = "swapflow up" if settings.embedded_redis else "start it"
        yield fault("Redis", str(error), f"{cure}; scores are taken meanwhile, nothing goes out")
        return
    if facts.too_old:
        yield fault("Redis", f"it is version {facts.version}", "run Redis 6.2 or any Valkey")
    else:
        yield DoctorFinding(
            check="Redis", grade=Grade.GOOD, says=f"version {facts.version} answers"
        )
    if facts.sentinels is not None:
        yield sentinels(facts.sentinels)
    yield _clock("Redis' clock", facts.ahead)
    yield _eviction(facts)
    yield _memory(facts)
    yield _persistence(facts)
    yield from _queues(facts)
    yield from map(_exposed, exposure.untrusted_proxy(facts, settings))
    if count := facts.noted.get(UNCONDITIONAL):
        yield DoctorFinding(
            check="API clients",
            grade=Grade.WARNING,
            says=f"about {count} writes in 30 days did not say what they were made from, and "
            "overwrote what was there",
            cure=(
                "send the ETag of what was read as If-Match; from 1.0 on writes without it "
                "are refused with 428 (docs/administrators.md)"
            ),
        )
    yield from _quarantine(facts)


def _eviction(facts: RedisFacts) -> DoctorFinding:
    if facts.eviction != "noeviction":
        return fault(
            "Redis' eviction",
            f"maxmemory-policy is {facts.eviction}: a full server would drop queues in silence",
            "CONFIG SET maxmemory-policy noeviction, and the same in its file; share it with "
            "no cache",
        )
    return DoctorFinding(check="Redis' eviction", grade=Grade.GOOD, says="it drops nothing")


def _memory(facts: RedisFacts) -> DoctorFinding:
    used = f"{facts.memory_used / 1e6:.0f} MB"
    if facts.refused:
        return fault(
            "Redis' memory",
            f"it refuses writes: {facts.refused}",
            "give it memory (maxmemory) or room on its disk; nothing goes out until then",
        )
    if not facts.memory_most:
        return DoctorFinding(
            check="Redis' memory", grade=Grade.GOOD, says=f"{used}, without a limit"
        )
    share = facts.memory_used / facts.memory_most
    if share > NEARLY_FULL:
        return DoctorFinding(
            check="Redis' memory",
            grade=Grade.WARNING,
            says=f"{used}, {share:.0%} of what it may use",
            cure="raise maxmemory before it refuses writes",
        )
    return DoctorFinding(
        check="Redis' memory", grade=Grade.GOOD, says=f"{used}, {share:.0%} of what it may use"
    )


def _persistence(facts: RedisFacts) -> DoctorFinding:
    check = "Redis' file"
    if facts.save_failed:
        return fault(check, "its last write to disk failed", "look at its log and its disk")
    if not facts.on_disk:
        return DoctorFinding(
            check=check,
            grade=Grade.WARNING,
            says="it keeps nothing over a restart; queues and live state are then made again",
            cure="CONFIG SET appendonly yes, and the same in its file (deploy/redis.conf)",
        )
    return DoctorFinding(
        check=check, grade=Grade.GOOD, says=f"kept over a restart: {facts.on_disk}"
    )


def _queues(facts: RedisFacts) -> Iterator[DoctorFinding]:
    still = sorted(
        name for name, waiting in facts.waiting.items() if waiting and name not in facts.moving
    )
    if still:
        lengths = ", ".join(f"{name} ({facts.waiting[name]})" for name in still)
        yield fault(
            "queues",
            f"messages wait and no worker takes them: {lengths}",
            f"swapflow worker --queues {','.join(still)}",
        )
    else:
        total = sum(facts.waiting.values())
        yield DoctorFinding(check="queues", grade=Grade.GOOD, says=f"{total} messages wait")


def _quarantine(facts: RedisFacts) -> Iterator[DoctorFinding]:
    for cycle_id, note in facts.quarantined.items():
        yield fault(
            f"program {cycle_id}",
            f"it is stopped since {note.since:%Y-%m-%d %H:%M} UTC, at event {note.event}: "
            f"{note.why}",
            f"mend the row (deploy/RUNBOOK.md, A damaged row), then swapflow cycle verify "
            f"{cycle_id}",
        )


def _disk(settings: Settings) -> DoctorFinding:
    folder = settings.data_dir
    while not folder.exists():
        folder = folder.parent
    room = shutil.disk_usage(folder)
    says = f"{room.free / 1e9:.1f} GB of {room.total / 1e9:.1f} GB are free at {folder}"
    problem = why_unwritable(settings)
    if problem:
        cure = f"nothing can be stored ({problem}); make room, or make the folder ours to write"
        return fault("disk", says, cure)
    if room.free < NO_ROOM:
        return fault("disk", says, "make room at once: scores will be refused")
    if room.free < LITTLE_ROOM:
        return DoctorFinding(check="disk", grade=Grade.WARNING, says=says, cure="make room")
    return DoctorFinding(check="disk", grade=Grade.GOOD, says=says)


def _mail_server(settings: Settings) -> DoctorFinding:
    if settings.smtp_host is None:
        return DoctorFinding(
            check="mail",
            grade=Grade.WARNING,
            says=f"no mail leaves; it is written to {settings.data_dir / 'outbox'}",
            cure="set SWAPFLOW_SMTP_HOST (docs/administrators.md)",
        )
    place = f"{settings.smtp_host}:{settings.smtp_port}"
    try:
        with socket.create_connection((settings.smtp_host, settings.smtp_port), timeout=5):
            return DoctorFinding(check="mail", grade=Grade.GOOD, says=f"{place} answers")
    except OSError as error:
        return fault(
            "mail",
            f"{place} does not answer ({error})",
            "check SWAPFLOW_SMTP_HOST and SWAPFLOW_SMTP_PORT, and that a firewall lets it out",
        )


def _clock(check: str, ahead: float) -> DoctorFinding:
    if abs(ahead) > SKEW_SECONDS:
        return fault(
            check,
            f"{abs(ahead):.1f} s {'ahead of' if ahead > 0 else 'behind'} this machine's",
            "let both machines set their clocks by the network (chrony, systemd-timesyncd)",
        )
    return DoctorFinding(
        check=check, grade=Grade.GOOD, says=f"within {abs(ahead):.1f} s of this one's"
    )
