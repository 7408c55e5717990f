"""Changes of the rules of a cycle by staff."""

from dataclasses import replace

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.drawn_check import DrawnCheck
from swapflow.domain.event import EventType
from swapflow.domain.rules import ReviewerFigures, Rules
from swapflow.engine.lifecycle.launch import read_projection, without_sign_in
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.preconditions import refuse_finalized
from swapflow.engine.revisions import check_revision
from swapflow.engine.scoring.rubric_versions import numbered, recompute
from swapflow.engine.selection.list_objective import refuse_impossible
from swapflow.engine.selection.situation import candidates
from swapflow.errors import (
    CycleFinalizedError,
    InvalidRulesError,
)


def change_rules(
    cycle_id: str,
    rules: Rules,
    *,
    by: str,
    reason: str,
    made_from: str = "",
    ledger: Ledger,
    provider: bool = False,
) -> Rules:
    """Put a new version of the rules in force; the old ones stay on record.

    Rules that say what is in force already change nothing.

    A changed budget is a new version too. Where a rubric changed, every score is computed again
    from its marks. Kinds may be appended, never removed, renamed or moved, since earlier requests
    refer to them by index.

    Raises:
        InvalidRulesError: If kinds were removed or renamed, the objective's attribute or the seed
            changed after launch, the budget is below what is spent and committed, or they require
            sign-in through an identity provider and none is connected.
        InfeasibleError: If no list of the candidates keeps their limits on groups.
    """
    if closed := without_sign_in(rules, provider=provider):
        raise InvalidRulesError(closed)
    _check_limits(cycle_id, rules, ledger=ledger)
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        old, cycle = tx.rules(), tx.cycle
        launched = cycle.status is not CycleStatus.DRAFT
        rules = kept(old, rules, launched=launched)
        # After what a launched program keeps, so that a file that leaves it out changes nothing.
        if replace(rules, version=old.version) == old:
            return old
        check_revision(made_from, str(old.version), {"version": old.version})
        _check_change(old, rules, spent=cycle.spent + cycle.committed, launched=launched)
        new = numbered(old, replace(rules, version=cycle.rules_version + 1))
        tx.set_rules(new, by=by, reason=reason)
        # Before the launch nothing was decided; the event of the launch names its version.
        if launched:
            tx.record(EventType.RULES_CHANGED, {"rules": new.version})
            recompute(tx, old, new, by=by)
        return new


def kept(old: Rules, new: Rules, *, launched: bool) -> Rules:
    """Return new rules with what a launched program keeps.

    That is its versions and a seed that was drawn, whatever the file says, and its taper and how
    figures about reviewers are told, unless the file names another.
    """
    if not launched:
        settled = new.reviewer_figures or ReviewerFigures.NUMBERED
        return replace(new, seed_drawn=False, reviewer_figures=settled)
    taper = old.taper if new.taper is None else new.taper
    figures = new.reviewer_figures or old.reviewer_figures
    new = replace(
        new,
        fit=old.fit,
        asking=old.asking,
        averages=old.averages,
        drawn_check=_same_draw(old, new),
        taper=taper,
        reviewer_figures=figures,
    )
    return replace(new, seed=old.seed, seed_drawn=True) if old.seed_drawn else new


def _same_draw(old: Rules, new: Rules) -> DrawnCheck | None:
    """Return the new rules' drawn check, made as a launched program makes it."""
    if old.drawn_check is None or new.drawn_check is None:
        return new.drawn_check
    return replace(new.drawn_check, version=old.drawn_check.version)


def _check_limits(cycle_id: str, rules: Rules, *, ledger: Ledger) -> None:
    """Raise if no list of the candidates could keep the limits on groups, once launched."""
    if rules.plain or ledger.cycle(cycle_id).status is CycleStatus.DRAFT:
        return
    projection = read_projection(cycle_id, ledger=ledger)
    projection.use(rules)
    refuse_impossible(projection, candidates(projection))


def check_rules(cycle_id: str, rules: Rules, *, ledger: Ledger) -> None:
    """Check whether `change_rules` would accept these rules at this moment; writes nothing.

    Raises:
        InvalidRulesError: As `change_rules`.
        CycleFinalizedError: If the cohort is fixed.
    """
    cycle = ledger.cycle(cycle_id)
    if cycle.status is CycleStatus.FINALIZED:
        raise CycleFinalizedError("list_final_rules")
    launched = cycle.status is not CycleStatus.DRAFT
    spent = cycle.spent + cycle.committed
    _check_limits(cycle_id, rules, ledger=ledger)
    old = ledger.rules(cycle_id)
    _check_change(old, kept(old, rules, launched=launched), spent=spent, launched=launched)


def _check_change(old: Rules, new: Rules, *, spent: int, launched: bool) -> None:
    if not launched:
        return
    before, after = ([kind.name for kind in rules.kinds] for rules in (old, new))
    if after[: len(before)] != before:
        raise InvalidRulesError("kinds_moved", before=before, after=after)
    if new.seed != old.seed:
        raise InvalidRulesError("seed_fixed")
    if new.objective.attribute != old.objective.attribute:
        raise InvalidRulesError("attribute_fixed")
    if new.budget < spent:
        raise InvalidRulesError("budget_below_spent", budget=new.budget, spent=spent)
