"""Ties."""

import numpy as np

from swapflow.bandit.ties import rounded, tie_key, unrounded


def test_tie_keys_are_the_same_on_every_machine() -> None:
    assert [tie_key(7, "A-001"), tie_key(8, "A-001"), tie_key(7, "Zoë")] == [
        9425921091493565764,
        4980657293059440336,
        15354614517275947651,
    ]


def test_another_seed_gives_another_order() -> None:
    ids = [f"applicant {number}" for number in range(50)]

    orders = {tuple(sorted(ids, key=lambda name: tie_key(seed, name))) for seed in range(20)}

    assert len(orders) == 20
    assert all(0 <= tie_key(1, name) < 2**64 for name in ids)


def test_priorities_that_differ_in_their_last_bits_are_equal_once_rounded() -> None:
    priorities = np.array([0.1 + 0.2, 0.3, 0.3 + 2e-9])

    assert rounded(priorities).tolist() == [0.3, 0.3, 0.300000002]
    assert unrounded(priorities).tolist() == priorities.tolist()
