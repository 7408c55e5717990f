"""Scores that count although their reviewer may not judge the applicant."""

from dataclasses import dataclass

from swapflow.domain.reviewing.score import Origin, Score
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.reviewing.barred_pairs import serves


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictingScore:
    """A score that was given before its pair was barred.

    Attributes:
        score: The score, which counts.
        external_id: The applicant's id; "" once erased.
        reviewer: The reviewer's id.
        kind: The kind's name.
        source: Who recorded the conflict, or "panel" for a panel without this reviewer.
    """

    score: Score
    external_id: str
    reviewer: str
    kind: str
    source: str


def conflicting_scores(
    cycle_id: str, *, application: int | None = None, ledger: Ledger
) -> tuple[ConflictingScore, ...]:
    """List them, oldest first, until each is voided or waived with a reason.

    Those about one application alone, if it is given.
    """
    barred = ledger.barred_scores(cycle_id, application)
    if not barred:
        return ()
    roster, kinds = ledger.reviewers(cycle_id), ledger.rules(cycle_id).kinds
    sources, waived = ledger.conflict_sources(cycle_id), ledger.waived_conflicts(cycle_id)
    panels: dict[int, set[int]] = {}
    for number, reviewer in ledger.panels(cycle_id):
        panels.setdefault(number, set()).add(reviewer)

    def is_named(score: Score) -> bool:
        pair = (score.application, score.reviewer)
        if pair in waived or pair in sources:
            return pair not in waived
        # What nobody asked for was admitted by a person, and the reserve judges across panels.
        return (
            score.origin not in {Origin.VOLUNTEERED, Origin.IMPORTED}
            and not roster[score.reviewer].reserve
            and serves(kinds[score.kind].name, panels[score.application], roster)
        )

    named = [score for score in barred if is_named(score)]
    applications = {
        a.number: a.external_id or ""
        for a in ledger.applications_numbered(cycle_id, {s.application for s in named})
    }
    return tuple(
        ConflictingScore(
            score=score,
            external_id=applications[score.application],
            reviewer=roster[score.reviewer].external_id,
            kind=kinds[score.kind].name,
            source=sources.get((score.application, score.reviewer), "panel"),
        )
        for score in named
    )
