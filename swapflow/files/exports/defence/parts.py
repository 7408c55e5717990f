"""The parts of a defence file that are about a whole program."""

from collections.abc import Iterable, Sequence

from swapflow.domain.rules import Rules
from swapflow.engine.audit.defended_decision import RULE_CLOSE, ZONES, Defence, DefendedOutcome
from swapflow.files.exports.decision_card import (
    RESULTS,
    WHY_ASKED,
    verdict_in_words,
    why_decided,
)
from swapflow.files.exports.defence.answers import floors_in_words
from swapflow.files.exports.document import DocumentGrid, DocumentPart
from swapflow.files.exports.method_sheet import method_told
from swapflow.i18n.formatting import date_of, moment
from swapflow.i18n.languages import gettext, gettext_noop


ZONE_WORDS = {
    "in": gettext_noop("in"),
    "close": gettext_noop("too close to call"),
    "out": gettext_noop("out"),
}


def notice_part(made: Defence) -> DocumentPart:
    """Write what applicants were told, and since when that is on record."""
    title = gettext("What applicants were told")
    text = made.rules.notice.strip()
    if not text:
        said = gettext(
            "No notice to applicants is on record with the rules. Enclose the one that was given, "
            "and say where and since when it was public."
        )
        return DocumentPart(title=title, text=(said,))
    since = next((one for one in made.history if one.has_notice), None)
    notes = []
    if since is not None:
        words = (
            gettext("On record since rules version %(version)s, %(when)s: before the first mark.")
            if made.known.first_mark is None or since.at <= made.known.first_mark
            else gettext("On record since rules version %(version)s, %(when)s.")
        )
        notes.append(words % {"version": since.version, "when": moment(since.at)})
    return DocumentPart(title=title, text=tuple(text.splitlines()), notes=tuple(notes))


def rules_part(made: Defence) -> DocumentPart:
    """Write the rules in force at the launch, their versions and the score forms."""
    first, known = made.first, made.known
    facts = [
        (gettext("Launched"), moment(known.launched)),
        (gettext("First review asked for"), moment(known.first_request)),
        (gettext("First mark came in"), moment(known.first_mark)),
        (gettext("Places"), ", ".join(f"{one.places} × {one.name}" for one in first.lines)),
        (gettext("Everyone gets"), floors_in_words(first) or gettext("nothing is promised")),
        (gettext("Budget"), f"{first.budget}"),
        (gettext("Reviewers see who applies"), gettext("no") if first.blind else gettext("yes")),
        (gettext("Signatures needed"), f"{first.signatures}"),
        (gettext("Limits on groups"), _limits(first)),
    ]
    later = len(made.history) - sum(one.version <= first.version for one in made.history)
    said = (
        gettext(
            "The rules that were in force at the launch are kept as they were. They were set "
            "before any mark was known, and changed %(later)s times since; each change has its "
            "person, time and reason."
        )
        % {"later": later}
        if later
        else gettext(
            "The rules that were in force at the launch are kept as they were. They were set "
            "before any mark was known, and never changed."
        )
    )
    grids = [
        DocumentGrid(
            caption=gettext("Versions of the rules"),
            headers=(
                gettext("Version"),
                gettext("In force since"),
                gettext("By"),
                gettext("Reason"),
                gettext("Fingerprint"),
            ),
            rows=tuple(
                (
                    str(one.version),
                    moment(one.at),
                    one.by,
                    one.reason or "–",
                    one.digest[:16],
                )
                for one in made.history
            ),
        ),
        *(
            DocumentGrid(
                caption=gettext("Score form of %(kind)s") % {"kind": rubric.kind},
                headers=(gettext("Criterion"), gettext("Weight"), gettext("Marks")),
                rows=tuple(
                    (
                        one.name,
                        f"{one.weight:g}",
                        "; ".join(f"{mark:g} {meaning}".strip() for mark, meaning in one.marks),
                    )
                    for one in rubric.criteria
                ),
            )
            for rubric in first.rubrics
        ),
    ]
    return DocumentPart(
        title=gettext("The rules before anyone was known"),
        text=(said,),
        facts=tuple(facts),
        grids=tuple(grids),
    )


