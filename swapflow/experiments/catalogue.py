"""All studies, by name, and how one is run and written down."""

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swapflow.errors import InvalidInputError
from swapflow.experiments.admissions import (
    admissions,
    budget_rule_variants,
    close_floors,
    committees,
    drawn_checks,
    fixed_budgets,
    list_numbers,
    lower_bound,
    requests_out,
    tiered_interviews,
)
from swapflow.experiments.finding import FindingRecord, Made, write_finding, write_record
from swapflow.experiments.paper import (
    example,
    hardness,
    pull_mix_zones,
    robustness,
    stopping,
    theorems,
)
from swapflow.experiments.study import Study, StudyEffort
from swapflow.experiments.sweep import ChunkRunner, Report


STUDIES: tuple[Study, ...] = (
    *example.STUDIES,
    *hardness.STUDIES,
    *pull_mix_zones.STUDIES,
    *admissions.STUDIES,
    *committees.STUDIES,
    *theorems.STUDIES,
    *stopping.STUDIES,
    *fixed_budgets.STUDIES,
    *lower_bound.STUDIES,
    *list_numbers.STUDIES,
    *requests_out.STUDIES,
    *close_floors.STUDIES,
    *drawn_checks.STUDIES,
    *budget_rule_variants.STUDIES,
    *robustness.STUDIES,
    *tiered_interviews.STUDIES,
)


def chosen(names: Sequence[str]) -> list[Study]:
    """Return the studies of these names, or all, in the order of the catalogue.

    Raises:
        InvalidInputError: If there is no study of a name.
    """
    known = {study.name: study for study in STUDIES}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InvalidInputError("study_unknown", study=unknown[0], studies=known)
    return [study for study in STUDIES if not names or study.name in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How studies are carried out.

    Attributes:
        effort: How large.
        out: Folder of tables and figures; the sweeps' chunks are kept in `.chunks` in it, so
            that an interrupted study goes on.
        spread: Who computes.
        fresh: Whether to compute anew what is there already.
        png: Whether figures are written as PNG too.
    """

    effort: StudyEffort
    out: Path
    spread: ChunkRunner
    fresh: bool = False
    png: bool = True


def carry_out(study: Study, order: Order, *, command: str, report: Report) -> FindingRecord:
    """Run a study and write its CSV, SVG, PNG and JSON; one that lacks its data says so.

    Args:
        study: What to run.
        order: How.
        command: The command that does this, for the record.
        report: Called with progress.
    """
    effort = order.effort
    began = time.monotonic()
    lacking = study.lacking(effort)
    finding = (
        None
        if lacking
        else study.run(
            effort, order.out / ".chunks", spread=order.spread, report=report, fresh=order.fresh
        )
    )
    record = FindingRecord(
        study=study.name,
        group=study.group,
        title=study.title,
        paper=study.paper,
        seen=finding.seen if finding else "",
        effort=study.effort_in_words(effort),
        made=Made(
            command=command,
            seed=effort.seed,
            commit=commit(),
            seconds=round(time.monotonic() - began, 1),
            numpy=np.__version__,
        ),
        tables=tuple(finding.tables) if finding else (),
        figures=tuple(finding.figures) if finding else (),
        beside=finding.beside.rounded() if finding and finding.beside else None,
        notes=finding.notes if finding else (),
        missing=lacking,
    )
    if finding:
        write_finding(finding, record, order.out, png=order.png)
    else:
        write_record(record, order.out)
    return record


def commit() -> str:
    """Return the commit of this code, "+" behind it if the studies' code differs from it.

    "" where the code lies in no checkout.
    """
    home = Path(__file__).parents[1]
    try:
        head = _git(home, "rev-parse", "--short=12", "HEAD")
        changed = _git(
            home, "status", "--porcelain", "--", "experiments", "planning", "bandit", "simulation"
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head + "+" * bool(changed)


def _git(home: Path, *arguments: str) -> str:
    return subprocess.run(  # noqa: S603 - fixed words, no shell
        ["git", "-C", str(home), *arguments],  # noqa: S607 - whichever git the user has
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
