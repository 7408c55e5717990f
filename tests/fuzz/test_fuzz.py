"""A few spoilt files in the everyday suite; `make fuzz` gives as many as there is time for."""

import pytest

from tests.fuzz.inputs import seeds
from tests.fuzz.readers import READERS
from tests.fuzz.run import case


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_a_spoilt_file_is_read_or_refused_in_words(first: int) -> None:
    good = seeds()
    for number in range(first, first + 40):
        seed, data = case(7, number, good)
        assert READERS[seed.kind](data, seed.name) in {"read", "refused"}, number


def test_a_case_is_made_again_from_its_numbers() -> None:
    good = seeds()

    assert case(1, 42, good) == case(1, 42, good)
    assert case(1, 42, good) != case(2, 42, good)
