"""The one place where settings become objects."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakMethod

from swapflow.automatic_reviewers.programs import Programs
from swapflow.automatic_reviewers.source_files import AnyFile, ChosenFiles
from swapflow.engine.notifications.office_contact import contact_of
from swapflow.engine.ports.dispatcher import Dispatcher, QueueMessage
from swapflow.engine.ports.health_facts import DatabaseFacts, RedisFacts
from swapflow.engine.ports.live_state import CycleState
from swapflow.engine.ports.writes.transaction import join_write_hooks
from swapflow.engine.reviewing.shared_submits import SharedSubmits
from swapflow.engine.services import ServiceContext, Swapflow, compose
from swapflow.errors import UnavailableError
from swapflow.i18n.languages import set_deployment_language
from swapflow.identity.devices import KnownDevices
from swapflow.identity.reach import Reach
from swapflow.identity.services import IdentityContext, Office, compose_office
from swapflow.instrumentation.tracing import TracedEvents, carried, is_on, trace_writes
from swapflow.ledger.core.schema_revision import is_current
from swapflow.ledger.core.write_admission import WriteBounds
from swapflow.ledger.maintenance.backup import back_up, restore
from swapflow.ledger.maintenance.backup_folder import BackupFolder
from swapflow.ledger.maintenance.health import look_at_database as database_facts
from swapflow.ledger.maintenance.room import why_unwritable as unwritable
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.outbound.answer_turns import AnswerTurnsInFiles
from swapflow.outbound.at_first_use import check_sender as check_sender  # noqa: PLC0414 - for all
from swapflow.outbound.at_first_use import mails_in as mails_in  # noqa: PLC0414 - interfaces
from swapflow.outbound.at_first_use import (
    read_returned_mails as read_returned_mails,  # noqa: PLC0414 - as above
)
from swapflow.outbound.at_first_use import scoring_services, webhook_sender
from swapflow.outbound.at_first_use import sender_of as sender_of  # noqa: PLC0414 - as above
from swapflow.outbound.at_first_use import (
    take_returned_mail as take_returned_mail,  # noqa: PLC0414 - as above
)
from swapflow.outbound.call_slots import call_slots
from swapflow.queues.at_first_use import DispatcherAtFirstUse
from swapflow.queues.inline import InlineDispatcher
from swapflow.queues.names import (
    ALL_QUEUES,
    KEY_PREFIX,
    MAILER_QUEUES,
    WORKER_QUEUES,
    served_queues,
)
from swapflow.settings import Settings, load_settings
from swapflow.state.at_first_use import (
    CycleStateAtFirstUse,
    DoorbellAtFirstUse,
    LimiterAtFirstUse,
)
from swapflow.state.cookie_key import read_cookie_key
from swapflow.state.erasure_keys import ErasureKeysInFiles
from swapflow.state.memory import MemoryCycleState, MemoryDoorbell


if TYPE_CHECKING:
    from swapflow.monitoring.report import Monitoring
    from swapflow.state.untrusted_proxies import UntrustedProxies


CRASH_AT = "SWAPFLOW_CRASH_AT"
"""The variable that names a crash point; without it no test equipment is imported."""

EVERYWHERE = Reach(plain=True, loopback=True, private=True)
"""What a process may call that a person at the command line runs for themselves."""

_ONE_AT_A_TIME = threading.Lock()


@lru_cache(maxsize=1)
def _built() -> tuple[Swapflow, Office]:
    return assemble(load_settings())


def swapflow() -> Swapflow:
    """Build this deployment from the environment, once per process."""
    with _ONE_AT_A_TIME:
        return _built()[0]


def office() -> Office:
    """Return the office of this deployment: accounts, sign-in, rights, audit log."""
    with _ONE_AT_A_TIME:
        return _built()[1]


def bound_writes(product: Swapflow) -> None:
    """Bound how many writes wait of a process with few threads, and leave no connection open."""
    record = product.context.ledger
    if isinstance(record, SqlLedger):
        record.dispose()
        record.bound_writes(WriteBounds())


def is_built() -> bool:
    """Whether this process has put its deployment together yet."""
    return bool(_built.cache_info().currsize)


def forget() -> None:
    """Drop this process's deployment: after a fork, two processes must not share connections."""
    _built.cache_clear()


def build(settings: Settings) -> Swapflow:
    """Build a deployment without its office; see `assemble`."""
    return assemble(settings)[0]


