"""Random numbers by address: known answers, the same bits from numpy and compiled, good shape."""

import numpy as np
import pytest
from scipy.special import ndtri

from swapflow.experiments.kernel.compiled_numbers import draw_uniforms, normal_quantiles
from swapflow.simulation.random_numbers import (
    logarithm,
    normal_quantile,
    philox,
    stream_of,
    to_uniform,
)


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (
            (0xFFFFFFFF,) * 4,
            (0xFFFFFFFF,) * 2,
            (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
        ),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_the_generator_gives_its_authors_known_answers(
    counter: tuple[int, ...], key: tuple[int, int], expected: tuple[int, ...]
) -> None:
    words = philox([np.array([part], dtype=np.uint64) for part in counter], *key)

    assert tuple(int(word[0]) for word in words) == expected


@pytest.mark.parametrize("across", [0, 1])
def test_compiled_and_numpy_draw_the_same_numbers_for_an_address(across: int) -> None:
    stream, places = stream_of("study", "cell"), np.arange(21)
    first, second = np.zeros(21), np.zeros(21)

    draw_uniforms(1 << 31, 7, 3, across, stream.low, stream.high, first, second)

    expected = stream.uniforms(1 << 31, 7 + places * across, 3 + places * (1 - across))
    assert [first.tolist(), second.tolist()] == [row.tolist() for row in expected]


def test_compiled_and_numpy_give_the_same_bits_in_the_middle_and_in_the_tails() -> None:
    chances = np.concatenate(
        [np.random.default_rng(1).random(5000), 10.0 ** -np.arange(1, 16), [0.5]]
    )

    numpy_ones = normal_quantile(chances)

    compiled_ones = np.zeros(chances.size)
    normal_quantiles(chances, compiled_ones)
    assert compiled_ones.tolist() == numpy_ones.tolist()
    assert numpy_ones == pytest.approx(ndtri(chances), rel=1e-13)
    assert logarithm(chances) == pytest.approx(np.log(chances), rel=1e-14)


def test_uniform_numbers_never_reach_their_ends() -> None:
    ends = np.array([0, 0xFFFFFFFF], dtype=np.uint64)

    low, high = to_uniform(ends, ends)

    assert 0 < low < 1e-15
    assert 1 - 1e-15 < high < 1


def test_numbers_of_other_runs_applicants_pulls_and_cells_are_independent() -> None:
    count = 20_000
    places = np.arange(count)
    stream, other = stream_of("study", "cell"), stream_of("study", "another cell")
    rows = [
        stream.normals(places, 0, 0),
        stream.normals(0, places, 0),
        stream.normals(0, 0, places),
        stream.normals(0, 0, 0, places),
        other.normals(places, 0, 0),
    ]

    correlation = np.corrcoef(rows)

    assert np.abs(correlation - np.eye(5)).max() < 5 / count**0.5
    for row in rows:
        assert row.mean() == pytest.approx(0, abs=5 / count**0.5)
        assert row.var() == pytest.approx(1, abs=5 * (2 / count) ** 0.5)
