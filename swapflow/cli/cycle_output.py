"""How a cycle, a list and an explanation look: plain words, or JSON."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from swapflow.cli.output import Listing, hundred, many
from swapflow.errors import NotReadyError


if TYPE_CHECKING:
    from swapflow.domain.cohort.proposal import MethodSheet, Outcome, Place, Proposal
    from swapflow.domain.cohort.quality_words import QualityFigures
    from swapflow.engine.read_models.explanation import Explanation, PullExplanation
    from swapflow.engine.read_models.progress import Progress
    from swapflow.engine.scoring.conflicting_scores import ConflictingScore
    from swapflow.engine.services import Swapflow
    from swapflow.files.exports.writers import ExportSheet


NOT_MERIT = "This is about marks, not merit. The list is for people to decide on."

_WHY = {
    "floor": "the rules promise it",
    "floor all": "everyone gets it",
    "floor chosen": "everyone on the proposed list gets it",
    "floor close": "everyone too close to call gets it",
    "rule": "it could still change the list",
    "staff": "staff asked for it",
    "chance": "drawn near the cut, to compare reviews and interviews",
    "drawn": "drawn from those clearly out, to be read once more",
    "appeal": "an appeal",
    "late": "it came in late",
}
_JARGON = (
    (re.compile(r"\bledger\b"), "record"),
    (re.compile(r"\bpulls?\b"), "request"),
    (re.compile(r"\barms?\b"), "applicant"),
)


def plain(text: str) -> str:
    """Return a message of the engine in the words that staff use."""
    for word, instead in _JARGON:
        text = word.sub(instead, text)
    return text


def not_compared(uncovered: Sequence[str], erased: int) -> list[str]:
    """Format what a check of a record could not compare, line by line."""
    lines = [f"note: {what}" for what in uncovered]
    if erased:
        noun = "name or text" if erased == 1 else "names or texts"
        lines.append(f"note: {erased} {noun}: erased, not checked")
    return lines


# A cycle


def progress_json(seen: "Progress") -> dict[str, object]:
    """Return a cycle's progress under stable keys."""
    content: dict[str, object] = asdict(seen)
    content["cycle"] = content.pop("cycle_id")
    content["contested"] = content["too_close"]
    del content["figures"]
    content |= figures_json(seen.figures)
    content["blocked"] = [
        {"applicant": applicant, "kind": kind, "reason": reason}
        for applicant, kind, reason in seen.blocked
    ]
    return content


def figures_json(figures: "QualityFigures | None") -> dict[str, object]:
    """Return how good a list is under stable keys; null where it is not known."""
    return {
        "expected_loss": None if figures is None else figures.expected_loss,
        "expected_loss_points": None if figures is None else figures.points,
        "expected_loss_points_range": None if figures is None else figures.points_range,
        "belong": None if figures is None else figures.belong,
        "belong_range": None if figures is None else figures.belong_range,
        "could_change": None if figures is None else figures.could_change,
    }


def progress_plain(seen: "Progress") -> list["str | Listing"]:
    """Format a cycle's progress, for people."""
    parts: list[str | Listing] = [
        f"{seen.cycle_id} ({seen.name}): {_status(seen)}",
        f"{seen.places} places, {seen.candidates} applicants, {_too_close(seen)}",
        f"spent {seen.spent} and asked for {seen.committed} of {seen.budget} {seen.unit}",
    ]
    parts += _losses(seen)
    if seen.floors_missing:
        parts.append(f"{many(seen.floors_missing, 'promised review')} not yet asked for")
    if seen.wishes:
        parts.append(f"{seen.wishes} extra reviews that staff asked for are not out yet")
    parts.append(
        Listing(
            headers=("kind", "cost", "done", "out", "overdue", "to approve"),
            rows=tuple((k.name, k.cost, k.done, k.out, k.overdue, k.proposed) for k in seen.kinds),
        )
    )
    if seen.blocked:
        parts.append("cannot go out:")
        parts += [
            f"  {kind} of {applicant}: {plain(why)}" for applicant, kind, why in seen.blocked[:20]
        ]
        if len(seen.blocked) > 20:  # noqa: PLR2004 - as many as are shown above
            parts.append(f"  and {len(seen.blocked) - 20} more (--json lists all)")
    return parts


def conflicting_lines(scores: "Sequence[ConflictingScore]") -> list[str]:
    """Name the scores that count although their reviewers are barred, for people."""
    lines = [
        f"the {one.kind} of {one.external_id} by {one.reviewer} counts although they are "
        f"{'outside the panel' if one.source == 'panel' else 'in conflict'} "
        f"({one.score.assignment_id})"
        for one in scores[:20]
    ]
    if len(scores) > 20:  # noqa: PLR2004 - as many as are shown above
        lines.append(f"and {len(scores) - 20} more (--json lists all)")
    if scores:
        lines.append("void each (`scores void`) or say why it counts (`reviewers waive-conflict`)")
    return lines


