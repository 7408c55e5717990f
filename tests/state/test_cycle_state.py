"""One suite for the live state, whatever holds it."""

import threading
from itertools import pairwise
from typing import Protocol

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from swapflow.domain.cycle import START, Position
from swapflow.domain.fixed_point import Delta
from swapflow.engine.ports.live_state import Applied, Arms, Changes, CycleState
from swapflow.errors import InvalidInputError
from swapflow.state.codec import LARGEST, MOST_ARMS
from tests.support.tiers import cases
from tests.support.waiting import wait_until


FIRST = Position(1, "aa")
SECOND = Position(2, "bb")
THIRD = Position(3, "cc")


class Checked(CycleState, Protocol):
    def check(self) -> None: ...


def changes(*deltas: Delta, spent: int = 0, committed: int = 0) -> Changes:
    return Changes(deltas=deltas, spent=spent, committed=committed)


BOB = changes(
    Delta(application=1, numerator=700, information=5, pending=-5), spent=4, committed=-4
)
ANN = changes(Delta(application=0, numerator=-3, information=1, pending=2), spent=1, committed=2)


def plain(arms: Arms) -> tuple[object, ...]:
    return (
        arms.position,
        arms.numerator.tolist(),
        arms.information.tolist(),
        arms.pending.tolist(),
        arms.spent,
        arms.committed,
    )


EMPTY: tuple[object, ...] = (START, [], [], [], 0, 0)


def test_an_unknown_cycle_is_empty_and_stands_at_the_start(state: CycleState) -> None:
    assert state.position("fall") == START
    assert plain(state.arms("fall")) == EMPTY


def test_changes_are_folded_in_one_after_the_other(state: CycleState) -> None:
    first = state.apply("fall", BOB, before=START, after=FIRST)
    second = state.apply("fall", ANN, before=FIRST, after=THIRD)

    assert (first, second) == (Applied.APPLIED, Applied.APPLIED)
    assert plain(state.arms("fall")) == (THIRD, [-3, 700], [1, 5], [2, -5], 5, -2)
    assert state.position("fall") == THIRD


def test_the_same_changes_applied_twice_count_once(state: CycleState) -> None:
    first = state.apply("fall", BOB, before=START, after=FIRST)
    before = plain(state.arms("fall"))
    again = state.apply("fall", BOB, before=START, after=FIRST)

    assert (first, again) == (Applied.APPLIED, Applied.DUPLICATE)
    assert plain(state.arms("fall")) == before


def test_changes_that_came_long_ago_are_duplicates(state: CycleState) -> None:
    state.apply("fall", BOB, before=START, after=FIRST)
    state.apply("fall", ANN, before=FIRST, after=SECOND)
    before = plain(state.arms("fall"))

    assert state.apply("fall", BOB, before=START, after=FIRST) is Applied.DUPLICATE
    assert plain(state.arms("fall")) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SECOND, THIRD),  # something in between is missing
        (Position(1, "other"), SECOND),  # another ledger with the same number
        (START, SECOND),  # the state stands in the middle of the batch
        (START, Position(1, "other")),  # the same number, reached another way
        (FIRST, Position(1, "other")),  # a batch that leads nowhere
    ],
)
def test_changes_that_do_not_begin_where_the_state_stands_are_a_gap_and_change_nothing(
    state: CycleState, before: Position, after: Position
) -> None:
    state.apply("fall", BOB, before=START, after=FIRST)
    kept = plain(state.arms("fall"))

    assert state.apply("fall", ANN, before=before, after=after) is Applied.GAP
    assert plain(state.arms("fall")) == kept


def test_an_empty_batch_is_a_duplicate_of_where_the_state_stands(state: CycleState) -> None:
    state.apply("fall", BOB, before=START, after=FIRST)

    assert state.apply("fall", changes(), before=FIRST, after=FIRST) is Applied.DUPLICATE


def test_events_without_numbers_still_move_the_position(state: CycleState) -> None:
    assert state.apply("fall", changes(), before=START, after=FIRST) is Applied.APPLIED

    assert plain(state.arms("fall")) == (FIRST, [], [], [], 0, 0)


def test_cycles_do_not_touch_each_other(state: CycleState) -> None:
    state.forget("spring")
    state.apply("fall", BOB, before=START, after=FIRST)
    state.apply("spring", ANN, before=START, after=SECOND)

    assert plain(state.arms("fall"))[0] == FIRST
    assert plain(state.arms("spring")) == (SECOND, [-3], [1], [2], 1, 2)


