"""Translate a cycle's rules into the limits that a list must keep and the objective it serves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from swapflow.bandit.oracles.bounded import Bounded
from swapflow.bandit.oracles.feasibility import feasible, refuse_infeasible
from swapflow.bandit.oracles.limits import Limit, Target, Terms, counts_of
from swapflow.bandit.oracles.oracle import DiverseExact, Oracle, TopK
from swapflow.bandit.oracles.quota import Quota
from swapflow.bandit.oracles.spread import Attribute, SpreadOracle
from swapflow.domain.people.group_numbers import value_number
from swapflow.domain.rules import Rules
from swapflow.engine.projection.people_events import NO_VALUE
from swapflow.engine.projection.score_table import Integers


class ListRound(Protocol):
    """What a list is chosen by; a `CycleProjection` is one."""

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        ...

    @property
    def pins(self) -> Mapping[int, int]:
        """1 for applications pinned in, -1 for those pinned out."""
        ...

    def values_of(self, attribute: str) -> Integers:
        """Return every application's value of a selection attribute, `NO_VALUE` without one."""
        ...

    def groups_of(self, attribute: str) -> Integers:
        """Return every application's group of an attribute, any numbers, -1 without one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ListObjective:
    """The objective of a cycle at one moment.

    Attributes:
        oracle: Finds the best list.
        given_way: Where no list of the candidates keeps to every limit: which numbers the oracle
            changed so that one exists. Such a list is proposed; people cannot make it final before
            the rules say the same.
    """

    oracle: Oracle
    given_way: tuple[str, ...] = ()


def list_objective(projection: ListRound, application: Integers) -> ListObjective:
    """Build the objective for a cycle's candidates, in the order of the situation.

    Exact and fast: the highest sum, alone or with quotas on one attribute; `diverse` over one
    attribute. Exact by linear programming: everything else about a sum. See
    `bandit.oracles.spread` for what is known of `diverse` over several attributes or under limits.
    """
    rules = projection.rules
    if rules.plain and not projection.pins:
        return ListObjective(oracle=TopK(size=min(rules.cohort_size, application.size)))
    terms, given_way = feasible(terms_of(projection, application))
    spread = rules.objective.attributes
    if spread:
        groups = [_dense(projection.groups_of(one.attribute)[application]) for one in spread]
        if len(spread) == 1 and not terms.limits and not terms.pinned.any():
            return ListObjective(oracle=DiverseExact(size=terms.size, groups=groups[0]))
        attributes = tuple(
            Attribute(groups=dense, weight=one.weight)
            for dense, one in zip(groups, spread, strict=True)
        )
        return ListObjective(
            oracle=SpreadOracle(terms, attributes, checked=True), given_way=given_way
        )
    # The greedy oracle is exact for this case and far quicker than a linear program.
    oracle = _one_attribute(projection, terms) or Bounded(terms, checked=True)
    return ListObjective(oracle=oracle, given_way=given_way)


def refuse_impossible(projection: ListRound, application: Integers) -> None:
    """Raise when no list of these candidates keeps the limits.

    Raises:
        InfeasibleError: Naming the smallest relaxation.
    """
    if not projection.rules.plain or projection.pins:
        refuse_infeasible(terms_of(projection, application))


def terms_of(projection: ListRound, application: Integers) -> Terms:
    """Build the limits that a list must keep, over these candidates."""
    rules = projection.rules
    # With fewer candidates than places all of them are the list.
    size = min(rules.cohort_size, application.size)
    pinned = np.array(
        [projection.pins.get(int(number), 0) for number in application], dtype=np.int64
    )
    return Terms(
        size=size,
        least=min(rules.fewest_places, size),
        bar=rules.bar,
        limits=tuple(
            Limit(
                name=quota.title,
                members=members_of(projection, quota.attribute, quota.value)[application],
                minimum=quota.minimum,
                maximum=quota.maximum,
                minimum_share=quota.minimum_share,
                maximum_share=quota.maximum_share,
            )
            for quota in rules.quotas
        ),
        targets=tuple(
            Target(
                name=target.title,
                members=members_of(projection, target.attribute, target.value)[application],
                number=target.number,
                worth=target.worth,
            )
            for target in rules.targets
        ),
        pinned=pinned,
    )


def members_of(projection: ListRound, attribute: str, value: str) -> np.ndarray:
    """Return which applications have this value of an attribute, shape (applications,)."""
    return np.asarray(projection.values_of(attribute) == value_number(attribute, value))


def _one_attribute(projection: ListRound, terms: Terms) -> Quota | None:
    """Return the greedy oracle where quotas are on one attribute and there is nothing else."""
    rules = projection.rules
    alone = not terms.targets and not terms.pinned.any() and terms.fewest == terms.size
    if not alone or len({quota.attribute for quota in rules.quotas}) != 1:
        return None
    # Applications in no group with a quota form a last group, which has none.
    minimum, maximum = counts_of(terms.limits, terms.size)
    groups = np.full(terms.n, len(terms.limits), dtype=np.int64)
    for number, limit in enumerate(terms.limits):
        groups[limit.members] = number
    return Quota(
        size=terms.size,
        groups=groups,
        minimum=np.append(minimum, 0),
        maximum=np.append(maximum, terms.size),
        names=(*(limit.name for limit in terms.limits), "everyone else"),
    )


def _dense(groups: Integers) -> Integers:
    """Number groups from 0; applicants without the attribute form a group of their own."""
    assert NO_VALUE < 0
    _, dense = np.unique(groups, return_inverse=True)
    return dense.astype(np.int64)