def progress_line(seen: "Progress") -> str:
    """Format a cycle's progress as one line, for a log."""
    done = ", ".join(f"{kind.done} {kind.name}" for kind in seen.kinds)
    return (
        f"{seen.cycle_id} {seen.status}: {done}; "
        f"spent {seen.spent} of {seen.budget} {seen.unit}; {_too_close(seen)}"
    )


def kind_lines(seen: "Progress") -> list[str]:
    """Format how far each kind has come, a line each, for the live view."""
    return [
        f"  {k.name}: {k.done} done, {k.out} out, {k.overdue} overdue, {k.proposed} to approve"
        for k in seen.kinds
    ]


def _status(seen: "Progress") -> str:
    if seen.status == "proposed":
        return f"the rules propose to stop. {seen.stop_sentence}"
    if seen.status in {"ended", "finalized"}:
        return f"{seen.status}. {seen.stop_sentence}"
    return seen.status


def _losses(seen: "Progress") -> list[str]:
    from swapflow.domain.cohort.quality_words import points_a_place, shows_certified_loss
    from swapflow.messages import Message

    lines = []
    figures = seen.figures
    if figures is not None:
        lines.append(str(figures.sentence()))
    certified = seen.certified_loss
    expected = None if figures is None else figures.expected_loss
    if certified is not None and shows_certified_loss(seen.rule.value, certified, expected):
        points = points_a_place(certified, seen.places)
        if points <= 100:  # noqa: PLR2004 - a full score a place: nobody needs a promise of that
            lines.append(str(Message("list_could_gain", points=points)))
    return lines


def _too_close(seen: "Progress") -> str:
    if seen.too_close is None:
        return "calculating who is too close to call"
    return f"{seen.too_close} too close to call"


# A list


def final_digest(swapflow: "Swapflow", cycle_id: str) -> str:
    """Return the digest of the list that is final, "" while none is."""
    try:
        return swapflow.cohort.final_list(cycle_id).seal.digest
    except NotReadyError:
        return ""


def proposal_json(proposal: "Proposal", outcomes: "Iterable[Outcome]") -> dict[str, object]:
    """Return a final list under stable keys."""
    decided = {o.application: o for o in outcomes}
    places = [_place_json(place, decided.get(place.application)) for place in proposal.places]
    sheet: dict[str, object] = asdict(proposal.sheet)
    sheet["cycle"] = sheet.pop("cycle_id")
    return {
        "cycle": proposal.cycle_id,
        "version": proposal.version,
        "selected": [p["applicant"] for p in places if p["decision"] == "selected"],
        "waitlist": [p["applicant"] for p in places if p["decision"] == "waitlisted"],
        "one_score_away": [
            p.external_id for p in proposal.places if p.application in proposal.near
        ],
        "places": places,
        "method": sheet,
    }


def proposal_plain(proposal: "Proposal", outcomes: "Iterable[Outcome]") -> list["str | Listing"]:
    """Format what was decided, for people."""
    decided = {o.application: o for o in outcomes}
    chosen = [
        p
        for p in proposal.places
        if p.application in decided and decided[p.application].verdict.value == "selected"
    ]
    changed = [
        p for p in proposal.places if decided and decided[p.application].reason != "as proposed"
    ]
    sheet = proposal.sheet
    parts: list[str | Listing] = [
        (
            f"{proposal.cycle_id}: list version {proposal.version} is final; "
            f"{len(chosen)} selected, "
            f"{len(proposal.places) - len(chosen)} on the waitlist"
        ),
        Listing(
            headers=("rank", "applicant", "name", "score", "margin", "proposed", "close"),
            rows=tuple(
                (
                    p.rank if _is_reviewed(p) else None,
                    p.external_id,
                    p.name,
                    hundred(p.estimate) if _is_reviewed(p) else None,
                    hundred(p.margin) if _is_reviewed(p) else None,
                    p.standing.value == "cohort",
                    p.too_close,
                )
                for p in chosen
            ),
        ),
        *(
            f"decided otherwise than proposed: {p.external_id} "
            f"({decided[p.application].verdict.value}: {decided[p.application].reason})"
            for p in changed
        ),
        *_method_plain(sheet),
    ]
    near = [p.external_id for p in proposal.places if p.application in proposal.near]
    if near:
        parts.append(f"one more score could change the place of: {_some(near)}")
    tied = [p.external_id for p in proposal.places if p.tied]
    if tied:
        parts.append(f"tied at the cut, decided by lot from the seed: {', '.join(tied)}")
    return parts


