"""A finished program whose applicants declared something for monitoring alone, and who looked."""

from dataclasses import replace

from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import Purpose
from tests.engine.cycle_by_hand import applicant
from tests.web.site import SITE_RULES, Site


COLOURS = ("violet",) * 6 + ("red",) * 3 + ("blue",) * 3


def looks(site: Site) -> list[str]:
    """Name those who read the monitoring, once for each look."""
    entries = site.office.context.ledger.audit(cycle_id="fall")
    return [entry.who for _, entry in entries if entry.what == "monitoring read"]


def finished(site: Site) -> str:
    """A finished program whose applicants declared a colour for monitoring alone."""
    rules = replace(SITE_RULES, rubrics=(), purpose=Purpose.SIMULATION, blind=False, budget=12)
    site.launched(rules=rules, applicants=0, launch=False)
    people = [
        applicant(f"A{n}", name=f"Name {n}", monitor={"colour": COLOURS[n % 12], "shape": "round"})
        for n in range(12)
    ]
    site.product.applicants.import_all("fall", people)
    site.product.cycles.launch("fall", by="ops")
    site.turn()
    for number, task in enumerate(site.ledger.assignments("fall")):
        site.product.tasks.submit([Answer(assignment_id=task.id, utility=0.3 + number / 40)])
    site.turn()
    site.product.cohort.finalize("fall", by="Chair")
    return "fall"