def test_a_fold_of_many_thousand_arms_is_one_change(state: CycleState) -> None:
    many = [
        Delta(application=a, numerator=a * 10**12, information=a % 7, pending=-a)
        for a in reversed(range(9_001))
    ]

    state.apply("fall", changes(*many), before=START, after=FIRST)

    arms = state.arms("fall")
    numbers = np.arange(9_001)
    assert arms.numerator.tolist() == (numbers * 10**12).tolist()
    assert arms.information.tolist() == (numbers % 7).tolist()
    assert arms.pending.tolist() == (-numbers).tolist()


def test_integers_beyond_what_a_double_holds_stay_exact(state: CycleState) -> None:
    large = 2**53 + 1
    state.apply(
        "fall",
        changes(Delta(application=0, numerator=large), spent=large, committed=-large),
        before=START,
        after=FIRST,
    )
    state.apply(
        "fall",
        changes(Delta(application=0, numerator=large), spent=2, committed=-2),
        before=FIRST,
        after=SECOND,
    )

    arms = state.arms("fall")
    assert arms.numerator.tolist() == [2 * large]
    assert (arms.spent, arms.committed) == (large + 2, -large - 2)


HARMLESS = tuple(
    Delta(application=a, numerator=-a, information=a, pending=1) for a in range(1, 1_300)
)


@pytest.mark.parametrize(
    "bad",
    [
        changes(Delta(application=0, numerator=1, pending=1), *HARMLESS),
        changes(*HARMLESS, Delta(application=0, information=-2), spent=-1),
        changes(*HARMLESS, spent=1),
        changes(*HARMLESS, spent=-1, committed=-2),
    ],
)
def test_a_sum_that_overflows_is_refused_and_nothing_has_changed(
    state: CycleState, bad: Changes
) -> None:
    full = Delta(application=0, numerator=LARGEST, information=-LARGEST, pending=3)
    state.apply(
        "fall", changes(full, spent=LARGEST, committed=-LARGEST), before=START, after=FIRST
    )
    kept = plain(state.arms("fall"))

    with pytest.raises(InvalidInputError, match="64 bits"):
        state.apply("fall", bad, before=FIRST, after=SECOND)

    assert plain(state.arms("fall")) == kept
    assert state.position("fall") == FIRST
    # The state is as good as before: the next honest change goes in.
    assert state.apply("fall", ANN_LATER, before=FIRST, after=SECOND) is Applied.APPLIED


ANN_LATER = changes(Delta(application=2, pending=1))


@pytest.mark.parametrize(
    "bad",
    [
        changes(Delta(application=-1)),
        changes(Delta(application=MOST_ARMS)),
        changes(Delta(application=0, numerator=2**63)),
        changes(Delta(application=0, pending=-(2**63))),
        changes(spent=2**63),
        changes(Delta(application=4), Delta(application=4, pending=1)),
    ],
)
def test_changes_that_no_ledger_holds_are_refused(state: CycleState, bad: Changes) -> None:
    with pytest.raises(InvalidInputError):
        state.apply("fall", bad, before=START, after=FIRST)

    assert plain(state.arms("fall")) == EMPTY


def rebuilt(numbers: list[int], position: Position) -> Arms:
    column = np.array(numbers, dtype=np.int64)
    return Arms(
        position=position,
        numerator=column,
        information=column + 1,
        pending=-column,
        spent=7,
        committed=-2,
    )


def test_a_rebuilt_state_takes_the_place_of_the_old_one_whole(state: CycleState) -> None:
    state.apply("fall", BOB, before=START, after=THIRD)

    state.replace("fall", rebuilt([LARGEST, -LARGEST - 1, 0], Position(2, "restored")))

    expected = rebuilt([LARGEST, -LARGEST - 1, 0], Position(2, "restored"))
    assert plain(state.arms("fall")) == plain(expected)


def test_a_rebuilt_state_may_be_shorter_and_is_built_upon(state: CycleState) -> None:
    state.apply("fall", BOB, before=START, after=THIRD)

    state.replace("fall", rebuilt([5], FIRST))
    applied = state.apply("fall", BOB, before=FIRST, after=SECOND)

    assert applied is Applied.APPLIED
    assert plain(state.arms("fall")) == (SECOND, [5, 700], [6, 5], [-5, -5], 11, -6)


def test_a_cycle_rebuilt_to_nothing_has_no_arms(state: CycleState) -> None:
    state.apply("fall", BOB, before=START, after=THIRD)

    state.replace("fall", rebuilt([], FIRST))

    assert plain(state.arms("fall")) == (FIRST, [], [], [], 7, -2)


def test_a_forgotten_cycle_is_unknown(state: CycleState) -> None:
    state.apply("fall", BOB, before=START, after=FIRST)

    state.forget("fall")
    state.forget("fall")

    assert plain(state.arms("fall")) == EMPTY
    assert state.position("fall") == START


