"""What staff do to people takes few acts: each job is walked through in a browser and counted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.office import Deployment
from tests.walks.jobs import MOST, Counts, conflict, sick_reviewer


@pytest.mark.parametrize(
    ("name", "job"), [("sick_reviewer", sick_reviewer), ("conflict", conflict)]
)
def test_a_job_takes_no_more_acts_than_it_may(
    up: Deployment, tmp_path: Path, name: str, job: Callable[[Deployment, Path], Counts]
) -> None:
    counted = job(up, tmp_path)

    assert all(counted[what] <= most for what, most in MOST[name].items()), counted
