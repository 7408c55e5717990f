"""What reconsiderations change about the places that are offered."""

from collections.abc import Collection

from swapflow.domain.reconsideration import CHANGES, Reconsideration


def restored(reconsiderations: Collection[Reconsideration]) -> dict[int, int]:
    """Give, by application, the version since which earlier offers count no more."""
    return {
        one.application: one.closing.version
        for one in reconsiderations
        if one.closing is not None and one.closing.result in CHANGES
    }


def beyond_places(reconsiderations: Collection[Reconsideration]) -> dict[int, int]:
    """Give who holds a place beyond those there are, by application, and since which version."""
    return {
        one.application: one.closing.version
        for one in reconsiderations
        if one.closing is not None and one.adds and one.closing.beyond
    }
