"""A decision card in plain words (HTML, PDF) and for programs (JSON).

The words are in the reader's language; what is on record is translated, what people typed
stays as it is. The JSON is in English.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from swapflow.engine.audit.decision_card import (
    Card,
    CardReconsideration,
    CardReview,
    CardStanding,
)
from swapflow.files.exports.document import DocumentGrid, DocumentPart, PrintedDocument
from swapflow.files.exports.marks_in_words import (
    cut_in_words,
    hundred,
    mark_in_words,
    of_hundred,
    way_in_words,
    withheld_in_words,
)
from swapflow.files.exports.method_sheet import NOT_MERIT, RULE_WORDS
from swapflow.i18n.formatting import counted, date_of, moment
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.i18n.translation import translate


WHY_ASKED = {
    "floor": gettext_noop("the rules promise it"),
    "floor all": gettext_noop("everyone gets it"),
    "floor chosen": gettext_noop("everyone on the proposed list gets it"),
    "floor close": gettext_noop("everyone too close to call gets it"),
    "staff": gettext_noop("staff asked for it"),
    "chance": gettext_noop("drawn near the cut, to compare reviews and interviews"),
    "drawn": gettext_noop("drawn from those clearly out, to be read once more"),
    "appeal": gettext_noop("an appeal"),
    "late": gettext_noop("it came in after its time was over"),
}
_WAITING = frozenset({"queued", "delivered", "opened"})
_VERDICTS = {
    "selected": gettext_noop("selected"),
    "waitlisted": gettext_noop("on the waitlist"),
    "not selected": gettext_noop("not selected"),
}
_OURS = frozenset({gettext_noop("as proposed"), gettext_noop("was promised a place before")})
"""Reasons that nobody typed."""
_INTERVAL = {
    "budget": gettext_noop(
        "The range is the model's: where it expects this applicant's estimate to lie, "
        "given the marks so far. It promises nothing."
    ),
    "certified": gettext_noop(
        "The ranges of all applicants are right at once with the stated probability, "
        "under the stated assumptions (independent marks, a stated spread, comparable "
        "reviewers)."
    ),
}
NO_PROMISE = gettext_noop("Nothing is promised about what more reviews would have changed.")
_PROPOSAL = gettext_noop("The list is for people to decide on.")
_SPREAD = gettext_noop(
    "This list spreads its places over the groups of one attribute, so a higher score alone does "
    "not decide who is on it."
)


def card_json(card: Card) -> bytes:
    """Return a card under stable keys; scores lie between 0 and 1."""
    content = asdict(card) | {"interval": None}
    if card.standing:
        content["interval"] = list(_interval(card.standing))
    return (json.dumps(content, ensure_ascii=False, indent=1, default=_spelled) + "\n").encode()


def card_document(card: Card) -> PrintedDocument:
    """Write out everything on a card in plain words, in the reader's language."""
    return PrintedDocument(
        title=gettext("Decision card"),
        about=f"{card.name or card.applicant} ({card.applicant}), {card.cycle_name}",
        lead=(
            _decision(card),
            f"{gettext(NOT_MERIT)} {gettext(_PROPOSAL)}",
            *withheld_in_words(card.withheld),
        ),
        parts=tuple(card_parts(card)),
        foot=_foot(card),
    )


def _foot(card: Card) -> str:
    if not card.version:
        return gettext("Made %(when)s from program %(program)s; no list is final yet.") % {
            "when": moment(card.at),
            "program": card.cycle,
        }
    return gettext("Made %(when)s from program %(program)s, list version %(version)s.") % {
        "when": moment(card.at),
        "program": card.cycle,
        "version": card.version,
    }


def card_parts(card: Card) -> Iterable[DocumentPart]:
    """Write the parts of a card: decision, reconsiderations, rank, requests, reviews, method."""
    if card.decided:
        yield _decided(card)
    for again in card.reconsidered:
        yield _reconsidered(again)
    yield _standing(card)
    yield _asked(card)
    yield _said(card)
    rule, promise = RULE_WORDS.get(card.rule, ""), card.promise or NO_PROMISE
    yield DocumentPart(
        title=gettext("How the list comes about"),
        text=tuple(translate(text) for text in (rule, card.stop, promise) if text),
        notes=(gettext("The method sheet of the list says more."),),
    )


def _decision(card: Card) -> str:
    if card.decided is None:
        return gettext("Nothing is decided yet; what is written here can still change.")
    verdict = card.decided.verdict
    said = gettext("People decided: %(verdict)s.") % {"verdict": verdict_in_words(verdict)}
    if card.standing is None:
        return said
    more = (
        gettext("That is what was proposed.")
        if card.standing.proposed == (verdict == "selected")
        else gettext("It was proposed otherwise.")
    )
    return f"{said} {more}"


