"""Small problems with crossing limits, and every cohort that keeps to them."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from swapflow.bandit.oracles.limits import Limit, Target, Terms
from swapflow.bandit.oracles.spread import Attribute
from swapflow.bandit.situation import FloatArray, IntArray


def bounded_problem(number: int) -> tuple[FloatArray, Terms]:
    """Make up to 8 arms in up to 9 groups; a fifth is full of ties, a third has a range."""
    rng = np.random.default_rng(number)
    n = int(rng.integers(2, 9))
    utilities = rng.normal(0.4, 0.5, n) if number % 2 else rng.random(n)
    if number % 5 == 0:
        utilities = np.round(utilities * 4) / 4
    size = int(rng.integers(1, n + 1))
    least = int(rng.integers(1, size + 1)) if number % 3 == 0 else None
    limits: list[Limit] = []
    targets: list[Target] = []
    for attribute in range(int(rng.integers(1, 4))):
        groups = rng.integers(0, rng.integers(2, 4), n)
        for group in range(int(groups.max()) + 1):
            name, members, draw = f"{attribute} = {group}", groups == group, rng.random()
            if draw < 0.35:
                least_of, most = int(rng.integers(0, 2)), int(rng.integers(1, 4))
                limits.append(Limit(name=name, members=members, minimum=least_of, maximum=most))
            elif draw < 0.5:
                low, high = round(rng.random() * 0.5, 2), round(0.5 + rng.random() * 0.5, 2)
                limits.append(
                    Limit(name=name, members=members, minimum_share=low, maximum_share=high)
                )
            elif draw < 0.6:
                wished, worth = int(rng.integers(1, 4)), float(rng.random())
                targets.append(Target(name=name, members=members, number=wished, worth=worth))
    pinned = np.where(rng.random(n) < 0.1, rng.choice([-1, 1], n), 0).astype(np.int64)
    return utilities, Terms(
        size=size,
        least=least,
        bar=0.4 if least else 0.0,
        limits=tuple(limits),
        targets=tuple(targets),
        pinned=pinned,
    )


def spread_problem(number: int) -> tuple[FloatArray, Terms, tuple[Attribute, ...]]:
    """Make a problem of `diverse`.

    By its number modulo 4: one attribute, several, one with limits on its own groups, several
    with limits on other groups.
    """
    utilities, terms = bounded_problem(number)
    rng = np.random.default_rng(number + 10**6)
    n, kind = utilities.size, number % 4
    attributes = tuple(
        Attribute(groups=rng.integers(0, 3, n), weight=float(rng.random() + 0.2))
        for _ in range(1 if kind in {0, 2} else int(rng.integers(2, 4)))
    )
    terms = replace(terms, targets=(), least=None, bar=0.0)
    if kind < 3:
        terms = replace(terms, limits=(), pinned=np.zeros(n, dtype=np.int64))
    if kind == 2:
        own = tuple(
            Limit(
                name=str(group),
                members=attributes[0].groups == group,
                minimum=int(rng.integers(0, 2)),
                maximum=int(rng.integers(1, 5)),
            )
            for group in range(3)
        )
        terms = replace(terms, limits=own)
    return np.abs(utilities), terms, attributes


def cohorts(terms: Terms) -> Iterator[IntArray]:
    """Iterate over every cohort that keeps to the terms."""
    for size in range(terms.fewest, terms.size + 1):
        for chosen in itertools.combinations(range(terms.n), size):
            cohort = np.array(chosen, dtype=np.int64)
            if keeps(terms, cohort):
                yield cohort


def keeps(terms: Terms, cohort: IntArray) -> bool:
    """Return whether a cohort keeps to the terms, one limit after the other."""
    inside = np.zeros(terms.n, dtype=np.bool_)
    inside[cohort] = True
    if not terms.fewest <= cohort.size <= terms.size:
        return False
    if not inside[terms.pinned > 0].all() or inside[terms.pinned < 0].any():
        return False
    for limit in terms.limits:
        held = int(limit.members[inside].sum())
        if held < limit.minimum or (limit.maximum is not None and held > limit.maximum):
            return False
        share = held - 1e-9, held + 1e-9
        if share[1] < limit.minimum_share * cohort.size:
            return False
        if share[0] > limit.maximum_share * cohort.size:
            return False
    return True


def worth(terms: Terms, utilities: FloatArray, cohort: IntArray) -> float:
    """Value a cohort by the definition: utilities, empty places, what targets credit."""
    inside = np.zeros(terms.n, dtype=np.bool_)
    inside[cohort] = True
    value = float(utilities[cohort].sum()) + terms.bar * (terms.size - cohort.size)
    for target in terms.targets:
        held = min(int(target.members[inside].sum()), target.number)
        value += target.worth * float(np.sqrt(held / target.number))
    return value


def exchanges(terms: Terms, cohort: IntArray) -> Iterator[tuple[tuple[int, ...], IntArray]]:
    """Iterate over cohorts that differ by one arm, or by one for another; with who moved."""
    members = set(cohort.tolist())
    for leaves in (None, *sorted(members)):
        for enters in (None, *sorted(set(range(terms.n)) - members)):
            moved = tuple(arm for arm in (leaves, enters) if arm is not None)
            other = np.array(sorted(members.symmetric_difference(moved)), dtype=np.int64)
            if moved and keeps(terms, other):
                yield moved, other