def _limits(rules: Rules) -> str:
    named = [f"{one.attribute} = {one.value}" for one in rules.quotas]
    named += [f"{one.attribute} = {one.value}" for one in rules.targets]
    return ", ".join(named) or gettext("none")


def zones_part(made: Defence) -> DocumentPart:
    """Write how many reviews applicants of each zone have, and why those were asked for."""
    return DocumentPart(
        title=gettext("Reviews by zone"),
        text=(
            gettext(
                "In and out are those whom another review was not expected to move; between them "
                "are those too close to call. Reviews went there on purpose."
            ),
        ),
        grids=(
            DocumentGrid(
                caption=gettext("Reviews that count"),
                headers=(
                    gettext("Zone"),
                    gettext("Applicants"),
                    gettext("Fewest"),
                    gettext("Most"),
                    gettext("On average"),
                ),
                rows=tuple(
                    (
                        gettext(ZONE_WORDS[one.zone]),
                        str(one.applicants),
                        str(one.fewest),
                        str(one.most),
                        f"{one.reviews / one.applicants:.1f}" if one.applicants else "–",
                    )
                    for one in made.zones
                ),
            ),
            DocumentGrid(
                caption=gettext("Why they were asked for"),
                headers=(
                    gettext("Reason"),
                    *(gettext(ZONE_WORDS[zone]) for zone in ZONES),
                ),
                rows=tuple(_origins(made)),
            ),
        ),
    )


def _origins(made: Defence) -> Iterable[tuple[str, ...]]:
    words = WHY_ASKED | {
        RULE_CLOSE: gettext_noop("the rule: too close to call then"),
        "rule": gettext_noop("the rule: worth its cost then"),
    }
    for origin in dict.fromkeys(name for zone in made.zones for name in zone.asked):
        counts = (str(zone.asked.get(origin, 0)) for zone in made.zones)
        yield gettext(words.get(origin, origin)), *counts


def check_of_those_out(made: Defence) -> DocumentPart:
    """Write what is on record of a check of those who are out.

    The one place for it: who was drawn, who read them, what it came to.
    """
    drawn = str(made.sheet.drawn)
    said = (
        [f"{drawn[:1].upper()}{drawn[1:]}."]
        if drawn
        else [gettext("No check of those out by a drawn sample is on record.")]
    )
    said += [
        gettext(
            "%(who)s took on the zone %(zone)s with %(count)s applicants, %(when)s; the meeting "
            "had opened %(opened)s of their files."
        )
        % {
            "who": one.by,
            "zone": gettext(ZONE_WORDS[one.zone]),
            "count": one.applicants,
            "when": moment(one.at),
            "opened": one.opened,
        }
        for one in made.taken_on
    ]
    return DocumentPart(title=gettext("The check of those out"), text=tuple(said))


def outcomes_part(made: Defence) -> DocumentPart:
    """Write every outcome: who, when, and whether the file was opened."""
    return DocumentPart(
        title=gettext("Outcomes"),
        text=(
            gettext("Signed by %(names)s.")
            % {"names": ", ".join(made.signed) or gettext("no one yet")},
        ),
        grids=(
            DocumentGrid(
                caption=gettext("In the order of the list"),
                headers=(
                    gettext("Applicant"),
                    gettext("Zone"),
                    gettext("Reviews"),
                    gettext("Proposed"),
                    gettext("Decision"),
                    gettext("By, when"),
                    gettext("File opened"),
                    gettext("Reason"),
                ),
                rows=tuple(_outcome(one) for one in made.outcomes),
            ),
        ),
    )


