"""The minutes of a meeting, in plain words (HTML, PDF) and for programs (JSON).

They hold what was projected and what was recorded, by whom: no reviewer's name, nothing that is
monitored.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from swapflow.domain.cohort.meeting import Meeting, Said, Shown, ZoneSide
from swapflow.domain.cohort.proposal import Place, Standing
from swapflow.engine.cohort.meeting import Agenda
from swapflow.engine.cohort.meeting_records import AS_PROPOSED
from swapflow.files.exports.document import DocumentGrid, DocumentPart, PrintedDocument
from swapflow.i18n.formatting import moment
from swapflow.i18n.languages import gettext
from swapflow.i18n.translation import translate


def minutes_json(agenda: Agenda) -> bytes:
    """Return the minutes under stable keys."""
    return (json.dumps(minutes_content(agenda), ensure_ascii=False, indent=1) + "\n").encode()


def minutes_content(agenda: Agenda) -> dict[str, object]:
    """Return what the minutes hold, as plain values."""
    meeting = agenda.meeting
    names = {place.application: place.external_id for place in agenda.places}
    return {
        "program": agenda.cycle.id,
        "version": agenda.version,
        "opened_by": meeting.by if meeting else None,
        "opened_at": meeting.at.isoformat() if meeting else None,
        "closed_by": meeting.closed.by if meeting and meeting.closed else None,
        "closed_at": meeting.closed.at.isoformat() if meeting and meeting.closed else None,
        "closed_and_reopened": [
            {"closed": t.closed, "reason": t.reason, "by": t.by, "at": t.at.isoformat()}
            for t in (meeting.turns if meeting else ())
        ],
        "places": agenda.size,
        "chosen": [p.external_id for p in agenda.places if p.application in agenda.chosen],
        "without_outcome": [place.external_id for place in agenda.missing],
        "recorded": [
            {
                "applicant": names.get(said.application, ""),
                "outcome": said.word.value,
                "reason": said.reason,
                "by": said.by,
                "at": said.at.isoformat(),
                "line": said.line,
                "decided_together": said.together,
            }
            for said in (meeting.said if meeting else ())
        ],
        "looked_at": [
            {
                "applicant": names.get(one.application, ""),
                "what": one.what.value,
                "by": one.by,
                "at": one.at.isoformat(),
            }
            for one in (meeting.looks if meeting else ())
        ],
        "clear_zones": [
            {
                "zone": one.zone.value,
                "applicants": [names.get(number, "") for number in one.applications],
                "files_opened": one.opened,
                "by": one.by,
                "at": one.at.isoformat(),
            }
            for one in (meeting.zones if meeting else ())
        ],
        "drawn_check": _drawn_check(agenda),
    }


def _drawn_check(agenda: Agenda) -> dict[str, object] | None:
    """Return what became of those drawn from the clearly out; None where the rules draw none."""
    sample = agenda.drawn
    if sample is None:
        return None
    made = sample.places if sample.took_place else ()
    unread = {place.application for place in sample.unread}
    return {
        "sentence": str(sample.sentence),
        "drawn": [place.external_id for place in made],
        "read": [place.external_id for place in made if place.application not in unread],
        "stayed_out": [place.external_id for place in sample.stayed],
    }


def minutes_document(
    agenda: Agenda, *, members: Mapping[int, Collection[str]], zone: str, at: datetime
) -> PrintedDocument:
    """List what the meeting looked at and recorded.

    Args:
        agenda: The meeting.
        members: Names of the members in conflict, by application.
        zone: Time zone of the moments.
        at: When the minutes are made.
    """
    meeting = agenda.meeting
    opened = (
        gettext("Opened by %(who)s, %(when)s.")
        % {"who": meeting.by, "when": moment(meeting.at, zone)}
        if meeting
        else gettext("No meeting was opened about this list.")
    )
    return PrintedDocument(
        title=gettext("Minutes"),
        about=gettext("%(program)s, version %(version)s of the list")
        % {"program": agenda.cycle.name, "version": agenda.version},
        lead=(opened, *_turns(meeting, zone), _lead(agenda), *_zones(agenda, zone)),
        parts=tuple(_parts(agenda, members, zone)),
        foot=gettext("Made %(when)s from program %(program)s.")
        % {"when": moment(at, zone), "program": agenda.cycle.id},
    )


def _turns(meeting: Meeting | None, zone: str) -> Iterable[str]:
    turns = meeting.turns if meeting else ()
    for turn in turns:
        said = gettext("Closed by %(who)s, %(when)s%(why)s.")
        if not turn.closed:
            said = gettext("Reopened by %(who)s, %(when)s%(why)s.")
        why = f": {turn.reason}" if turn.reason else ""
        yield said % {"who": turn.by, "when": moment(turn.at, zone), "why": why}
    if meeting and not meeting.closed:
        yield gettext("The meeting is still open.")


def _zones(agenda: Agenda, zone: str) -> Iterable[str]:
    """Write who took on the clear zones, and which of them has no person."""
    if agenda.meeting is None:
        return
    for one in agenda.meeting.zones:
        said = gettext(
            "%(n)s out, %(files)s of their files opened: confirmed by %(who)s, %(when)s."
        )
        if one.zone is ZoneSide.IN:
            said = gettext(
                "%(n)s in, %(files)s of their files opened: confirmed by %(who)s, %(when)s."
            )
        yield said % {
            "n": len(one.applications),
            "files": one.opened,
            "who": one.by,
            "when": moment(one.at, zone),
        }
    if agenda.drawn is not None:
        said = translate(agenda.drawn.sentence)
        yield f"{said[:1].upper()}{said[1:]}."
    if agenda.unsaid(ZoneSide.OUT) and agenda.meeting.confirmed(ZoneSide.OUT) is None:
        yield gettext("No person confirmed those who are out, clear of the cut.")


def _lead(agenda: Agenda) -> str:
    said = gettext("%(n)s of %(size)s places are filled so far.")
    said %= {"n": len(agenda.chosen), "size": agenda.size}
    if agenda.missing:
        names = ", ".join(place.external_id for place in agenda.missing)
        missing = gettext("Still without an outcome: %(names)s.") % {"names": names}
        return f"{said} {missing}"
    through = gettext("Every applicant too close to call has an outcome.")
    return f"{said} {through}" if agenda.meeting else said


def _parts(
    agenda: Agenda, members: Mapping[int, Collection[str]], zone: str
) -> Iterable[DocumentPart]:
    yield DocumentPart(
        title=gettext("Places"),
        facts=tuple(
            (name, gettext("%(taken)s of %(places)s") % {"taken": taken, "places": places})
            for name, taken, places in agenda.lines
        ),
        text=tuple(
            (gettext("%(limit)s: kept.") if kept else gettext("%(limit)s: not kept."))
            % {"limit": translate(words)}
            for words, kept in agenda.limits
        ),
    )
    # Still without an outcome: minutes that left them out would read as if all were settled.
    close = [place for place in agenda.close if place.application not in agenda.words]
    recorded = [place for place in agenda.places if place.application in agenda.words]
    yield DocumentPart(
        title=gettext("Outcomes"),
        text=() if recorded or close else (gettext("Nothing was recorded."),),
        grids=(
            DocumentGrid(
                caption=gettext("What was recorded, in the order of the list"),
                headers=(
                    gettext("Applicant"),
                    gettext("Rank"),
                    gettext("Proposed"),
                    gettext("Outcome"),
                    gettext("Reason"),
                    gettext("File"),
                    gettext("In conflict"),
                ),
                rows=tuple(
                    _row(place, agenda, members)
                    for place in agenda.places
                    if place in recorded or place in close
                ),
            ),
        )
        if recorded or close
        else (),
    )
    if agenda.meeting and agenda.meeting.said:
        names = {place.application: place for place in agenda.places}
        yield DocumentPart(
            title=gettext("Every change"),
            grids=(
                DocumentGrid(
                    caption=gettext("In the order in which it was recorded"),
                    headers=(
                        gettext("When"),
                        gettext("Applicant"),
                        gettext("Outcome"),
                        gettext("Reason"),
                        gettext("By"),
                    ),
                    rows=tuple(
                        (
                            moment(said.at, zone),
                            names[said.application].external_id
                            if said.application in names
                            else gettext("erased"),
                            _outcome(said),
                            _reason(said),
                            said.by,
                        )
                        for said in agenda.meeting.said
                    ),
                ),
            ),
        )
    if agenda.meeting and agenda.meeting.looks:
        yield _looked_at(agenda, agenda.meeting, zone)


def _looked_at(agenda: Agenda, meeting: Meeting, zone: str) -> DocumentPart:
    names = {place.application: place.external_id for place in agenda.places}
    what = {Shown.FILE: gettext("the file"), Shown.ESTIMATE: gettext("the estimate")}
    return DocumentPart(
        title=gettext("What was opened"),
        grids=(
            DocumentGrid(
                caption=gettext("In the order in which it was opened"),
                headers=(gettext("When"), gettext("Applicant"), gettext("What"), gettext("By")),
                rows=tuple(
                    (
                        moment(one.at, zone),
                        names.get(one.application, "") or gettext("erased"),
                        what[one.what],
                        one.by,
                    )
                    for one in meeting.looks
                ),
            ),
        ),
    )


def _outcome(said: Said) -> str:
    word = gettext(said.word.value)
    return f"{word} ({said.line})" if said.line else word


def _reason(said: Said) -> str:
    """Return a reason; that of a decision about several is told as that."""
    reason = gettext("as proposed") if said.reason == AS_PROPOSED else said.reason
    if said.together == 1:
        return reason
    together = gettext("decided together, %(n)s") % {"n": said.together}
    return f"{together}: {reason}"


def _row(place: Place, agenda: Agenda, members: Mapping[int, Collection[str]]) -> tuple[str, ...]:
    said = agenda.words.get(place.application)
    name = place.name or place.external_id or gettext("erased")
    return (
        f"{name} ({place.external_id})" if place.name else name,
        str(place.rank),
        gettext("on the list") if place.standing is Standing.COHORT else gettext("waitlist"),
        _outcome(said) if said else gettext("none yet"),
        _reason(said) if said else "",
        gettext("opened") if place.application in agenda.looked_at(Shown.FILE) else "",
        ", ".join(members.get(place.application, ())),
    )
