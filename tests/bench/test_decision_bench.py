"""The benchmark runs and finds what it promises to find."""

from tests.bench.decision_bench import measure


def test_the_rule_and_the_kernel_are_much_faster_than_the_straightforward_loop() -> None:
    figures = measure()

    # Far below what a quiet machine shows, so that a busy one does not fail.
    assert figures["decision_speedup_n1600"] > 3
    assert figures["kernel_speedup_n50"] > 3
