"""Who may still get an offer, and how reconsiderations change it."""

from collections.abc import Collection, Mapping

from swapflow.domain.cohort.announcement import Announcement, Group, told
from swapflow.domain.cohort.offer import Offer, OfferAnswer
from swapflow.domain.cohort.reconsideration import CHANGES, Reconsideration


def restored(reconsiderations: Collection[Reconsideration]) -> dict[int, int]:
    """Return, by application, the version before which offers count no more."""
    return {
        one.application: one.closing.version
        for one in reconsiderations
        if one.closing is not None and one.closing.result in CHANGES
    }


def beyond_places(reconsiderations: Collection[Reconsideration]) -> dict[int, int]:
    """Return, by application, the version since which it holds a place beyond the regular ones."""
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
    """Return the applications that were offered a place, or were told that there is none.

    Args:
        offers: Every offer; withdrawn ones do not count.
        announcements: The announcements to applicants.
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
