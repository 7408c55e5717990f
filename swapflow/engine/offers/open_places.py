"""Who may still be offered a place, and what reconsiderations change about it."""

from collections.abc import Collection, Mapping

from swapflow.domain.cohort.announcement import Announcement, Group, told
from swapflow.domain.cohort.offer import Offer, OfferAnswer
from swapflow.domain.cohort.reconsideration import CHANGES, Reconsideration


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


def out_of_waiting(
    offers: Collection[Offer],
    announcements: tuple[Announcement, ...],
    *,
    since: Mapping[int, int],
) -> frozenset[int]:
    """Give who waits for no place any more: they were offered one, or told that there is none.

    Args:
        offers: Every offer; one that was taken back never was.
        announcements: What applicants were told.
        since: Versions since which earlier offers and letters count no more, by application.
    """
    offered = {
        offer.application
        for offer in offers
        if offer.answer is not OfferAnswer.TAKEN_BACK
        and offer.version >= since.get(offer.application, 0)
    }
    refused = {
        number
        for number, (announcement, letter) in told(announcements).items()
        if letter.group is Group.NOT_SELECTED and announcement.version >= since.get(number, 0)
    }
    return frozenset(offered | refused)
