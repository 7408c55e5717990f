"""The checks of the campaign tell a violation from what the rules allow."""

import pytest

from tests.chaos.checker import asked_too_often


@pytest.mark.parametrize(
    "requests",
    [
        [("scored", None)],
        [("expired", None), ("opened", None)],
        [("declined", "busy"), ("expired", None), ("scored", None)],
        # An answer that came late ended the second request.
        [("scored", None), ("cancelled", None)],
        [("declined", "conflict")],
        [("expired", None), ("declined", "unqualified")],
    ],
)
def test_a_reviewer_whose_request_ended_without_a_review_may_be_asked_again(
    requests: list[tuple[str, str | None]],
) -> None:
    assert not asked_too_often(requests)


@pytest.mark.parametrize(
    "requests",
    [
        [("scored", None), ("scored", None)],
        [("scored", None), ("queued", None)],
        [("opened", None), ("delivered", None)],
        [("declined", "conflict"), ("opened", None)],
        [("declined", "unqualified"), ("expired", None)],
    ],
)
def test_two_requests_at_once_or_one_after_a_review_or_a_conflict_are_a_violation(
    requests: list[tuple[str, str | None]],
) -> None:
    assert asked_too_often(requests)
