"""The runbook rehearsed: each drill is carried out on a running deployment, and what it said kept.

`python -m tests.system.drills` writes the page deploy/DRILLS.md anew.
"""

import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis

from swapflow.settings import load_settings
from tests.support.deployed import READY
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.waiting import CAP, wait_until


ROOT = Path(__file__).parents[2]
PAGE = ROOT / "deploy" / "DRILLS.md"
EXAMPLE = ROOT / "docs" / "example"

INTRODUCTION = """\
# Drills

The [runbook](RUNBOOK.md) carried out on one running deployment, part after part: what was typed,
and what was seen.
`make drills` does it again and writes this page; what differs from one time to the next stands
here as MOMENT, TASK, DIGEST and PORT.
""".splitlines()

_COMMAND = Path(sys.executable).parent / "swapflow"
_UNSTEADY: Mapping[str, str] = {
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|\+00:00)?": "MOMENT",
    r"\d{8}T\d{6}Z?": "MOMENT",
    r"\b[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2} \d{4}, \d{2}:\d{2} UTC": "MOMENT",
    r"\b[a-z]+:[0-9a-f]{16}\b": "TASK",
    r"\b[0-9a-f]{32,64}\b": "DIGEST",
    r"\b\d+(\.\d+)? (GB|MB|kB|KiB|MiB|GiB)\b": "N MB",
    r"\b\d+\.\d+ s\b": "N s",
    r"port \d+|127\.0\.0\.1:\d+": "127.0.0.1:PORT",
}
"""What differs from one rehearsal to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something done in a drill, and what was seen.

    Attributes:
        done: A command as it is typed, or a sentence where hands did it.
        typed: Whether it is a command.
        said: What was printed.
        code: The command's exit code.
    """

    done: str
    typed: bool
    said: str = ""
    code: int = 0


@dataclass(slots=True, kw_only=True)
class Rehearsal:
    """A deployment in a folder of its own, and what is done to it.

    Attributes:
        folder: Its data.
        port: Where its pages are.
        steps: What was done in each drill so far, by its heading.
    """

    folder: Path
    port: int = field(default_factory=free_port)
    steps: dict[str, list[Step]] = field(default_factory=dict)
    _up: Process | None = None
    _drill: str = ""

    @property
    def environment(self) -> dict[str, str]:
        return {
            "SWAPFLOW_DATA_DIR": str(self.folder),
            "SWAPFLOW_WEB_PORT": str(self.port),
            "SWAPFLOW_LEASE_SECONDS": "1.5",
            "SWAPFLOW_RESEND_SECONDS": "1.5",
            "SWAPFLOW_VISIBILITY_TIMEOUT": "3",
            "PYTHONPATH": str(ROOT),
        }

    def drill(self, heading: str) -> None:
        """Begin another drill."""
        self._drill = heading
        self.steps[heading] = []

    def by_hand(self, what: str) -> None:
        """Note what was done otherwise than by a command."""
        self.steps[self._drill].append(Step(done=what, typed=False))

    def run(self, command: str, *, code: int = 0, says: str = "") -> str:
        """Type a command; it must end with this code and say this.

        Raises:
            AssertionError: Otherwise.
        """
        done = subprocess.run(
            [_COMMAND, *shlex.split(command)[1:]],
            env={**os.environ, **self.environment, "COLUMNS": "100"},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=CAP,
            check=False,
        )
        said = done.stdout
        assert done.returncode == code, f"{command}: {done.returncode}\n{said}"
        assert says in said, f"{command} did not say {says!r}:\n{said}"
        shown = command.replace(f"{ROOT}/", "").replace(f"{self.folder}/", "DATA_DIR/")
        self.steps[self._drill].append(
            Step(done=_steady(shown), typed=True, said=self._cleaned(said), code=code)
        )
        return said

    def wait(self, command: str, *, says: str, code: int = 0) -> None:
        """Type a command until it says this; the last time is kept."""

        def answered() -> bool:
            self.steps[self._drill] = kept.copy()
            with suppress(AssertionError):
                self.run(command, code=code, says=says)
                return True
            return False

        kept = self.steps[self._drill].copy()
        wait_until(answered, what=f"{command} to say {says!r}")

    def up(self) -> None:
        """Start everything, and wait until it serves."""
        assert self._up is None
        self._up = Process([str(_COMMAND), "up"], env=self.environment)
        self._up.start()
        up = self._up
        up.wait_for(
            lambda: READY in up.output() or up.code is not None,
            what="a start",
        )
        assert up.code is None, up.tail()
        self.steps[self._drill].append(
            Step(
                done="swapflow up", typed=True, said=self._cleaned(_of_the_supervisor(up.output()))
            )
        )

    def down(self) -> None:
        """Stop everything, as Ctrl-C does."""
        if self._up is not None:
            assert self._up.terminate() == 0, self._up.tail()
            self.by_hand("Ctrl-C in the terminal of `swapflow up`: it ends with 0.")
            self.close()

    def close(self) -> None:
        if self._up is not None:
            if self._up.code is None:
                with suppress(AssertionError):
                    self._up.terminate()
            self._up.__exit__()
            self._up = None

    def pid(self, name: str) -> int:
        """Number of one of the processes, as the supervisor noted it."""
        noted = json.loads((self.folder / "run" / "processes.json").read_text("ascii"))
        return int(noted[name][0])

    def redis(self) -> "redis.Redis":
        return redis.Redis.from_url(load_settings(data_dir=self.folder).redis, socket_timeout=10)

    def first_task(self, reviewer: str) -> str:
        """Code of what waits for a reviewer first; not noted."""
        done = subprocess.run(
            [_COMMAND, "inbox", "list", "masters", "--reviewer", reviewer, "--json"],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=CAP,
            check=True,
        )
        tasks: Any = json.loads(done.stdout)
        found = tasks if isinstance(tasks, list) else tasks["tasks"]
        return str(found[0]["task"])

    def _cleaned(self, said: str) -> str:
        text = said.replace(str(self.folder), "DATA_DIR").replace(str(ROOT), ".")
        return _steady("\n".join(line.rstrip() for line in text.splitlines())).strip("\n")


