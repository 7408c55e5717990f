"""Task codes: what reviewers see of an assignment, and what they cannot work out from it."""

from itertools import pairwise

import pytest

from swapflow.domain.ids import (
    CYCLE_ID,
    applicant_number,
    derived_id,
    new_task_key,
    task_code,
)


ASSIGNMENT = "fall:12:review:1:1.1"


def test_a_code_names_its_cycle_and_stays_the_same() -> None:
    key = new_task_key()

    code = task_code(ASSIGNMENT, key=key)

    assert code == task_code(ASSIGNMENT, key=key)
    cycle, _, rest = code.partition(":")
    assert cycle == "fall"
    assert len(rest) == 16
    assert int(rest, 16) >= 0


def test_whoever_guesses_an_id_cannot_guess_its_code() -> None:
    codes = {task_code(ASSIGNMENT, key=new_task_key()) for _ in range(50)}

    assert len(codes) == 50


def test_every_assignment_of_a_big_cycle_has_a_code_of_its_own() -> None:
    key = new_task_key()

    codes = {task_code(f"fall:{n}:review:1:1.1", key=key) for n in range(20_000)}

    assert len(codes) == 20_000


def test_no_two_applicants_of_a_program_have_one_number_for_reviewers() -> None:
    key = new_task_key()

    numbers = [applicant_number(n, key=key) for n in range(20_000)]
    further = {applicant_number(n, key=key) for n in range(900_000, 901_000)}

    assert len(set(numbers)) == 20_000
    assert all(100_000 <= number <= 999_999 for number in numbers)
    assert len(further) == 1_000
    assert min(further) > 999_999


def test_the_number_for_reviewers_differs_between_programs_and_tells_no_order() -> None:
    first, second = new_task_key(), new_task_key()

    numbers = [applicant_number(n, key=first) for n in range(1000)]

    assert numbers == [applicant_number(n, key=first) for n in range(1000)]
    assert sum(a == applicant_number(n, key=second) for n, a in enumerate(numbers)) < 10
    rising = sum(a < b for a, b in pairwise(numbers))
    assert 400 < rising < 600


@pytest.mark.parametrize(
    ("name", "taken", "derived"),
    [
        ("MSc Informatik (Köln)", (), "msc-informatik-koln"),
        ("Straßenbau", (), "strassenbau"),
        ("情報学", (), "program"),
        ("  ", (), "program"),
        ("PhD", ("phd", "phd-2"), "phd-3"),
        ("x" * 60, ("x" * 40,), "x" * 38 + "-2"),
    ],
)
def test_an_id_is_derived_from_a_name_in_any_script(
    name: str, taken: tuple[str, ...], derived: str
) -> None:
    assert derived_id(name, taken) == derived
    assert CYCLE_ID.fullmatch(derived)
