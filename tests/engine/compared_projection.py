"""Everything that a folded cycle holds, in a form that can be compared."""

from copy import deepcopy

from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.read_models.snapshot import SnapshotCache


PLAIN = (
    "position",
    "rules",
    "rules_version",
    "status",
    "decisions",
    "floors_open",
    "staff_cost",
    "stop_reason",
    "statuses",
    "ties",
    "groups",
    "topics",
    "reviewers",
    "panels",
    "open",
    "struck",
    "unasked",
    "_rank",
    "_candidate",
    "_ready",
    "_barred",
    "_barred_list",
    "_panel_list",
    "_score_rows",
)
TABLES = ("given", "closed", "out")


def folded(snapshots: SnapshotCache, ledger: Ledger, *, cycle: str = "fall") -> dict[str, object]:
    """Fold a cycle, and copy what came of it, so that later folds leave it alone."""
    with snapshots.at_head(cycle, ledger=ledger) as seen:
        projection, arms = seen.projection, seen.arms
        found: dict[str, object] = {name: deepcopy(getattr(projection, name)) for name in PLAIN}
        found |= {name: getattr(projection, name)().tolist() for name in TABLES}
        scores = projection.scores()
        found["scores"] = [
            getattr(scores, name).tolist()
            for name in ("application", "kind", "reviewer", "numerator", "information", "rank")
        ]
        found["ordinals"] = [
            projection.next_ordinal(application, kind)
            for application in range(projection.applications)
            for kind in range(len(projection.rules.kinds))
        ]
        found["arms"] = (
            arms.position,
            arms.numerator.tolist(),
            arms.information.tolist(),
            arms.pending.tolist(),
            arms.spent,
            arms.committed,
        )
        return found | {"cycle": seen.cycle}
