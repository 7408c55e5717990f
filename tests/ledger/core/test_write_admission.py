"""How many writes of a process wait, for how long, and when the next one is refused at once."""

from contextlib import ExitStack

import pytest

from swapflow.errors import UnavailableError
from swapflow.ledger.core import write_admission
from swapflow.ledger.core.write_admission import WriteAdmission, WriteBounds


class Clock:
    """A clock that a test moves on."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(write_admission, "time", made)
    return made


def test_two_wait_for_long_and_the_others_less(clock: Clock) -> None:
    admission = WriteAdmission(WriteBounds(most=2, patient=8.0, others=1.0, stuck=1.0))

    with ExitStack() as under_way:
        waits = [under_way.enter_context(admission.admitted()) for _ in range(4)]

    assert [wait.seconds for wait in waits] == [8.0, 8.0, 1.0, 1.0]
    assert clock.now == 0.0


def test_a_write_is_refused_at_once_where_none_has_begun_for_long(clock: Clock) -> None:
    admission = WriteAdmission(WriteBounds(most=2, stuck=1.0))

    with ExitStack() as under_way:
        first, _, third = [under_way.enter_context(admission.admitted()) for _ in range(3)]
        clock.now += 0.9
        third.begun()
        clock.now += 0.9
        # The oldest has waited for longer, and yet one after the other begins.
        under_way.enter_context(admission.admitted())
        clock.now += 0.2
        with pytest.raises(UnavailableError), admission.admitted():
            pass
        first.begun()
        with admission.admitted() as wait:
            assert wait.seconds == 1.0


def test_one_that_is_given_up_shows_no_progress(clock: Clock) -> None:
    admission = WriteAdmission(WriteBounds(most=1, stuck=1.0))

    with admission.admitted():
        with admission.admitted():
            clock.now += 1.1
        with pytest.raises(UnavailableError), admission.admitted():
            pass


def test_without_bounds_all_wait_as_long_as_it_takes() -> None:
    with WriteAdmission().admitted() as wait:
        assert (wait.seconds, wait.left()) == (None, None)


def test_a_write_that_waits_in_a_thread_of_its_own_is_patient_and_takes_nobodys_place(
    clock: Clock,
) -> None:
    admission = WriteAdmission(WriteBounds(most=2, patient=8.0, others=1.0, stuck=1.0))

    with ExitStack() as under_way:
        apart = under_way.enter_context(admission.admitted(apart=True))
        waits = [under_way.enter_context(admission.admitted()) for _ in range(3)]
        clock.now += 2.0
        late = under_way.enter_context(admission.admitted(apart=True))
        with pytest.raises(UnavailableError), admission.admitted():
            pass

    assert [apart.seconds, *(wait.seconds for wait in waits), late.seconds] == [8, 8, 8, 1, 8]
