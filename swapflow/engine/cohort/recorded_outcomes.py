"""What a meeting recorded, which the decision about its list must follow.

Every applicant too close to call has an outcome, the meeting is closed, and no override differs
from what was recorded.
"""

from collections.abc import Sequence

from swapflow.domain.cohort.meeting import Meeting, ZoneSide
from swapflow.domain.cohort.proposal import Place, Proposal, Standing, Verdict
from swapflow.engine.cohort.finalize import Override
from swapflow.errors import InvalidInputError, NotReadyError
from swapflow.messages import Message


NAMED = 12
"""Most missing applicants that a message lists."""


CLEAR_OF_THE_CUT = "out, clear of the cut"
"""The reason on record of those whom a person confirmed to be out together."""


def follow(
    proposal: Proposal, overrides: Sequence[Override], meeting: Meeting | None
) -> tuple[Override, ...]:
    """Add to the overrides those applicants whom the meeting put out altogether.

    Those are whom it gave that outcome, and whom a person confirmed to be out, clear of the cut.

    Raises:
        InvalidInputError: If a decision would differ from the recorded outcome.
    """
    words = meeting.words if meeting else {}
    made = {override.external_id: override for override in overrides}
    out = _out(proposal, meeting)
    wrong = []
    for place in proposal.places:
        said = words.get(place.application)
        verdict = said.word.verdict if said else None
        override = made.get(place.external_id)
        if said is None and override is None and place.application in out:
            made[place.external_id] = Override(
                external_id=place.external_id,
                verdict=Verdict.NOT_SELECTED,
                reason=CLEAR_OF_THE_CUT,
            )
        if said is None or verdict is None:
            continue
        # An applicant with an offer keeps it, wherever the proposal puts them now.
        inside = place.standing is Standing.COHORT or place.application in proposal.promised
        if override is not None:
            inside = override.verdict is Verdict.SELECTED
        if inside != (verdict is Verdict.SELECTED):
            wrong.append(f"{place.external_id} ({said.word.value})")
        elif verdict is Verdict.NOT_SELECTED:
            reason = override.reason if override else said.reason or "as the meeting said"
            made[place.external_id] = Override(
                external_id=place.external_id, verdict=verdict, reason=reason
            )
        elif verdict is Verdict.WAITLISTED and override is not None:
            made[place.external_id] = Override(
                external_id=place.external_id, verdict=verdict, reason=override.reason
            )
    if wrong:
        raise InvalidInputError("meeting_recorded_otherwise", applicants=_some(wrong))
    return tuple(made.values())


def _out(proposal: Proposal, meeting: Meeting | None) -> frozenset[int]:
    """Return the numbers of those who are confirmed to be out, and proposed so still."""
    confirmed = meeting.confirmed(ZoneSide.OUT) if meeting else None
    if confirmed is None:
        return frozenset()
    clear = {
        place.application
        for place in proposal.places
        if place.standing is not Standing.COHORT and not place.too_close
    }
    return frozenset(clear.intersection(confirmed.applications) - proposal.promised)


def recorders(
    proposal: Proposal, overrides: Sequence[Override], meeting: Meeting | None
) -> dict[int, str]:
    """Return who recorded the outcome of each applicant: at the meeting, or with a clear zone."""
    words = meeting.words if meeting else {}
    said = {number: one.by for number, one in words.items() if one.word.verdict is not None}
    # Whom the list was prepared otherwise about has that person, not the one of the zone.
    changed = {one.external_id for one in overrides if one.reason != CLEAR_OF_THE_CUT}
    kept = {p.application for p in proposal.places if p.external_id not in changed}
    zones = [meeting.confirmed(zone) for zone in ZoneSide] if meeting else []
    of_zones = {n: zone.by for zone in zones if zone for n in zone.applications if n in kept}
    return of_zones | said


def check_recorded(proposal: Proposal, meeting: Meeting | None) -> None:
    """Raise for a signature before the meeting is over.

    Raises:
        NotReadyError: If applicants too close to call lack a final outcome (they are listed), or
            if the meeting was not closed.
    """
    if missing := missing_outcomes(proposal.places, meeting):
        raise NotReadyError(
            "meeting_without_outcome", applicants=_some([place.external_id for place in missing])
        )
    if meeting is not None and meeting.closed is None:
        raise NotReadyError("meeting_open")


def missing_outcomes(places: Sequence[Place], meeting: Meeting | None) -> tuple[Place, ...]:
    """List the applicants too close to call whom the meeting gave no final outcome."""
    if meeting is None:
        return ()
    done = {a for a, said in meeting.words.items() if said.word.verdict is not None}
    return tuple(p for p in places if p.too_close and p.application not in done)


def _some(names: Sequence[str]) -> str:
    if len(names) <= NAMED:
        return ", ".join(names)
    return Message("names_and_more", names=names[:NAMED], more=len(names) - NAMED)