def _outcome(one: DefendedOutcome) -> tuple[str, ...]:
    who = one.external_id or gettext("rank %(rank)s") % {"rank": one.rank}
    return (
        who,
        gettext(ZONE_WORDS[one.zone]),
        str(one.reviews),
        gettext("on the list") if one.proposed else gettext("on the waitlist"),
        verdict_in_words(one.verdict),
        f"{one.by or gettext('not on record')}, {moment(one.at)}",
        moment(one.opened_at) if one.opened_at else gettext("not on record"),
        why_decided(one.reason) if one.external_id else "–",
    )


def reconsidered_sums(made: Defence) -> dict[str, int]:
    """Count reconsiderations by what became of them."""
    return {
        "asked": len(made.reconsidered),
        "upheld": sum(one.upheld is True for one in made.reconsidered),
        "not_upheld": sum(one.upheld is False for one in made.reconsidered),
        "open": sum(one.result == "" for one in made.reconsidered),
    }


def reconsideration_sums_part(made: Defence) -> DocumentPart:
    """Write how many reconsiderations changed the list, and how many did not."""
    sums = reconsidered_sums(made)
    return DocumentPart(
        title=gettext("Reconsiderations in this program"),
        facts=(
            (gettext("Asked for"), str(sums["asked"])),
            (gettext("Upheld: the list was changed"), str(sums["upheld"])),
            (gettext("Not upheld"), str(sums["not_upheld"])),
            (gettext("Still open"), str(sums["open"])),
        ),
    )


def reconsiderations_part(made: Defence) -> DocumentPart:
    """Write every reconsideration."""
    summed = reconsideration_sums_part(made)
    if not made.reconsidered:
        return summed
    grid = DocumentGrid(
        caption=gettext("Every reconsideration"),
        headers=(
            gettext("Applicant"),
            gettext("Asked for on"),
            gettext("Reason"),
            gettext("Outcome"),
            gettext("Closed by, when"),
        ),
        rows=tuple(
            (
                one.external_id or "–",
                date_of(one.asked_on),
                one.reason or "–",
                gettext(RESULTS.get(one.result, one.result)),
                f"{', '.join(one.closed_by)}, {moment(one.closed_at)}" if one.closed_at else "–",
            )
            for one in made.reconsidered
        ),
    )
    return DocumentPart(title=summed.title, facts=summed.facts, grids=(grid,))


def replay_part(made: Defence) -> DocumentPart:
    """Write what replaying the record came to."""
    found = made.replay
    said = (
        gettext(
            "The record was replayed for this file: %(events)s events are linked by hash, and "
            "each of %(decisions)s decisions about whom to ask was computed again from the marks "
            "that were known then. All agree."
        )
        if found.passed
        else gettext(
            "The record was replayed for this file: %(events)s events, %(decisions)s decisions "
            "computed again. It does not agree; what differs is listed."
        )
    )
    return DocumentPart(
        title=gettext("Replay of the record"),
        text=(said % {"events": found.events, "decisions": found.decisions},),
        facts=(
            (gettext("Last event"), str(made.seq)),
            (gettext("Fingerprint of the record"), made.head),
        ),
        notes=(
            *(str(one.what) for one in found.findings),
            *found.uncovered,
        ),
    )


def method_parts(made: Defence) -> Iterable[DocumentPart]:
    """Divide the method sheet, which is Markdown of our own, into parts."""
    told = method_told(made.sheet).strip()
    for number, section in enumerate(("\n" + told).split("\n## ")):
        title, _, rest = section.strip().lstrip("# ").partition("\n")
        lines = [line for line in rest.splitlines() if line.strip()]
        cells = [line for line in lines if line.startswith("|")]
        text = tuple(line.removeprefix("- ") for line in lines if not line.startswith("|"))
        prefix = "" if not number else gettext("Method sheet") + ": "
        yield DocumentPart(title=prefix + title, text=text, grids=tuple(_grid(title, cells)))


def _grid(title: str, cells: Sequence[str]) -> Iterable[DocumentGrid]:
    if cells:
        head, _, *rows = (tuple(c.strip() for c in line.strip("|").split("|")) for line in cells)
        yield DocumentGrid(caption=title, headers=head, rows=tuple(rows))
