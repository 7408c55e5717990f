"""Everything that the second hand does to a running system, by name."""

import random
import signal
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

import redis

from swapflow.queues.names import ALL_QUEUES, KEY_PREFIX
from tests.chaos.damage import Damage
from tests.chaos.damage_names import CHANGED, DAMAGED, GUARDS, SIGNED
from tests.chaos.deployment import Deployment
from tests.chaos.driver import People
from tests.chaos.release import Release
from tests.support.waiting import wait_until


NO_GUARD = "the guard that it aims at is not there"
NO_CLOCKS = "no libfaketime that works is found; on Debian: apt-get install libfaketime"

AIMS = {CHANGED: (3, 7), DAMAGED: (11,), SIGNED: (12,)}

MOST_KEPT = 200
"""Messages of each queue that come again later."""
POINTS = {
    "coordinator": (
        "before_commit",
        "after_commit",
        "before_send",
        "after_send",
        "before_apply",
        "after_apply",
    ),
    "worker": ("before_commit", "after_commit"),
    "web": ("before_commit", "after_commit"),
}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One kind of fault.

    Attributes:
        aims_at: The promises that it tries to break.
        weight: How often it comes, against the others.
    """

    name: str
    aims_at: tuple[int, ...]
    act: Callable[[], None]
    weight: float = 2


class Faults:
    """The second hand: every fault ends by itself, what it broke is whole again after it."""

    def __init__(self, deployment: Deployment, chance: random.Random) -> None:
        self._on = deployment
        self._chance = chance
        self._release = Release(deployment)
        self._damage = Damage(deployment, chance)
        self._doubled: dict[str, list[bytes | str]] = {}

    def meet(self, people: People) -> None:
        """Know the people whose work some faults aim at."""
        self._damage.meet(people)

    @property
    def findings(self) -> list[str]:
        """What a fault itself saw to go wrong."""
        return self._damage.findings

    def all(self, named: Collection[str] = ()) -> list[Fault]:
        """Every fault that this machine and this database allow.

        Args:
            named: Faults that come even though the guard that they aim at is not there.
        """
        faults = [
            *(
                Fault(name=name, aims_at=AIMS[name], act=act)
                for name, act in self._damage.acts().items()
                if name in named or GUARDS[name]()
            ),
            *(
                Fault(name=f"{role} killed", aims_at=aims, act=self._killing(role), weight=4)
                for role, aims in (
                    ("coordinator", (2, 3, 4, 5)),
                    ("worker", (1, 2, 5)),
                    ("web", (1, 10)),
                )
            ),
            *(
                Fault(
                    name=f"{role} killed at a named point",
                    aims_at=(1, 2, 3, 5),
                    act=self._crashing(role),
                )
                for role in POINTS
            ),
            Fault(name="everything killed", aims_at=(1, 2, 5, 10), act=self._kill_all, weight=1),
            *(
                Fault(
                    name=f"{role} frozen beyond its lease", aims_at=aims, act=self._freezing(role)
                )
                for role, aims in (("coordinator", (4,)), ("worker", (2, 5)), ("web", (1, 10)))
            ),
            Fault(
                name="coordinator frozen before its write", aims_at=(4, 6), act=self._nap, weight=4
            ),
            Fault(name="redis killed", aims_at=(1, 3, 5), act=self._restart_redis, weight=2),
            Fault(name="redis restarted without its file", aims_at=(3, 5), act=self._lose_redis),
            Fault(name="redis emptied", aims_at=(3, 5), act=self._empty_redis, weight=3),
            Fault(name="redis out of memory", aims_at=(1, 3), act=self._fill_redis),
            Fault(name="redis frozen", aims_at=(1, 5), act=self._freeze_redis),
            Fault(name="redis away", aims_at=(1, 3, 5), act=self._redis_away),
            Fault(name="messages lost", aims_at=(5,), act=self._lose_messages, weight=3),
            Fault(
                name="messages doubled and reordered", aims_at=(2, 5), act=self._double, weight=3
            ),
            Fault(
                name="link to redis cut", aims_at=(1, 3, 5), act=self._cutting("redis"), weight=3
            ),
            Fault(name="link to redis slow", aims_at=(2, 5), act=self._slowing("redis")),
            Fault(name="link to redis deaf", aims_at=(1, 5), act=self._deafening("redis")),
            Fault(name="days passed", aims_at=(2, 5, 6), act=self._let_days_pass, weight=3),
            Fault(name="rolling restart", aims_at=(1, 4, 10), act=self._roll, weight=0.3),
            Fault(
                name="rolling upgrade with a migration",
                aims_at=(1, 2, 4, 7, 10),
                act=self._upgrade,
                weight=0.3,
            ),
        ]
        if self._on.on_sqlite:
            faults.append(
                Fault(name="disk full", aims_at=(1, 7, 10), act=self._fill_disk, weight=3)
            )
        else:
            faults += [
                Fault(
                    name="database killed", aims_at=(1, 2, 4), act=self._restart_database, weight=3
                ),
                Fault(name="database away", aims_at=(1, 10), act=self._database_away),
                Fault(name="database refuses connections", aims_at=(1, 10), act=self._refuse),
                Fault(
                    name="link to the database cut",
                    aims_at=(1, 2, 4),
                    act=self._cutting("database"),
                    weight=3,
                ),
                Fault(
                    name="link to the database slow", aims_at=(4,), act=self._slowing("database")
                ),
                Fault(
                    name="link to the database deaf",
                    aims_at=(1, 4),
                    act=self._deafening("database"),
                ),
            ]
        if self._on.has_clocks:
            faults += [
                Fault(name="one clock jumps", aims_at=(4, 5), act=self._jump_one, weight=3),
                Fault(name="every clock jumps", aims_at=(2, 4, 5), act=self._jump_all),
            ]
        return faults

    def left_out(self) -> dict[str, str]:
        """Names of faults that this machine does not allow, and why."""
        clocks = () if self._on.has_clocks else ("one clock jumps", "every clock jumps")
        aimless = [name for name, is_there in GUARDS.items() if not is_there()]
        return dict.fromkeys(clocks, NO_CLOCKS) | dict.fromkeys(aimless, NO_GUARD)

    def heal(self) -> None:
        """Set right whatever might still be wrong: clocks, links, frozen processes."""
        for link in self._on.links.all.values():
            self._on.links.mend(link)
        if self._on.has_clocks:
            for name in self._clocks():
                self._on.jump(name, 0)
        for name in self._on.names:
            self._on.send(name, signal.SIGCONT)

    # Processes

    def _one(self, role: str) -> str:
        return self._chance.choice([name for name in self._on.names if name.startswith(role)])

    def _killing(self, role: str) -> Callable[[], None]:
        return lambda: self._kill(self._one(role))

    def _kill(self, name: str) -> None:
        """Kill -9, and mostly wait for the next life: else there is soon nobody left to kill."""
        if self._chance.random() < 0.3:
            self._on.replace(name, signal.SIGKILL)
        else:
            self._on.send(name, signal.SIGKILL)

    def _crashing(self, role: str) -> Callable[[], None]:
        def crash() -> None:
            name = self._one(role)
            point = f"{self._chance.choice(POINTS[role])}:{self._chance.randint(1, 3)}"
            file = self._on.folder / "crash" / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(point, encoding="ascii")
            self._kill(name)

        return crash

    def _kill_all(self) -> None:
        self._on.kill_supervisor()
        self._on.start()

    def _freezing(self, role: str) -> Callable[[], None]:
        def freeze() -> None:
            with self._on.frozen(self._one(role)):
                time.sleep(self._on.lease + self._chance.uniform(0.5, 1.5))

        return freeze

    def _nap(self) -> None:
        """Freeze whichever coordinator is next about to write, until another took over."""
        naps = {
            n: self._on.folder / "nap" / n for n in self._on.names if n.startswith("coordinator")
        }
        for file in naps.values():
            file.parent.mkdir(exist_ok=True)
            file.touch()
        try:
            with suppress(AssertionError):  # nothing may be there to decide just now
                wait_until(lambda: not all(f.exists() for f in naps.values()), what="a nap")
        finally:
            for name, file in naps.items():
                if file.exists():
                    file.unlink(missing_ok=True)
                else:
                    asleep = name
                    time.sleep(2 * self._on.lease + 0.5)
                    self._on.send(asleep, signal.SIGCONT)
            for name in naps:
                self._on.send(name, signal.SIGCONT)

    # Redis

    def _restart_redis(self) -> None:
        self._on.redis.end(self._chance.choice([signal.SIGKILL, signal.SIGTERM]))
        self._on.redis.start()

    def _lose_redis(self) -> None:
        self._on.redis.end()
        self._on.redis.lose_file()
        self._on.redis.start()

    def _redis_away(self) -> None:
        self._on.redis.end(signal.SIGTERM)
        time.sleep(self._chance.uniform(1, 4))
        self._on.redis.start()

    def _empty_redis(self) -> None:
        with self._on.redis.client() as client:
            client.flushall()

    def _fill_redis(self) -> None:
        with self._on.redis.client() as client:
            client.config_set("maxmemory", 1)
            time.sleep(self._chance.uniform(0.5, 2.5))
            client.config_set("maxmemory", 0)

    def _freeze_redis(self) -> None:
        self._on.redis.freeze()
        time.sleep(self._chance.uniform(0.5, 6))
        self._on.redis.thaw()

    @contextmanager
    def _workers_asleep(self) -> Iterator["redis.Redis"]:
        """Freeze the workers, so that messages pile up for a moment."""
        with ExitStack() as asleep:
            for name in self._on.names:
                if name.startswith("worker"):
                    asleep.enter_context(self._on.frozen(name))
            time.sleep(0.8)
            yield asleep.enter_context(self._on.redis.client())

    def _lose_messages(self) -> None:
        with self._workers_asleep() as client:
            client.delete(*(KEY_PREFIX + queue for queue in ALL_QUEUES))

    def _double(self) -> None:
        """Double what waits, and let come again what was doubled before, long after its effect."""
        with self._workers_asleep() as client:
            for queue in ALL_QUEUES:
                waiting = list(client.lrange(KEY_PREFIX + queue, 0, -1))
                messages = waiting * 2 + self._doubled.setdefault(queue, [])
                self._doubled[queue] = [*waiting, *self._doubled[queue]][:MOST_KEPT]
                if messages:
                    self._chance.shuffle(messages)
                    client.delete(KEY_PREFIX + queue)
                    client.rpush(KEY_PREFIX + queue, *messages)

    # The database

    def _fill_disk(self) -> None:
        """Leave no byte on the file system of SQLite's file; without one, let no file grow."""
        if not self._on.mounted:
            self._limit_files()
            return
        filler = self._on.disk / "filler"
        try:
            with suppress(OSError), filler.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            time.sleep(self._chance.uniform(1, 3))
        finally:
            filler.unlink(missing_ok=True)

    def _limit_files(self) -> None:
        import resource  # noqa: PLC0415 - Linux only, as this whole fault

        limits = (1024, resource.RLIM_INFINITY)
        pids = list(self._on.pids().values())
        for pid in pids:
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
        time.sleep(self._chance.uniform(1, 3))
        for pid in pids:
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)

    def _restart_database(self) -> None:
        assert self._on.postgres is not None
        number = self._chance.choice([signal.SIGKILL, signal.SIGINT, signal.SIGQUIT])
        self._on.postgres.end(number)
        self._on.postgres.start()

    def _database_away(self) -> None:
        assert self._on.postgres is not None
        self._on.postgres.end(signal.SIGINT)
        time.sleep(self._chance.uniform(1, 4))
        self._on.postgres.start()

    def _refuse(self) -> None:
        assert self._on.postgres is not None
        self._on.postgres.refuse()
        time.sleep(self._chance.uniform(1, 4))
        self._on.postgres.accept()

    # Links

    def _links_to(self, server: str) -> list[str]:
        """One link, or all of those to a server."""
        names = [name for name in self._on.links.all if name.endswith(f"-{server}")]
        return names if self._chance.random() < 0.3 else [self._chance.choice(names)]

    def _cutting(self, server: str) -> Callable[[], None]:
        def cut() -> None:
            names = self._links_to(server)
            for name in names:
                self._on.links.cut(self._on.links.all[name])
            time.sleep(self._chance.uniform(0.2, 4))
            for name in names:
                self._on.links.mend(self._on.links.all[name])

        return cut

    def _slowing(self, server: str) -> Callable[[], None]:
        def slow() -> None:
            names = self._links_to(server)
            for name in names:
                self._on.links.all[name].delay = self._chance.uniform(0.05, 0.4)
            time.sleep(self._chance.uniform(1, 4))
            for name in names:
                self._on.links.mend(self._on.links.all[name])

        return slow

    def _deafening(self, server: str) -> Callable[[], None]:
        def deafen() -> None:
            names = self._links_to(server)
            for name in names:
                self._on.links.all[name].is_deaf = True
            time.sleep(self._chance.uniform(2, 7))
            for name in names:
                self._on.links.mend(self._on.links.all[name])

        return deafen

    # Time

    def _let_days_pass(self) -> None:
        self._on.let_pass(86_400 * self._chance.randint(3, 9))

    def _clocks(self) -> list[str]:
        return list(self._on.names) if self._on.on_sqlite else [*self._on.names, "postgres"]

    def _jump_one(self) -> None:
        """Set one clock hours off, for a while; PostgreSQL's own is the one that counts there."""
        name = self._chance.choice(self._clocks())
        self._on.jump(name, self._chance.choice([-1, 1]) * self._chance.uniform(1, 12))
        time.sleep(self._on.lease + 2)
        self._on.jump(name, 0)

    def _jump_all(self) -> None:
        hours = self._chance.choice([-1, 1]) * self._chance.uniform(1, 12)
        for name in self._clocks():
            self._on.jump(name, hours)
        time.sleep(self._on.lease + 2)
        for name in self._clocks():
            self._on.jump(name, 0)

    # Releases

    def _roll(self) -> None:
        """Ask one process after the other to stop in order; its successor takes over."""
        self._release.roll(self._chance)

    def _upgrade(self) -> None:
        """Put the next release in place: its migration first, then process after process."""
        self._release.upgrade(self._chance)
