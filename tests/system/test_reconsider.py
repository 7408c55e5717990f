"""A reconsideration by commands, on a deployment of real processes that are killed meanwhile."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.domain.people.reviewer import NewReviewer
from tests.support.postgres import PostgresServer
from tests.system.people import answer, delivered, launch_with_people
from tests.system.rounds import unsound
from tests.system.stack import Stack


pytestmark = pytest.mark.system


def run(stack: Stack, *arguments: str, code: int = 0) -> Any:  # noqa: ANN401 - as json.loads
    """Run a command as staff do, in a process of its own, and read its JSON."""
    said = subprocess.run(
        [sys.executable, "-m", "swapflow.cli.main", *arguments, "--json"],
        env={**stack.environment, "PATH": "", "SWAPFLOW_USER": "olga"},
        capture_output=True,
        check=False,
        text=True,
    )
    assert said.returncode == code, (arguments, said.stdout, said.stderr)
    return json.loads(said.stdout) if code == 0 else said.stderr


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_one_person_is_added_though_every_process_is_killed_in_between(
    kind: str, cycle_id: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    url = postgres.new_database() if kind == "postgresql" else None
    with Stack(database_url=url) as stack:
        product = stack.product
        launch_with_people(stack, cycle_id)
        for asked in delivered(stack, cycle_id, at_least=8):
            product.tasks.submit([answer(asked, (1 + asked.application) / 10)])
        stack.wait_for(
            lambda: product.cycles.get(cycle_id).status is CycleStatus.PROPOSED, what="a proposal"
        )
        product.cohort.finalize(cycle_id, by="Chair")
        reserve = [
            NewReviewer(external_id=f"S{n}", capacity={"review": None}, reserve=True)
            for n in range(2)
        ]
        product.reviewers.import_all(cycle_id, reserve)
        before = {o.application: o.verdict for o in product.cohort.outcomes(cycle_id, 1)}

        why = ("--reason", "a wrong file", "--asked-by", "the applicant")
        run(stack, "cycle", "reconsider", "open", cycle_id, "A0", *why)
        run(stack, "cycle", "reconsider", "open", cycle_id, "A0", *why, code=4)
        stack.kill("coordinator")
        fresh = delivered(stack, cycle_id, at_least=2)
        stack.kill("worker")
        names = {r.number: r.external_id for r in product.reviewers.list(cycle_id)}
        assert {names[a.reviewer] for a in fresh} == {"S0", "S1"}
        product.tasks.submit([answer(a, 1.0) for a in fresh])

        shown = run(stack, "cycle", "reconsider", "show", cycle_id, "A0")
        two = ("--by", "A", "--by", "B")
        conclude = ("cycle", "reconsider", "conclude", cycle_id, "A0", *two, "--result", "added")
        run(stack, *conclude, "--reason", "as the marks say", code=2)
        made = run(stack, *conclude, "--reason", "as the marks say", "--beyond")
        run(stack, *conclude, "--reason", "as the marks say", "--beyond", code=3)

        assert (shown["received"], shown["waiting"]) == (2, 0)
        assert (made["version"], made["beyond_the_places"]) == (2, True)
        after = {o.application: o.verdict for o in product.cohort.outcomes(cycle_id, 2)}
        assert {n for n in after if after[n] is not before[n]} == {0}
        assert after[0] is Verdict.SELECTED
        assert run(stack, "cycle", "verify", cycle_id, "--record-only")["passed"]
        file = str(tmp_path / "round.bundle")
        run(stack, "cycle", "bundle", cycle_id, "--out", file)
        assert run(stack, "verify", file)["passed"]
        assert unsound(product, cycle_id, live=False) == []