def _is_reviewed(place: "Place") -> bool:
    """Whether a review of the applicant counts: without one there is no rank to tell."""
    return place.raw_mean is not None


def _some(names: list[str], most: int = 20) -> str:
    """Name some, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _method_plain(sheet: "MethodSheet") -> list[str]:
    reviews = ", ".join(f"{count} {kind}" for kind, count in sheet.pulls.items())
    from swapflow.domain.cohort.proposal import figures_of

    figures = figures_of(sheet)
    return [
        *(() if figures is None else (str(figures.sentence()),)),
        (
            f"scores that count: {reviews or 'none'}; spent {sheet.spent} of {sheet.budget} "
            f"{sheet.unit}"
        ),
        f"why no more was asked for: {sheet.stop_sentence}",
        NOT_MERIT,
    ]


def _place_json(place: "Place", outcome: "Outcome | None") -> dict[str, object]:
    return {
        "applicant": place.external_id,
        "name": place.name,
        "rank": place.rank,
        "proposed": place.standing.value,
        "decision": None if outcome is None else outcome.verdict.value,
        "reason": None if outcome is None else outcome.reason,
        "score": place.estimate,
        "margin": place.margin,
        "plain_mean": place.raw_mean,
        "evidence": place.evidence,
        "too_close_to_call": place.too_close,
        "likely": place.likely,
        "tied": place.tied,
        "scores": dict(place.pulls),
        "missing": dict(place.floor_missing),
    }


# An explanation


def explanation_json(found: "Explanation") -> dict[str, object]:
    """Return an explanation under stable keys."""
    content: dict[str, object] = asdict(found)
    content["applicant"] = content.pop("external_id")
    return content


def explanation_plain(found: "Explanation") -> list["str | Listing"]:
    """Format an explanation, for people."""
    from swapflow.domain.cohort.quality_words import likely_words

    reviewed = any(one.counts and one.score is not None for one in found.asked)
    parts: list[str | Listing] = [
        f"{found.external_id} {found.name}".strip()
        + f": {found.status}, {_rank(found) if reviewed else 'no rank yet, as no review counts'}",
    ]
    if found.estimate is not None and reviewed:
        parts.append(
            f"score {hundred(found.estimate)} of 100, margin {hundred(found.margin)}, "
            f"evidence of {found.evidence:g} review{'' if found.evidence == 1 else 's'}"
            f"{'; too close to call' if found.too_close else ''}"
        )
    if found.way is not None and reviewed:
        parts.append(" ".join(str(one) for one in found.way.sentences()))
    if found.likely is not None and reviewed:
        parts.append(f"by the model {likely_words(found.likely, found.places)}")
    parts.append(
        Listing(
            headers=("request", "kind", "why", "reviewer", "state", "of 100", "counts"),
            rows=tuple(
                (
                    a.request,
                    a.kind,
                    _why(a),
                    a.reviewer,
                    a.status,
                    None if a.score is None else hundred(a.score),
                    None if a.score is None else a.counts,
                )
                for a in found.asked
            ),
            empty="no review of this applicant yet",
        )
    )
    return parts


def _rank(found: "Explanation") -> str:
    if found.rank is None:
        return "no place yet"
    where = "on the proposed list" if found.in_list else "on the waitlist"
    return f"rank {found.rank}, {where}"


def _why(asked: "PullExplanation") -> str:
    said = _WHY.get(asked.origin, asked.why)
    if asked.decision:
        said += f" (decision {asked.decision}"
        said += "; too close to call then)" if asked.contested_then else ")"
    return said


# Scores


def score_sheets(swapflow: "Swapflow", cycle: str) -> "tuple[ExportSheet, ExportSheet]":
    """Return the reviews as they count now, and every revision of them, to be exported."""
    from swapflow.files.exports.sheets import score_history_sheet, scores_sheet

    scores = swapflow.scores.list(cycle)
    applications = {a.number: a.external_id for a in swapflow.applicants.list(cycle)}
    reviewers = {r.number: r.external_id for r in swapflow.reviewers.list(cycle)}
    kinds = [kind.name for kind in swapflow.cycles.rules(cycle).kinds]
    now = scores_sheet(
        scores,
        applications=applications,
        reviewers=reviewers,
        kinds=kinds,
        remarks=dict(swapflow.scores.remarks(cycle)),
    )
    history = score_history_sheet(
        scores, applications=applications, reviewers=reviewers, kinds=kinds
    )
    return now, history
