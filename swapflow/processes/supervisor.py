"""One command that starts every process of a deployment and keeps them running."""

import asyncio
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from swapflow.errors import UnavailableError
from swapflow.processes.data_folder_lock import locked_folder, note_processes, run_folder, sweep
from swapflow.processes.heartbeat import HEARTBEAT_VARIABLE
from swapflow.processes.parent_watch import dies_with_this_process
from swapflow.processes.progress import wait_ready


Sink = Callable[[str, str], None]
"""Takes one line of output: the name of the process, and the line."""

TRIES = 3
"""Starts after which a process that never got ready stops the whole start."""

STABLE_SECONDS = 60.0
"""Life after which an exit counts as the first again."""

TAIL = 20
"""Lines of output kept for the message when a start fails."""

LONGEST_LINE = 65_536
"""Bytes after which a line is printed though it has not ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """A process to keep running.

    Attributes:
        name: Short name, the prefix of its output.
        argv: Its command.
        env: Variables beside the supervisor's own.
        ready: Says whether it serves now; None asks for its heartbeat file, whose path it finds
            in SWAPFLOW_HEARTBEAT.
        stage: Started when all of the lower stages are ready, stopped before them.
        ready_seconds: Seconds without any sign of work after which a process that is not ready is
            killed and started again; one that works may take as long as it needs.
        grace: Seconds from the request to stop until it is killed with its whole process group.
        hint: What to do when it does not start.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] | None = None
    stage: int = 1
    ready_seconds: float = 30.0
    grace: float = 15.0
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackOff:
    """Seconds between an exit and the next start: doubling, up to a limit."""

    first: float = 0.5
    most: float = 30.0

    def after(self, exits: int) -> float:
        """Return the wait after this many exits in a row, from 1."""
        return min(self.first * 2.0 ** min(exits - 1, 20), self.most)


def print_line(name: str, line: str) -> None:
    """Print a line of output behind its process's name."""
    with suppress(OSError):  # nobody reads any more: no reason to stop working
        print(f"{name:>12} | {line}", flush=True)  # noqa: T201  # this is the supervisor's output


def run_supervisor(
    specs: Sequence[ProcessSpec],
    data_dir: Path,
    *,
    sink: Sink = print_line,
    on_ready: Callable[[], None] | None = None,
    back_off: BackOff | None = None,
) -> None:
    """Start the processes and keep them running until SIGTERM or SIGINT.

    Stops them in reverse order; a second signal kills them at once. Should this process be
    killed, the kernel kills the others (Linux), and the next start sweeps up what is left.

    Args:
        specs: The processes.
        data_dir: Folder that only one supervisor uses at a time.
        sink: Where output goes.
        on_ready: Called once, when every process is ready.
        back_off: How long to wait before a process is started again.

    Raises:
        ConflictError: If another supervisor runs on the data folder.
        UnavailableError: If a process does not get ready; all are stopped again.
    """
    with locked_folder(data_dir):
        for name in sweep(data_dir):
            sink("swapflow", f"killed {name}, left behind by a run that died")
        supervisor = _Supervisor(specs, data_dir, sink, back_off or BackOff())
        asyncio.run(supervisor.run(on_ready))
        note_processes(data_dir, {})


