"""194 papers with the same mean score at the cut, as ICLR 2023 had them: whose place is it."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from swapflow.bandit.oracles.bounded import Bounded
from swapflow.bandit.oracles.limits import Limit, Terms
from swapflow.bandit.oracles.oracle import TopK
from swapflow.bandit.oracles.quota import Quota
from swapflow.bandit.ties import rounded, tie_key


ROOT = Path(__file__).parents[3]
DATA = (ROOT / os.environ.get("SWAPFLOW_DATA", "../shared/data")).resolve()
TIED = 194

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def papers() -> dict[str, tuple[float, str]]:
    """Mean score and area of each paper that has scores and was never withdrawn."""
    folder = DATA / "iclr2023"
    if not folder.is_dir():
        pytest.skip(f"no recorded reviews in {folder}")
    marks: dict[str, list[float]] = {}
    with (folder / "scores.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            marks.setdefault(row["item_id"], []).append(float(row["score"]))
    with (folder / "items.csv").open(encoding="utf-8", newline="") as file:
        area = {
            row["item_id"]: row["area"]
            for row in csv.DictReader(file)
            if row["decision"] != "withdrawn" and not row["withdrawn_seen"]
        }
    return {name: (float(np.mean(marks[name])) / 10, area[name]) for name in area if name in marks}


def lists(papers: dict[str, tuple[float, str]], order: Sequence[str], size: int) -> list[set[str]]:
    """Choose `size` three ways, from rows in any order, in the order that decides ties."""
    names = sorted(order, key=lambda name: tie_key(0, name))
    utilities = rounded(np.array([papers[name][0] for name in names]))
    areas = sorted({area for _, area in papers.values()})
    groups = np.array([areas.index(papers[name][1]) for name in names])
    half = np.array([int(name[1:]) % 2 for name in names])
    minimum = np.array([int(0.9 * size * np.mean(groups == g)) for g in range(len(areas))])
    crossing = [
        Limit(name=area, members=groups == g, minimum=int(minimum[g]))
        for g, area in enumerate(areas)
    ]
    crossing.append(Limit(name="odd", members=half == 1, maximum=size // 2))
    terms = Terms(size=size, limits=tuple(crossing), pinned=np.zeros(len(names), dtype=np.int64))
    oracles = (TopK(size), Quota(size, groups, minimum, np.full(len(areas), size)), Bounded(terms))
    return [{names[arm] for arm in oracle.best(utilities)} for oracle in oracles]


def test_the_194_tied_at_the_cut_are_chosen_alike_however_the_rows_are_shuffled(
    papers: dict[str, tuple[float, str]],
) -> None:
    means = rounded(np.array([mean for mean, _ in papers.values()]))
    levels, counts = np.unique(means, return_counts=True)
    level = levels[counts == TIED][-1]
    above = int(np.count_nonzero(means > level))
    size = above + TIED // 2
    names = list(papers)
    first = lists(papers, names, size)

    for seed in range(3):
        shuffled = np.random.default_rng(seed).permutation(names).tolist()
        assert lists(papers, shuffled, size) == first
    tied = {name for name in names if rounded(np.array([papers[name][0]]))[0] == level}
    assert len(tied) == TIED
    by_key = sorted(tied, key=lambda name: tie_key(0, name))
    assert first[0] & tied == set(by_key[: TIED // 2])
