"""An office at a terminal: commands in this process, on a database of their own."""

import csv
import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from swapflow import bootstrap
from swapflow.cli.main import main
from swapflow.domain.ids import applicant_number
from swapflow.engine.ports.dispatcher import Topic
from swapflow.engine.services import ServiceContext, compose
from swapflow.ledger.sql_ledger import SqlLedger
from swapflow.queues.inline import InlineDispatcher
from swapflow.state.memory import MemoryCycleState, MemoryDoorbell


REVIEW_MARKS = ("Academic preparation", "Research promise", "Fit with the programme")
INTERVIEW_MARKS = ("Reasoning about a problem", "Clarity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - as json.loads
        return json.loads(self.out)


class Office:
    """Commands as staff and reviewers type them, and a coordinator whose turns tests take."""

    def __init__(self, folder: Path, launched: Callable[[], Path]) -> None:
        self.folder = folder
        self._launched = launched
        self.database = folder / "var" / "swapflow.db"
        self.said: list[tuple[tuple[str, ...], Said]] = []

    def run(self, *arguments: str) -> Said:
        """Run one command and give what it said."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(arguments)
        said = Said(code=code, out=out.getvalue(), err=err.getvalue())
        self.said.append((arguments, said))
        assert "Traceback" not in said.err
        return said

    def do(self, *arguments: str) -> Said:
        """Run one command that must succeed."""
        said = self.run(*arguments)
        assert said.code == 0, (arguments, said)
        return said

    def ask(self, *arguments: str) -> Any:  # noqa: ANN401 - as json.loads
        """Run one command that must succeed, and read its JSON."""
        return self.do(*arguments, "--json").json

    def turn(self) -> None:
        """Take a coordinator's turns, and workers', until nothing is left to do. No Redis."""
        dispatcher = InlineDispatcher(
            lambda messages: product.tasks.deliver(
                [m.id for m in messages if m.topic is Topic.DELIVER]
            )
        )
        ledger = SqlLedger(f"sqlite:///{self.database}")
        product = compose(
            ServiceContext(
                ledger=ledger,
                state=MemoryCycleState(),
                dispatcher=dispatcher,
                doorbell=MemoryDoorbell(),
                post=lambda _mail: None,
            )
        )
        coordinator = product.cycles.coordinator("test")
        try:
            while coordinator.turn() + dispatcher.run_pending():
                pass
            coordinator.stop()
        finally:
            ledger.dispose()

    def dump(self) -> list[str]:
        """Return everything that is in the database, as SQL."""
        with sqlite3.connect(self.database) as connection:
            lines = list(connection.iterdump())
        connection.close()
        return lines

    def write(self, name: str, rows: Sequence[Mapping[str, str]] | str) -> str:
        """Write a file; gives its path."""
        file = self.folder / name
        if isinstance(rows, str):
            file.write_text(rows, encoding="utf-8")
            return str(file)
        with file.open("w", newline="", encoding="utf-8") as opened:
            writer = csv.DictWriter(opened, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return str(file)

    def new_cycle(self, cycle: str = "ms", *, places: int = 2, budget: int = 800) -> Path:
        """Make database, round and cycle; gives the rules file."""
        self.do("db", "upgrade")
        self.do("round", "new", "fall", "--name", "Fall 2026")
        rules = self.folder / f"{cycle}.toml"
        self.do(
            "cycle", "new", cycle, "--round", "fall", "--template", "admissions",
            "--out", str(rules),
        )  # fmt: skip
        self.edit(
            rules,
            ("number = 20", f"number = {places}"),
            ("= 12000", f"= {budget}"),
            # With a handful of applicants almost everybody is close, and asks for a reason.
            ('[[floors]]\nkind = "review"\ncount = 3\nfor = "close"\n\n', ""),
            # And so few people have read everyone already.
            ("[drawn_check]\nshare = 0.05\nleast = 5\n", ""),
        )
        self.do("cycle", "rules", cycle, "--set", str(rules), "--reason", "our numbers")
        return rules

    @staticmethod
    def edit(file: Path, *changes: tuple[str, str]) -> None:
        text = file.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")

    def people(self, cycle: str = "ms", *, applicants: int = 6) -> None:
        """Import applicants and three reviewers."""
        file = self.write("applicants.csv", applicant_rows(applicants))
        self.do("applications", "import", cycle, file, "--show-proposed")
        self.do("reviewers", "import", cycle, self.write("reviewers.csv", REVIEWERS))

    def launched(self) -> None:
        """Take over the cycle `ms` with people, launched, its first requests out."""
        for made in self._launched().iterdir():
            if made.is_dir():
                shutil.copytree(made, self.folder / made.name, dirs_exist_ok=True)
            else:
                shutil.copy(made, self.folder)

    def launch(self) -> None:
        """Make the cycle `ms` with people and launch it; the first requests are out."""
        self.new_cycle()
        self.people()
        self.do("cycle", "launch", "ms")
        self.turn()

    def tasks(self, reviewer: str, cycle: str = "ms") -> list[dict[str, Any]]:
        """List a reviewer's tasks."""
        tasks: list[dict[str, Any]] = self.ask("inbox", "list", cycle, "--reviewer", reviewer)[
            "tasks"
        ]
        return tasks

    def applicant_of(self, task: Mapping[str, Any]) -> str:
        """Return the id of a task's applicant, whom a blind reviewer knows by a number."""
        with closing(sqlite3.connect(self.database)) as connection:
            rows = connection.execute(
                "SELECT number, external_id, task_key FROM application "
                "JOIN cycle ON cycle.id = application.cycle_id"
            ).fetchall()
        shown = {f"Applicant {applicant_number(n, key=key)}": known for n, known, key in rows}
        return str(shown[task["applicant"]])

    def answer(self, task: Mapping[str, Any], reviewer: str) -> Said:
        """Score a task by the applicant's number: the same person always gets the same marks."""
        high = int(self.applicant_of(task)[1:]) % 2 == 0
        names = REVIEW_MARKS if task["kind"] == "review" else INTERVIEW_MARKS
        marks = [f"--mark={name}={5 if high else 1}" for name in names]
        return self.do("inbox", "score", str(task["task"]), "--reviewer", reviewer, *marks)

    def answer_all(self, cycle: str = "ms") -> int:
        """Answer every request of every reviewer; return how many scores came in."""
        count = 0
        for reviewer in (row["reviewer_id"] for row in REVIEWERS):
            for task in self.tasks(reviewer, cycle):
                self.answer(task, reviewer)
                count += 1
        return count

    def run_until_proposed(self, cycle: str = "ms", *, rounds: int = 20) -> str:
        """Approve and answer whatever comes until the rules propose to stop."""
        for _ in range(rounds):
            status: str = self.ask("cycle", "status", cycle)["status"]
            if status != "running":
                return status
            self.do("approvals", "approve", cycle, "--all")
            self.turn()
            self.answer_all(cycle)
            self.turn()
        raise AssertionError(f"still running after {rounds} rounds")


def _reviewer(name: str, kind: str) -> dict[str, str]:
    """Nobody judges one applicant twice, so reviewers and interviewers are different people."""
    return {
        "reviewer_id": name,
        "name": f"{name.capitalize()} Reviewer",
        "email": f"{name}@example.org",
        "kinds": kind,
    }


REVIEWERS = (
    _reviewer("ada", "review"),
    _reviewer("ben", "review"),
    _reviewer("cyd", "review"),
    _reviewer("dee", "interview"),
    _reviewer("eli", "interview"),
)


def applicant_rows(count: int) -> list[dict[str, str]]:
    """Applicants a1, a2, …, each with a name, a mail and a statement."""
    return [
        {
            "applicant_id": f"a{number}",
            "name": f"Person Number{number}",
            "email": f"person{number}@example.org",
            "statement": f"Statement of {number}",
        }
        for number in range(1, count + 1)
    ]


def forget_deployment() -> None:
    """Close what the commands of this process opened, so that the next office gets its own."""
    if bootstrap.is_built():
        ledger = bootstrap.swapflow().context.ledger
        assert isinstance(ledger, SqlLedger)
        ledger.dispose()
    bootstrap.forget()


def recording(office: Office) -> str:
    """A past round of eight applicants with three marks each."""
    folder = office.folder / "past"
    folder.mkdir(exist_ok=True)
    items = "item_id\n" + "".join(f"p{i}\n" for i in range(8))
    marks = "item_id,order,score,reviewer_id\n" + "".join(
        f"p{i},{o},{1 + (3 * i + o) % 10},r{(i + o) % 5}\n" for i in range(8) for o in range(3)
    )
    (folder / "items.csv").write_text(items, encoding="utf-8")
    (folder / "scores.csv").write_text(marks, encoding="utf-8")
    return str(folder)
