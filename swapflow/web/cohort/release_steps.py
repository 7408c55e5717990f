"""The steps from a proposed list to its letters, as the rail beside the board shows them."""

from dataclasses import dataclass

from swapflow.domain.cohort.meeting import ZoneSide
from swapflow.domain.cohort.proposal import Proposal
from swapflow.engine.cohort.meeting import Agenda
from swapflow.i18n.formatting import counted
from swapflow.i18n.languages import gettext


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseStep:
    """One of the steps to release; `state` is "done", "now" or "later"."""

    title: str
    note: str
    state: str


def release_steps(
    proposal: Proposal, agenda: Agenda, *, ready: bool, signatures: tuple[int, int]
) -> tuple[ReleaseStep, ...]:
    """Return the steps to release, up to the signatures, and what follows them.

    Args:
        proposal: The list.
        agenda: Its meeting.
        ready: Whether asking has ended.
        signatures: How many were given under what is prepared (-1: nothing is), and are needed.
    """
    given, needed = signatures
    meeting, close = agenda.meeting, len(agenda.close)
    to_explain = len(proposal.to_explain) + len(proposal.close_checks)
    done = [
        ready,
        meeting is not None and meeting.closed is not None and not agenda.missing,
        meeting is not None and not any(left_to_confirm(agenda, zone) for zone in ZoneSide),
        given >= 0,
        False,
        False,
        False,
    ]
    # Without a meeting the list is signed as it was prepared.
    if given >= 0 and meeting is None:
        done[1] = done[2] = True
    now = done.index(False)
    titles = (
        (gettext("Checks"), _checked(to_explain)),
        (
            gettext("Meeting"),
            gettext("%(n)s of %(of)s have an outcome")
            % {"n": close - len(agenda.missing) if meeting else 0, "of": close},
        ),
        (gettext("Clear zones"), _zones_told(agenda)),
        (
            gettext("List prepared"),
            gettext("List and reasons, version %(n)s") % {"n": agenda.version},
        ),
        (
            gettext("Signatures %(given)s of %(needed)s")
            % {"given": max(given, 0), "needed": needed},
            gettext("each with their own sign-in"),
        ),
        (
            gettext("Offers"),
            gettext("%(n)s to send") % {"n": agenda.size},
        ),
        (gettext("Letters"), gettext("after the offers")),
    )
    return tuple(
        ReleaseStep(
            title=title,
            note=note,
            state="done" if done[index] else "now" if index == now else "later",
        )
        for index, (title, note) in enumerate(titles)
    )


def _checked(to_explain: int) -> str:
    if not to_explain:
        return gettext("none open")
    return counted(to_explain, "%(count)s exception to explain", "%(count)s exceptions to explain")


def left_to_confirm(agenda: Agenda, zone: ZoneSide) -> int:
    """Count those of a clear zone who have neither an outcome nor a person that took them on."""
    confirmed = agenda.meeting.confirmed(zone) if agenda.meeting else None
    taken = frozenset(confirmed.applications) if confirmed else frozenset()
    return sum(place.application not in taken for place in agenda.unsaid(zone))


def _zones_told(agenda: Agenda) -> str:
    if not any(agenda.zone(zone) for zone in ZoneSide):
        return gettext("none clear of the cut")
    inside, out = left_to_confirm(agenda, ZoneSide.IN), left_to_confirm(agenda, ZoneSide.OUT)
    if not inside and not out:
        return gettext("confirmed")
    return gettext("%(inside)s in and %(out)s out to confirm") % {"inside": inside, "out": out}