def _of_the_supervisor(said: str) -> str:
    """Leave out what the processes say for themselves."""
    theirs = re.compile(r"^ *(?!swapflow)\w+ \|")
    return "\n".join(line for line in said.splitlines() if not theirs.match(line))


def _steady(text: str) -> str:
    for pattern, instead in _UNSTEADY.items():
        text = re.sub(pattern, instead, text)
    return text


# The drills


def start(here: Rehearsal) -> None:
    """From nothing to a cycle whose first reviews are out."""
    here.up()
    here.run("swapflow doctor", says="0 faults")
    here.run("swapflow user add ops@example.org --role administrator --by setup")
    here.run("swapflow round new fall")
    here.run(f"swapflow cycle new masters --round fall --rules {EXAMPLE}/program.toml")
    here.run(f"swapflow applications import masters {EXAMPLE}/applicants.csv --show-proposed")
    here.run(f"swapflow reviewers import masters {EXAMPLE}/reviewers.csv")
    here.run("swapflow cycle launch masters")
    here.wait("swapflow inbox list masters --reviewer ana", says="masters:")
    score(here)


def score(here: Rehearsal) -> None:
    """Hand in a review, as a sign that reviews are taken."""
    here.run(
        f"swapflow inbox score {here.first_task('ana')} --reviewer ana "
        '--mark "Preparation=3" --mark "Promise=5"',
        says="stored",
    )


def back_up(here: Rehearsal) -> None:
    """A copy as of one moment, while everything runs."""
    here.run("swapflow db backup kept.backup", says="kept.backup")


def redis_lost(here: Rehearsal) -> None:
    """Redis forgets everything; then its process dies."""
    with here.redis() as client:
        client.flushall()
    here.by_hand("`FLUSHALL` in Redis.")
    here.run("swapflow state rebuild --all")
    here.run("swapflow cycle verify masters", says="agree")
    os.kill(here.pid("redis"), signal.SIGKILL)
    here.by_hand("`kill -9` of the process of Redis; the supervisor starts it again.")
    score(here)
    here.wait("swapflow doctor", says="0 faults")


