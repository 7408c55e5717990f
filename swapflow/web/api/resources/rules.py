"""The rules of a program: read, put in force, and said beforehand what they would do."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from swapflow.domain.rules import Rules
from swapflow.engine.lifecycle.rules_effect import RulesEffect
from swapflow.errors import InvalidInputError
from swapflow.files.rules.rules_file import parse_rules, rules_text
from swapflow.web.api.audit import note
from swapflow.web.api.dependencies import MaySeeApplicants, MaySetUp
from swapflow.web.api.idempotency import ApiRoute
from swapflow.web.api.models.programs import (
    ChangedRules,
    EffectOfRules,
    Extension,
    NewRules,
    RulesText,
)
from swapflow.web.api.resources.cycles import CycleId
from swapflow.web.api.revisions import MadeFrom, tag
from swapflow.web.http.context import Product
from swapflow.web.http.dependencies import seat_view_of


router = APIRouter(route_class=ApiRoute, tags=["programs"])


@router.get("/cycles/{cycle_id}/rules")
def read_rules(
    cycle_id: CycleId, principal: MaySeeApplicants, product: Product, response: Response
) -> RulesText:
    """Read the rules in force; `ETag` is their version."""
    del principal
    rules = product.cycles.rules(cycle_id)
    tag(response, str(rules.version))
    return RulesText(version=rules.version, rules=rules_text(rules))


@router.put("/cycles/{cycle_id}/rules")
def change_rules(
    request: Request,
    cycle_id: CycleId,
    principal: MaySetUp,
    product: Product,
    new: NewRules,
    precondition: MadeFrom,
    dry_run: Annotated[  # noqa: FBT002 - a query parameter
        bool, Query(description="Say what the change would do, and change nothing.")
    ] = False,
) -> ChangedRules:
    """Put another version of the rules in force; says what that did to scores and list."""
    wanted, named = parse_rules(new.rules), seat_view_of(request, principal, cycle_id) is None
    if dry_run:
        product.cycles.check_rules(cycle_id, wanted)
        effect = product.cycles.rules_effect(cycle_id, wanted)
        return _changed(product.cycles.rules(cycle_id), effect, named=named)
    before = product.cycles.rules(cycle_id).version
    rules = product.cycles.change_rules(
        cycle_id,
        wanted,
        by=principal.name,
        reason=new.reason,
        made_from=precondition.made_from,
    )
    precondition.tag(str(rules.version))
    note(request, principal, "changed the rules", about=f"version {rules.version}")
    same = rules.version == before
    effect = RulesEffect() if same else product.cycles.effect_of_version(cycle_id, rules.version)
    return _changed(rules, effect, named=named)


@router.post("/cycles/{cycle_id}/extension")
def extend_cycle(
    request: Request,
    cycle_id: CycleId,
    principal: MaySetUp,
    product: Product,
    more: Extension,
) -> RulesText:
    """Change the budget, the deadline, or both: another version of the rules."""
    rules = product.cycles.rules(cycle_id)
    if more.budget is None and more.deadline is None:
        raise InvalidInputError("budget_or_deadline_missing")
    if more.deadline is not None and more.deadline <= product.cycles.now():
        raise InvalidInputError("deadline_passed")
    wanted = replace(
        rules,
        budget=more.budget if more.budget is not None else rules.budget,
        deadline=more.deadline if more.deadline is not None else rules.deadline,
    )
    rules = product.cycles.change_rules(cycle_id, wanted, by=principal.name, reason=more.reason)
    note(request, principal, "extended the program", detail=more.reason)
    return RulesText(version=rules.version, rules=rules_text(rules))


def _changed(rules: Rules, effect: RulesEffect, *, named: bool) -> ChangedRules:
    return ChangedRules(
        version=rules.version,
        rules=rules_text(rules),
        effect=EffectOfRules(
            scores=effect.scores,
            moved=effect.moved,
            unreadable=effect.unreadable,
            entering=list(effect.entering) if named else None,
            leaving=list(effect.leaving) if named else None,
        ),
    )