def assemble(settings: Settings) -> tuple[Swapflow, Office]:
    """Build a deployment and its office; the first use of each part connects.

    Raises:
        UnavailableError: If the database's schema is older than this code.
    """
    if not is_current(settings.database):
        _refuse_old_schema(settings)
    set_deployment_language(settings.language)
    ledger = SqlLedger(settings.database)
    state: CycleState = CycleStateAtFirstUse(settings.redis)
    dispatcher: Dispatcher = DispatcherAtFirstUse(
        settings.redis,
        visibility_timeout=settings.visibility_timeout,
        headers=carried if is_on() else None,
    )
    hooks = [trace_writes(ledger)] if is_on() else []
    if crash_at := os.environ.get(CRASH_AT):
        from swapflow.instrumentation.fault_injection import (  # noqa: PLC0415 - for tests alone
            CrashingDispatcher,
            CrashingState,
            CrashPoint,
            crash_around_write,
        )

        crash = CrashPoint(crash_at)
        hooks.append(crash_around_write(crash))
        state, dispatcher = CrashingState(state, crash), CrashingDispatcher(dispatcher, crash)
    if hooks:
        ledger.around_write = join_write_hooks(hooks)
    context = ServiceContext(
        ledger=ledger,
        state=state,
        dispatcher=dispatcher,
        doorbell=DoorbellAtFirstUse(settings.redis),
        post=sender_of(settings),
        mail_leaves=settings.smtp_host is not None,
        send_webhook=webhook_sender(settings.reach),
        call_slot=call_slots(settings.data_dir / "call-slots", slots=webhook_slots(settings)),
        automatic_reviewers=programs_of_rosters(settings),
        erasure_keys=ErasureKeysInFiles(settings.data_dir / "erasure-keys"),
        answer_turns=AnswerTurnsInFiles(settings.data_dir / "answer-turns"),
        events=TracedEvents(ledger) if is_on() else None,
        address=settings.address,
        office=contact_of(settings.office_name, settings.mail_from),
        provider=bool(settings.provider),
        backups=BackupFolder(settings.database, settings.data_dir / "backups"),
        lease_seconds=settings.lease_seconds,
        move_seconds=settings.move_seconds,
        resend_seconds=settings.resend_seconds,
        undo=timedelta(minutes=settings.undo_minutes),
    )
    start_anew_in_forks(context.submits)
    office_context = IdentityContext(
        ledger=ledger.office(),
        personal_data=ledger.personal_data(),
        limiter=LimiterAtFirstUse(settings.redis),
        devices=KnownDevices(lambda: cookie_key(settings)),
    )
    return compose(context), compose_office(office_context)


def start_anew_in_forks(submits: SharedSubmits) -> None:
    """Have a child that is forked begin without submits: their threads stay in its parent."""
    alive = WeakMethod(submits.start)

    def start() -> None:
        if (begin := alive()) is not None:
            begin()

    os.register_at_fork(after_in_child=start)


