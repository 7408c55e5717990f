"""What the long lists read, on every database."""

from swapflow.ledger.sql import SqlLedger
from tests.ledger.examples import applicant, pull, reviewer, score, seat


def test_the_last_move_of_an_applicant_is_the_later_of_asking_and_answering(
    ledger: SqlLedger,
) -> None:
    first, second = pull(0), pull(1)
    answered, waiting = seat(first), seat(second)
    with ledger.write("fall") as tx:
        tx.add_applications([applicant(f"a{n}") for n in range(3)], [1, 2, 3], wave=1)
        tx.add_reviewers([reviewer("r0")])
        tx.insert_pulls([first, second])
        tx.insert_assignments([answered, waiting])
        tx.insert_scores([score(answered)], marks=[{}], remarks=[""])

    moves = ledger.last_moves("fall", [0, 1, 2])

    assert {number: answer for number, (_, answer) in moves.items()} == {0: True, 1: False}
    assert moves[1][0] == waiting.created_at
    assert all(at.utcoffset() is not None for at, _ in moves.values())
    assert ledger.last_moves("fall", []) == {}
    assert ledger.last_moves("elsewhere", [0]) == {}
