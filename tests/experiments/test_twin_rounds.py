"""Redraws of the twin under rules: what is out, what is paid, and what is owed in the end."""

import numpy as np
import pytest

from swapflow.domain.rules import DispatchMode, Floor, FloorFor, Rules
from swapflow.engine.selection.close_floor import left_out_above_cut
from swapflow.engine.selection.taper import LEAST_OUT
from swapflow.experiments.admissions import close_floors, requests_out
from swapflow.experiments.admissions.twin_rounds import TwinEnding, TwinRound, twin_rules
from swapflow.experiments.known_rounds import redrawn_twin
from swapflow.simulation.random_numbers import stream_of
from swapflow.simulation.response_delays import Lognormal


class Watched(TwinRound):
    """A round that notes what is out after every request, and what is not yet spent."""

    def __init__(self, rules: Rules) -> None:
        stream = stream_of("watched")
        sheet = redrawn_twin(stream.generator(0))
        super().__init__(rules, sheet, Lognormal(mean=(1.0, 1.0), stream=stream, run=0))
        self.seen: list[tuple[float, float]] = []

    def _ask(self, arm: int, kind: int) -> None:
        super()._ask(arm, kind)
        self.seen.append((self.out_cost, self.left + self.out_cost))

    def played(self) -> TwinEnding:
        return self.run(np.random.default_rng(0))


def test_the_taper_keeps_less_out_as_less_is_left() -> None:
    rules = twin_rules(1.25, dispatch=DispatchMode.ROLLING, out=450, taper=0.5)
    floors = 1600
    watched = Watched(rules)

    watched.played()

    after = watched.seen[floors:]
    assert after
    assert all(out <= max(LEAST_OUT, 0.5 * unspent) for out, unspent in after)
    assert max(out for out, _ in watched.seen[:floors]) == 450
    assert watched.left < 1


def test_who_is_too_close_or_out_above_the_cut_is_served_before_the_end() -> None:
    floor = Floor(kind="review", count=3, who=FloorFor.CLOSE)
    rules = twin_rules(2.0, floors=(floor,), dispatch=DispatchMode.LOCKSTEP)
    watched = Watched(rules)

    ending = watched.played()

    above = left_out_above_cut(ending.look, watched._situation())
    assert above.any()
    # Who came there by the last answers finds the money spent.
    assert np.mean(ending.asked[above, 0] < 4) < 0.2


def test_the_studies_meet_the_same_draws_in_every_cell() -> None:
    out = [
        requests_out.rounds("t", {"budget": 1.25, "out": 450, "taper": taper}, range(1))
        for taper in (0.0, 0.25)
    ]
    floors = [close_floors.rounds("t", {"budget": 1.5, "floor": f}, range(1)) for f in (0, 3)]

    assert out[1]["days"][0] > out[0]["days"][0]
    assert floors[1]["below"][0] < floors[0]["below"][0]


@pytest.mark.slow
def test_late_answers_steer_under_the_taper() -> None:
    plain, half = (
        requests_out.rounds("slow", {"budget": 1.25, "out": 450, "taper": taper}, range(10))
        for taper in (0.0, 0.5)
    )

    assert half["loss"].mean() < plain["loss"].mean()