def why_decided(reason: str) -> str:
    """Return the reason of a decision as people read it."""
    # Every decision is recorded with a reason, so only an erased one is empty.
    if not reason:
        return gettext("erased")
    return gettext(reason) if reason in _OURS else reason


def verdict_in_words(verdict: str) -> str:
    """Return a stored decision in the reader's language."""
    return gettext(_VERDICTS.get(verdict, verdict))


def _decided(card: Card) -> DocumentPart:
    made = card.decided
    if made is None:
        raise ValueError("nothing is decided")
    facts = [
        (gettext("Decision"), verdict_in_words(made.verdict)),
        (gettext("Recorded by"), made.recorded_by or gettext("not on record")),
        (gettext("Prepared by"), made.prepared_by or gettext("not on record")),
        (gettext("Signed by"), ", ".join(made.signed_by) or gettext("not signed")),
        (gettext("When"), moment(made.at)),
        (gettext("Reason"), why_decided(made.reason)),
    ]
    return DocumentPart(title=gettext("What was decided"), facts=tuple(facts))


_BOTH_SCORES = gettext_noop(
    "New reviews come from reviewers who never had this applicant. Both scores are "
    "computed in the same way, from every review that counts."
)
RESULTS = {
    "": gettext_noop("still open"),
    "added": gettext_noop("added to the list"),
    "waitlisted": gettext_noop("put on the waitlist"),
    "stays": gettext_noop("stays as it was"),
    "withdrawn": gettext_noop("withdrawn before it was decided"),
    "undone": gettext_noop("undone before anyone was told"),
}


def _reconsidered(again: CardReconsideration) -> DocumentPart:
    facts = [
        (gettext("Asked for on"), date_of(again.asked_on)),
        (gettext("Reason"), again.reason or gettext("erased")),
        (gettext("Outcome"), gettext(RESULTS.get(again.result, again.result))),
    ]
    if again.at is not None:
        facts.append((gettext("Concluded"), moment(again.at)))
    if again.after is not None:
        facts += [
            (
                gettext("New reviews"),
                gettext("%(fresh)s of %(asked)s") % {"fresh": again.fresh, "asked": again.reviews},
            ),
            (
                gettext("Score before"),
                gettext("none") if again.before is None else hundred(again.before),
            ),
            (gettext("Score with all reviews"), hundred(again.after)),
        ]
    title = gettext("Reconsidered after the list was final")
    return DocumentPart(title=title, facts=tuple(facts), notes=(gettext(_BOTH_SCORES),))


_MADE_BY = {
    "raw": gettext_noop("marks as they were given, which people asked for"),
    "adjusted": gettext_noop(
        "adjusted estimates, which people asked for: how high reviewers mark, and how "
        "high reviews and interviews are marked, is taken out"
    ),
}


def _standing(card: Card) -> DocumentPart:
    title = gettext("Rank of the applicant")
    standing = card.standing
    if standing is None:
        said = gettext("On no list: the applicant is %(status)s.")
        return DocumentPart(title=title, text=(said % {"status": gettext(card.status)},))
    low, high = _interval(standing)
    facts = [
        (
            gettext("Place"),
            gettext("%(rank)s of %(candidates)s, for %(places)s places")
            % {
                "rank": standing.rank,
                "candidates": standing.candidates,
                "places": standing.places,
            },
        ),
        (
            gettext("Proposed"),
            gettext("on the list") if standing.proposed else gettext("on the waitlist"),
        ),
        *way_in_words(standing),
        (gettext("Score"), of_hundred(standing.estimate)),
        *_by_both(standing),
        (
            gettext("Interval"),
            gettext("%(low)s to %(high)s") % {"low": hundred(low), "high": hundred(high)},
        ),
        (gettext("Rests on"), _evidence(standing.evidence)),
        (gettext("Distance to the cut"), cut_in_words(standing)),
        (
            gettext("Too close to call"),
            gettext("yes: another review could still change the list here")
            if standing.too_close
            else gettext("no: another review was not expected to change the list here"),
        ),
    ]
    if standing.tied:
        tie = gettext("several have this score; a lot drawn from the seed decided")
        facts.append((gettext("Tie"), tie))
    notes = [gettext(_INTERVAL.get(card.rule, ""))]
    if card.objective == "diverse":
        notes.append(gettext(_SPREAD))
    told = standing.way.sentences() if standing.way else ()
    return DocumentPart(
        title=title,
        text=tuple(translate(sentence) for sentence in told),
        facts=tuple(facts),
        notes=tuple(filter(None, notes)),
    )