class _Supervisor:
    """The processes of one run."""

    def __init__(
        self, specs: Sequence[ProcessSpec], data_dir: Path, sink: Sink, back_off: BackOff
    ) -> None:
        self._data_dir = data_dir
        self._sink = sink
        self._children = [_Child(spec, self, data_dir, back_off) for spec in specs]
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()

    async def run(self, on_ready: Callable[[], None] | None) -> None:
        """Start, wait for a signal, stop."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._asked_to_stop)
        try:
            if await self._start():
                self.say("every process is ready")
                if on_ready is not None:
                    on_ready()
                # A keeper ends before its time only by an error of ours: then stop and show it.
                await self._until_stop(*(child.keeper for child in self._children))
        finally:
            await self._stop_all()

    def say(self, line: str) -> None:
        """Print a line for the person who watches."""
        self._sink("swapflow", line)

    def pass_on(self, name: str, line: str) -> None:
        """Print a line of a process's output."""
        self._sink(name, line)

    def note(self) -> None:
        """Write down which processes run."""
        pids = {child.spec.name: child.pid for child in self._children if child.pid}
        with suppress(OSError):  # a full disk: the sweep is a second safety net only
            note_processes(self._data_dir, pids)

    def _asked_to_stop(self) -> None:
        if self._stop.is_set():
            self._hurry.set()
        self._stop.set()

    def _stages(self) -> list[list["_Child"]]:
        stages = sorted({child.spec.stage for child in self._children})
        return [[c for c in self._children if c.spec.stage == stage] for stage in stages]

    async def _start(self) -> bool:
        """Start stage by stage; False when asked to stop meanwhile."""
        for stage in self._stages():
            for child in stage:
                child.begin()
            await self._until_stop(asyncio.create_task(_settled(stage)))
            for child in stage:
                child.raise_if_failed()
            if self._stop.is_set():
                return False
        return True

    async def _until_stop(self, *others: asyncio.Task[None]) -> None:
        """Wait until a person asks to stop or one of the others ends."""
        stopped = asyncio.create_task(_set(self._stop))
        await asyncio.wait({stopped, *others}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()

    async def _stop_all(self) -> None:
        """Stop in reverse order; whatever is in the way, nothing is left running."""
        errors: list[BaseException] = []
        for stage in reversed(self._stages()):
            ends = (child.end(self._hurry) for child in stage)
            ended = await asyncio.gather(*ends, return_exceptions=True)
            errors += [error for error in ended if error is not None]
        self.note()
        self.say("stopped")
        if errors:
            raise errors[0]


class _Child:
    """One process over its lives."""

    def __init__(
        self, spec: ProcessSpec, owner: _Supervisor, data_dir: Path, back_off: BackOff
    ) -> None:
        self.spec = spec
        self.settled = asyncio.Event()  # ready for the first time, or given up
        self._owner = owner
        self._back_off = back_off
        self._heartbeat = run_folder(data_dir) / f"{spec.name}.beat"
        self._process: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()
        self._exits = 0
        self._failed = False
        self._tail: deque[str] = deque(maxlen=TAIL)

    @property
    def pid(self) -> int | None:
        """Process number while it runs."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if self._process is not None and running else None

    @property
    def keeper(self) -> asyncio.Task[None]:
        """The task that keeps it running, once begun."""
        assert self._keeper is not None
        return self._keeper

    def begin(self) -> None:
        """Start the process and the task that keeps it running."""
        self._keeper = asyncio.create_task(self._keep())

    def raise_if_failed(self) -> None:
        """Report a process that never got ready."""
        if self._failed:
            output = "".join(f"\n  {line}" for line in self._tail) or "\n  (it printed nothing)"
            hint = f"\n{self.spec.hint}" if self.spec.hint else ""
            raise UnavailableError(
                "process_does_not_start", name=self.spec.name, output=output, hint=hint
            )

    async def end(self, hurry: asyncio.Event) -> None:
        """Ask the process to stop, kill it when its grace is over or a person asks twice."""
        self._ending.set()
        if self._keeper is None:
            return
        if self.pid is not None:
            self._signal(signal.SIGTERM)
        hurried = asyncio.create_task(hurry.wait())
        await asyncio.wait(
            {self._keeper, hurried},
            timeout=self.spec.grace,
            return_when=asyncio.FIRST_COMPLETED,
        )
        hurried.cancel()
        if not self._keeper.done():
            self._owner.say(f"{self.spec.name} did not stop, killing it")
            self._kill_group()
        await self._keeper

    async def _keep(self) -> None:
        """Run the process again and again until the end or until it is given up."""
        while not self._ending.is_set():
            began = time.monotonic()
            try:
                await self._live()
            except OSError as error:  # no such program, no memory for another process
                self._tail.append(str(error))
                self._owner.say(f"{self.spec.name} cannot be started: {error}")
            if self._ending.is_set():
                return
            self._exits = 1 if time.monotonic() - began > STABLE_SECONDS else self._exits + 1
            if not self.settled.is_set() and self._exits >= TRIES:
                self._failed = True
                self.settled.set()
                return
            wait = self._back_off.after(self._exits)
            self._owner.say(f"{self.spec.name} starts again in {wait:g} s")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), wait)

    async def _live(self) -> None:
        """Run the process once, from its start to the end of its whole group."""
        self._heartbeat.unlink(missing_ok=True)
        output, process = await self._spawn()
        self._process = process
        self._owner.note()
        reading = asyncio.create_task(self._relay(output))
        watching = asyncio.create_task(self._watch_ready())
        if self._ending.is_set():  # asked to stop while it was being started
            self._signal(signal.SIGTERM)
        code = await process.wait()
        watching.cancel()
        self._kill_group()  # what it had started itself must not work on beside its successor
        await asyncio.wait({reading}, timeout=1.0)
        reading.cancel()
        if not self._ending.is_set():
            self._owner.say(f"{self.spec.name} {_how_it_ended(code)}")

    async def _spawn(self) -> tuple[int, asyncio.subprocess.Process]:
        """Start the process; returns the end of the pipe that its output comes out of.

        The pipe is our own: asyncio's would keep `wait` waiting for grandchildren that hold it.
        """
        output, inlet = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *self.spec.argv,
                stdin=subprocess.DEVNULL,
                stdout=inlet,
                stderr=inlet,
                start_new_session=True,
                # Runs between fork and exec. Safe here: it imports nothing and takes no lock.
                preexec_fn=dies_with_this_process(),
                env={
                    **os.environ,
                    "PYTHONUNBUFFERED": "1",
                    HEARTBEAT_VARIABLE: str(self._heartbeat),
                    **self.spec.env,
                },
            )
        except OSError:
            os.close(output)
            raise
        finally:
            os.close(inlet)
        return output, process

    async def _relay(self, output: int) -> None:
        """Print every line of output until all who could write have gone."""
        reader = asyncio.StreamReader()
        with os.fdopen(output, "rb", buffering=0) as pipe:
            transport, _ = await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(reader), pipe
            )
            try:
                rest = b""
                while chunk := await reader.read(LONGEST_LINE):
                    *lines, rest = (rest + chunk).split(b"\n")
                    if len(rest) > LONGEST_LINE:
                        lines.append(rest)
                        rest = b""
                    for line in lines:
                        self._print(line)
                if rest:
                    self._print(rest)
            finally:
                transport.close()

    def _print(self, raw: bytes) -> None:
        line = raw.decode("utf-8", "replace").rstrip()
        self._tail.append(line)
        self._owner.pass_on(self.spec.name, line)

    async def _watch_ready(self) -> None:
        """Wait until the process serves; kill it only when it has done nothing for a while."""
        began = time.monotonic()
        is_ready = await wait_ready(
            self.spec.name,
            self.spec.ready or self._heartbeat.exists,
            pid=self.pid,
            lines=self._tail,
            idle=self.spec.ready_seconds,
            say=self._owner.say,
        )
        if not is_ready:
            self._tail.append(f"not ready, and idle for {self.spec.ready_seconds:g} s")
            self._owner.say(f"{self.spec.name} does not get on, killing it")
            self._kill_group()
            return
        self._owner.say(f"{self.spec.name} is ready after {time.monotonic() - began:.1f} s")
        self.settled.set()

    def _signal(self, number: signal.Signals) -> None:
        if self.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _kill_group(self) -> None:
        """Kill the process and everything it has started, if any of it is left."""
        if self._process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


async def _set(event: asyncio.Event) -> None:
    """Wait for an event."""
    await event.wait()


async def _settled(stage: Sequence[_Child]) -> None:
    """Wait until every process of a stage is ready or given up."""
    for child in stage:
        await child.settled.wait()


def _how_it_ended(code: int) -> str:
    """Return in words how a process ended."""
    if code < 0:
        with suppress(ValueError):
            return f"was killed by {signal.Signals(-code).name}"
    return f"exited with status {code}"
