"""The benchmark runs and finds what it promises to find."""

from tests.bench.decision_bench import SIZES, measure


def test_the_rules_and_the_kernels_are_much_faster_than_the_straightforward_loop() -> None:
    figures = measure(SIZES[:1])

    # Far below what a quiet machine shows, so that a busy one does not fail.
    assert figures["live_decision_speedup_n1600"] > 3
    assert figures["decision_speedup_n1600"] > 20
    assert figures["kernel_speedup_n50"] > 30
