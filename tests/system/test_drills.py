"""The runbook's drills: they can be carried out, and the page shows what they are."""

import pytest

from tests.system.drills import DRILLS, PAGE, page, rehearse


@pytest.mark.system
@pytest.mark.slow
def test_every_drill_of_the_runbook_works_and_stands_on_its_page() -> None:
    seen = rehearse()

    assert list(seen) == list(DRILLS)
    shown = PAGE.read_text("utf-8")
    lacking = [
        step.done
        for steps in seen.values()
        for step in steps
        if step.typed and f"$ {step.done}" not in shown
    ]
    assert not lacking, f"run `make drills`: the page does not show {lacking}"
    assert all(f"## {heading}" in page(seen) for heading in DRILLS)