def webhook_slots(settings: Settings) -> int:
    """Return how many webhook calls are made at the same time: half of a worker's tasks."""
    return max(1, settings.worker_concurrency // 2)


def cookie_key(settings: Settings) -> bytes:
    """Return what signs the cookies of devices: the setting, or a file of the data folder."""
    if settings.secret_key:
        return settings.secret_key.get_secret_value().encode()
    return read_cookie_key(settings.cookie_key_file)


def programs_of_rosters(settings: Settings) -> Programs:
    """Return the automatic reviewers that rosters of this deployment may name."""
    return Programs(
        files=ChosenFiles(settings.automatic_folder, settings.automatic_files),
        reach=settings.reach,
        ask=scoring_services(settings.reach),
    )


def _refuse_old_schema(settings: Settings) -> None:
    from swapflow.ledger.maintenance.upgrade import pending_migrations  # noqa: PLC0415 - imports Alembic

    if waiting := pending_migrations(settings.database):
        raise UnavailableError("migrations_waiting", count=len(waiting))


def chunk_sender(settings: Settings) -> Callable[[Sequence[str]], None]:
    """Return what sends a study's chunks to the workers, by the paths of their files."""
    return DispatcherAtFirstUse(
        settings.redis, visibility_timeout=settings.visibility_timeout
    ).send_chunks


def queues_for(names: Sequence[str]) -> tuple[str, ...]:
    """Return the queues that a worker serves which is started with these names."""
    return served_queues(names)


def mailer_queues() -> tuple[str, ...]:
    """Return the queues of the worker that sends mails and does nothing else."""
    return MAILER_QUEUES


def worker_queues() -> tuple[str, ...]:
    """Return the queues of the workers beside a mailer."""
    return WORKER_QUEUES


def check_redis(settings: Settings) -> None:
    """Refuse a Redis that is too old, or that may throw away what it holds.

    Raises:
        UnavailableError: If it does not answer.
        InvalidInputError: If its version or its eviction policy will not do.
    """
    from swapflow.state.redis import RedisCycleState  # noqa: PLC0415 - loads redis-py

    state = RedisCycleState(settings.redis)
    try:
        state.check()
    finally:
        state.close()


def untrusted_proxies(settings: Settings) -> "UntrustedProxies":
    """Return what notes proxies that are not trusted, for the doctor."""
    from swapflow.state.untrusted_proxies import UntrustedProxies  # noqa: PLC0415 - loads redis-py

    return UntrustedProxies(settings.redis)


def look_at_redis(settings: Settings, *, watch: float = 1.0) -> RedisFacts:
    """Check the server that holds queues and live state; changes nothing.

    Args:
        settings: Where it is.
        watch: Seconds between two looks at queues that are not empty.

    Raises:
        UnavailableError: If it does not answer.
    """
    from swapflow.state.health import look_at_redis as redis_facts  # noqa: PLC0415 - loads redis-py

    return redis_facts(settings.redis, queues=ALL_QUEUES, prefix=KEY_PREFIX, watch=watch)


def why_unwritable(settings: Settings) -> str:
    """Return what keeps this process from storing anything, be it a full disk; "" if nothing."""
    return unwritable(settings.data_dir, settings.database)


def look_at_database(settings: Settings) -> DatabaseFacts:
    """Check the database, its tables and its outboxes; changes nothing.

    Raises:
        UnavailableError: If it does not answer.
    """
    return database_facts(settings.database)


def in_process(
    handler: Callable[[Swapflow, Sequence[QueueMessage]], object],
) -> tuple[Swapflow, InlineDispatcher]:
    """Build the same product in one process: SQLite in memory, no Redis, no workers.

    Args:
        handler: Does what workers would do with a list of messages.

    Returns:
        The product, and its dispatcher, whose `run_pending` plays the workers.
    """
    dispatcher = InlineDispatcher(lambda messages: handler(product, messages))
    product = compose(
        ServiceContext(
            ledger=SqlLedger("sqlite://"),
            state=MemoryCycleState(),
            dispatcher=dispatcher,
            doorbell=MemoryDoorbell(),
            post=lambda _mail: None,
            automatic_reviewers=Programs(
                files=AnyFile(), reach=EVERYWHERE, ask=scoring_services(EVERYWHERE)
            ),
            lease_seconds=3600.0,
        )
    )
    return product, dispatcher


def upgrade_database(settings: Settings) -> None:
    """Upgrade the database's schema to this code; a SQLite file is backed up first."""
    from swapflow.ledger.maintenance.upgrade import (  # noqa: PLC0415 - imports Alembic
        back_up_before_upgrade,
        pending_migrations,
        upgrade,
    )

    # It holds people's marks.
    with private_files():
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if pending_migrations(settings.database):
            back_up_before_upgrade(settings.database)
        upgrade(settings.database)


@contextmanager
def private_files() -> Iterator[None]:
    """Have what is written meanwhile be this user's alone, whatever the folder's mode."""
    mask = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask)


def back_up_database(settings: Settings, path: Path) -> None:
    """Copy the database as of one moment into a new file, while others go on writing.

    Raises:
        InvalidInputError: If the file exists.
        UnavailableError: If the database does not answer, or the copy cannot be written.
    """
    back_up(settings.database, path)


def restore_database(settings: Settings, path: Path) -> Path | None:
    """Replace the database by a backup; Redis rebuilds its part by itself.

    Returns:
        Where the SQLite file that was there before was moved to, if one was.

    Raises:
        InvalidInputError: If the file is no backup that this version can read.
        ConflictError: If anybody is at the database; nothing was changed.
        UnavailableError: If the database does not answer.
    """
    return restore(settings.database, path)


def monitoring_beside(product: Swapflow) -> "Monitoring":
    """Return what makes monitoring reports, on the connections of a product that serves pages.

    Raises:
        UnavailableError: If its ledger is not the one in SQL.
    """
    from swapflow.monitoring.report import Monitoring  # noqa: PLC0415 - imports scipy.stats

    record = product.context.ledger
    if not isinstance(record, SqlLedger):
        raise UnavailableError("no_monitoring_record")
    return Monitoring(record.monitoring(), record)


def monitoring(settings: Settings) -> "Monitoring":
    """Return what makes monitoring reports: it reads, and nothing that decides has a way to it."""
    from swapflow.monitoring.report import Monitoring  # noqa: PLC0415 - imports scipy.stats

    record = SqlLedger(settings.database)
    return Monitoring(record.monitoring(), record)
