"""A deployment under one supervisor, as a test sees it: its folder, what it prints, its ledger."""

import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from swapflow.engine.services import Swapflow
from swapflow.ledger.sql_ledger import SqlLedger
from tests.support.process import Process, exists


READY = "every process is ready"


class Deployed:
    """What every deployment of the tests can do, whatever it consists of.

    Attributes:
        folder: Its data, and where the supervisor notes the numbers of its processes.
        process: The supervisor.
        product: The same deployment as it is used at a shell.
    """

    process: Process
    product: Swapflow

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._passed = 0.0
        self._seen: set[int] = set()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the supervisor and wait until every process serves."""
        before = self.process.output().count(READY)
        self.process.start()
        self.wait_for(
            lambda: self.process.output().count(READY) > before or self.process.code is not None,
            what="the deployment",
        )
        assert self.process.code is None, self.process.tail()
        self.pids()

    def close(self) -> None:
        """Stop everything, frozen or not; `check_nothing_is_left` is for the end of it."""
        for pid in self.pids().values():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        if hasattr(self, "process"):
            with suppress(AssertionError, ProcessLookupError):
                self.process.terminate()
            self.pids()
            self.process.__exit__()
        if hasattr(self, "product"):
            self.ledger.dispose()
            for part in (
                self.product.context.dispatcher,
                self.product.context.state,
                self.product.context.doorbell,
            ):
                part.close()  # type: ignore[union-attr]  # the real ones, all of which close

    def check_nothing_is_left(self) -> None:
        """Fail if a process that was ever seen still runs; a number may be another's by now."""
        left = [pid for pid in self._seen if exists(pid) and self._owns(pid)]
        assert not left, f"processes {left} outlived their deployment"

    def kill_supervisor(self) -> None:
        """Kill the supervisor alone, by kill -9; the kernel takes its children with it."""
        children = list(self.pids().values())
        self.process.kill9(group=False)
        self.wait_for(lambda: not any(map(exists, children)), what="no process left behind")

    def pids(self) -> dict[str, int]:
        """Process numbers by name, as the supervisor last noted them."""
        with suppress(OSError, ValueError):
            noted = json.loads((self.folder / "run" / "processes.json").read_text("ascii"))
            found = {name: pid for name, (pid, _) in noted.items()}
            self._seen |= set(found.values())
            return found
        return {}

    def lives(self, name: str) -> int:
        """How often a process got ready so far."""
        return self.process.output().count(f"| {name} is ready after")

    def failures(self, name: str) -> int:
        """How often a process ended by itself."""
        return self.process.output().count(f"| {name} exited with status ")

    def wait_for(self, claim: Callable[[], bool], *, what: str) -> None:
        """Wait for a claim, as long as they run; a failure shows what the processes printed."""
        self.process.wait_for(claim, what=what)

    @property
    def ledger(self) -> SqlLedger:
        ledger = self.product.context.ledger
        assert isinstance(ledger, SqlLedger)
        return ledger

    def let_pass(self, seconds: float) -> None:
        """Move the ledger's clock forward, as days do."""
        self._passed += seconds
        self.ledger.set_clock_offset(self._passed)

    def _owns(self, pid: int) -> bool:
        """Whether a process is of this deployment: environment or command names the folder."""
        with suppress(OSError):
            here = Path(f"/proc/{pid}")
            said = (here / "environ").read_bytes() + (here / "cmdline").read_bytes()
            return os.fsencode(self.folder) in said
        return False