def stuck(here: Rehearsal) -> None:
    """A coordinator that hangs: scores are taken, and nothing new goes out."""
    hung = here.pid("coordinator")
    os.kill(hung, signal.SIGSTOP)
    here.by_hand("The process of the coordinator is stopped (`SIGSTOP`), as one that hangs.")
    score(here)
    here.wait("swapflow doctor", code=1, says="coordinator")
    os.kill(hung, signal.SIGKILL)
    here.by_hand("`kill -9` of it; the supervisor starts another.")
    here.wait("swapflow doctor", says="0 faults")
    here.wait("swapflow cycle verify masters", says="agree")


def worker_gone(here: Rehearsal) -> None:
    """A worker dies with what it held."""
    os.kill(here.pid("worker"), signal.SIGKILL)
    here.by_hand("`kill -9` of the worker; the supervisor starts another.")
    score(here)
    here.wait("swapflow doctor", says="0 faults")


def leaked(here: Rehearsal) -> None:
    """A person's key, mailed link or device got into other hands."""
    here.run("swapflow user shut-out ops@example.org --by security", says="shut out")


def erase(here: Rehearsal) -> None:
    """A person asks to be erased; before that, for what is held about them."""
    here.run("swapflow personal-data export masters A05 --out held")
    here.run("swapflow applications purge masters A05 --yes")
    here.run("swapflow applications list masters", says="withdrawn")
    here.run("swapflow cycle verify masters", says="agree")


def roll_back(here: Rehearsal) -> None:
    """An upgrade that is taken back: what was handed in after the backup is handed in again."""
    here.run("swapflow db backup before-upgrade.backup")
    here.down()
    here.run("swapflow db upgrade")
    here.up()
    score(here)
    here.down()
    here.run("swapflow db restore before-upgrade.backup --yes")
    here.up()
    here.run("swapflow cycle verify masters", says="agree")
    score(here)


def database_lost(here: Rehearsal) -> None:
    """The disk with the database is gone; there is the backup of the day before."""
    here.run("swapflow db backup yesterday.backup")
    here.down()
    for file in here.folder.glob("swapflow.db*"):
        file.unlink()
    here.by_hand("The database file is deleted.")
    here.run("swapflow cycle list", code=5)
    here.run("swapflow db restore yesterday.backup --yes")
    here.up()
    here.run("swapflow cycle verify masters", says="agree")
    here.wait("swapflow doctor", says="0 faults")


def altered(here: Rehearsal) -> None:
    """A person with access to the database changes a score."""
    with closing(sqlite3.connect(here.folder / "swapflow.db")) as connection:
        connection.execute("UPDATE score SET value = value / 2 WHERE id = 1")
        connection.commit()
    here.by_hand("A score is halved by SQL, beside swapflow.")
    here.run("swapflow cycle verify masters", code=1, says="DIFFERS")


DRILLS: Mapping[str, Callable[[Rehearsal], None]] = {
    "Start": start,
    "Back up": back_up,
    "Redis lost": redis_lost,
    "A coordinator is stuck": stuck,
    "A worker is gone": worker_gone,
    "A key, a link or a device leaked": leaked,
    "Upgrade, and going back": roll_back,
    "Database lost": database_lost,
    "A person asks to be erased": erase,
    "A record that was altered": altered,
}


def rehearse(*, progress: Callable[[str], None] = lambda _: None) -> dict[str, list[Step]]:
    """Carry all drills out, one after another on one deployment; gives what was seen in each.

    Raises:
        AssertionError: If a command ended otherwise, or said something else, than the drill needs.
    """
    here = Rehearsal(folder=Path(tempfile.mkdtemp(prefix="sf-drills-")))
    try:
        for heading, carry_out in DRILLS.items():
            progress(heading)
            here.drill(heading)
            carry_out(here)
    finally:
        here.close()
        shutil.rmtree(here.folder, ignore_errors=True)
    return here.steps


def page(steps: Mapping[str, list[Step]]) -> str:
    """Format what was seen as the page of the drills."""
    lines = [*INTRODUCTION, ""]
    for heading, done in steps.items():
        lines += [f"## {heading}", "", (DRILLS[heading].__doc__ or "").strip(), ""]
        for step in done:
            if not step.typed:
                lines += [step.done, ""]
                continue
            ended = f"\n(exit code {step.code})" if step.code else ""
            lines += ["```", f"$ {step.done}", *([step.said + ended] if step.said else []), "```"]
            lines += [""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(rehearse(progress=print)), encoding="utf-8")
    print(f"written to {PAGE.relative_to(ROOT)}")