def test_a_retired_cycle_is_known_for_a_while_and_then_no_more(state: CycleState) -> None:
    state.apply("fall", BOB, before=START, after=FIRST)
    state.publish("fall", b"board")
    state.retire("nobody", seconds=1)

    state.retire("fall", seconds=3600)
    assert (state.position("fall"), state.dashboard("fall")) == (FIRST, b"board")
    state.retire("fall", seconds=0.05)

    wait_until(lambda: state.dashboard("fall") is None, what="it is forgotten")
    assert state.position("fall") == START
    assert plain(state.arms("fall")) == EMPTY


def test_a_retired_cycle_that_is_rebuilt_stays(state: CycleState) -> None:
    for cycle in ("fall", "other"):
        state.apply(cycle, BOB, before=START, after=FIRST)
        state.retire(cycle, seconds=0.2)

    state.replace("fall", rebuilt([], FIRST))

    wait_until(lambda: state.position("other") == START, what="the other one is forgotten")
    assert state.position("fall") == FIRST


def test_a_snapshot_is_the_callers_own(state: CycleState) -> None:
    state.apply("fall", BOB, before=START, after=FIRST)
    snapshot = state.arms("fall")

    state.apply("fall", BOB, before=FIRST, after=SECOND)
    snapshot.numerator[0] = 99

    assert snapshot.numerator.tolist() == [99, 700]
    assert state.arms("fall").numerator.tolist() == [0, 1400]


def test_a_rebuilt_state_does_not_share_its_arrays_with_the_caller(state: CycleState) -> None:
    arms = rebuilt([1, 2], FIRST)

    state.replace("fall", arms)
    arms.numerator[0] = 99

    assert state.arms("fall").numerator.tolist() == [1, 2]


def test_two_coordinators_that_fold_the_same_events_at_once_count_them_once(
    state: CycleState,
) -> None:
    positions = [START, *(Position(seq, f"h{seq}") for seq in range(1, 101))]
    answers: list[Applied] = []

    def fold() -> None:
        for before, after in pairwise(positions):
            answers.append(state.apply("fall", BOB, before=before, after=after))

    threads = [threading.Thread(target=fold) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # Each may run ahead of the other, so one sees duplicates; gaps cannot be, for each waits for
    # its own answer before the next event.
    assert answers.count(Applied.APPLIED) == 100
    assert answers.count(Applied.DUPLICATE) == 100
    assert state.arms("fall").numerator.tolist() == [0, 70_000]


def test_no_reader_ever_sees_half_a_change(state: CycleState) -> None:
    step = changes(*(Delta(application=a, numerator=1, pending=1) for a in range(700)), spent=1)
    done = threading.Event()
    seen: list[Arms] = []

    def read() -> None:
        while not done.is_set():
            seen.append(state.arms("fall"))

    reader = threading.Thread(target=read)
    reader.start()
    position = START
    for seq in range(1, 41):
        after = Position(seq, f"h{seq}")
        state.apply("fall", step, before=position, after=after)
        position = after
    done.set()
    reader.join()

    assert seen
    for arms in seen:
        assert set(arms.numerator.tolist()) <= {arms.position.seq}
        assert set(arms.pending.tolist()) <= {arms.position.seq}
        assert arms.spent == arms.position.seq


integer = st.integers(-(10**15), 10**15)
event = st.builds(
    lambda arms, spent: changes(
        *(Delta(application=a, numerator=n, information=i, pending=p) for a, n, i, p in arms),
        spent=spent,
    ),
    st.lists(
        st.tuples(st.integers(0, 40), integer, integer, integer), unique_by=lambda arm: arm[0]
    ),
    integer,
)


@cases(40, quiet=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(event, max_size=6))
def test_the_state_is_the_sum_of_the_changes(state: CycleState, events: list[Changes]) -> None:
    state.forget("fall")
    sums: dict[int, list[int]] = {}
    position = START
    for seq, one in enumerate(events, start=1):
        after = Position(seq, f"h{seq}")
        assert state.apply("fall", one, before=position, after=after) is Applied.APPLIED
        position = after
        for d in one.deltas:
            row = sums.setdefault(d.application, [0, 0, 0])
            row[:] = row[0] + d.numerator, row[1] + d.information, row[2] + d.pending

    arms = state.arms("fall")

    expected = [sums.get(a, [0, 0, 0]) for a in range(max(sums, default=-1) + 1)]
    columns = zip(arms.numerator, arms.information, arms.pending, strict=True)
    assert [[int(x) for x in row] for row in columns] == expected
    assert arms.spent == sum(one.spent for one in events)
    assert arms.position == position


@pytest.mark.parametrize("state", ["memory", "valkey", "redis7", "sentinels"], indirect=True)
def test_a_good_store_passes_its_check(state: Checked) -> None:
    state.check()