def _evidence(reviews: float) -> str:
    """Return how many reviews an estimate rests on; a pull may count as part of one."""
    if reviews.is_integer():
        return counted(int(reviews), "%(count)s review", "%(count)s reviews")
    return gettext("%(reviews)s reviews") % {"reviews": f"{reviews:g}"}


def _by_both(standing: CardStanding) -> Iterable[tuple[str, str]]:
    """Raw and adjusted, where people asked for either."""
    if standing.estimates not in _MADE_BY:
        return
    yield gettext("Made by"), gettext(_MADE_BY[standing.estimates])
    if standing.mean is not None:
        yield gettext("Mean of the marks as given"), of_hundred(standing.mean)
    if standing.raw is not None and standing.adjusted is not None:
        yield gettext("Raw estimate"), of_hundred(standing.raw)
        yield gettext("Adjusted estimate"), of_hundred(standing.adjusted)


def _asked(card: Card) -> DocumentPart:
    rows = tuple(
        (
            f"{review.kind} {number}",
            reason_in_words(review),
            gettext("decision %(number)s") % {"number": review.decision}
            if review.decision
            else "–",
            _status(review),
        )
        for number, review in enumerate(card.reviews, start=1)
    )
    title = gettext("Why each review was asked for")
    if not rows:
        return DocumentPart(title=title, text=(gettext("No review of this applicant yet."),))
    headers = (
        gettext("Review"),
        gettext("Why it was asked for"),
        gettext("By"),
        gettext("What became of it"),
    )
    grid = DocumentGrid(caption=gettext("Every review, in order"), headers=headers, rows=rows)
    return DocumentPart(title=title, grids=(grid,))


def reason_in_words(review: CardReview) -> str:
    """Return why a review was asked for, in the reader's language."""
    if review.why != "rule":
        return gettext(WHY_ASKED.get(review.origin, review.why))
    if review.close_then:
        return (
            gettext("the applicant was on the proposed list then, too close to call")
            if review.in_list_then
            else gettext("the applicant was not on the proposed list then, too close to call")
        )
    if review.in_list_then:
        return gettext(
            "the applicant was on the proposed list then, and another review was worth its cost"
        )
    return gettext(
        "the applicant was not on the proposed list then, and another review was worth its cost"
    )


def _status(review: CardReview) -> str:
    if review.score is None:
        waits = review.status in _WAITING
        return gettext("not answered yet") if waits else gettext(review.status)
    if review.counts:
        return gettext("counts")
    why = translate(review.reason) or gettext("see the record")
    return gettext("does not count: %(why)s") % {"why": why}


def _said(card: Card) -> DocumentPart:
    answered = [
        (number, review)
        for number, review in enumerate(card.reviews, start=1)
        if review.score is not None
    ]
    if not answered:
        return DocumentPart(
            title=gettext("What reviewers said"), text=(gettext("No review has come in."),)
        )
    grids = [
        DocumentGrid(
            caption=gettext("The scores"),
            headers=(gettext("Review"), gettext("By"), gettext("Of 100"), gettext("When")),
            rows=tuple(
                (
                    f"{review.kind} {number}",
                    gettext("reviewer %(who)s") % {"who": review.reviewer},
                    hundred(review.score or 0.0),
                    moment(review.answered_at) if review.answered_at else "–",
                )
                for number, review in answered
            ),
        )
    ]
    grids += [_marks(number, review) for number, review in answered if review.marks]
    remarks = tuple(
        (gettext("Remark of %(review)s") % {"review": f"{review.kind} {number}"}, review.remark)
        for number, review in answered
        if review.remark
    )
    return DocumentPart(
        title=gettext("What reviewers said"),
        facts=remarks,
        grids=tuple(grids),
        notes=(gettext("Reviewers are numbers here."),) if _numbered(card) else (),
    )


def _marks(number: int, review: CardReview) -> DocumentGrid:
    return DocumentGrid(
        caption=gettext("Marks of %(review)s") % {"review": f"{review.kind} {number}"},
        headers=(gettext("Criterion"), gettext("Mark"), gettext("What it means")),
        rows=tuple(
            (mark.criterion, mark_in_words(mark), mark.meaning or "–") for mark in review.marks
        ),
    )


def _numbered(card: Card) -> bool:
    return all(review.reviewer.isdigit() for review in card.reviews)


def _interval(standing: CardStanding) -> tuple[float, float]:
    return (
        max(0.0, standing.estimate - standing.margin),
        min(1.0, standing.estimate + standing.margin),
    )


def _spelled(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
