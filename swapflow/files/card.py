"""A decision card in plain words (HTML, PDF) and for programs (JSON)."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from swapflow.engine.card import Card, CardReconsideration, CardReview, CardStanding
from swapflow.files.document import Document, Grid, Part
from swapflow.files.method import NOT_MERIT, RULE_WORDS


_WHY = {
    "floor": "everyone gets it",
    "staff": "staff asked for it",
    "chance": "drawn near the cut, so that kinds can be compared",
    "appeal": "an appeal",
    "late": "it came in after its time was over",
}
_WAITING = frozenset({"queued", "delivered", "opened"})
_VERDICTS = {
    "selected": "selected",
    "waitlisted": "on the waitlist",
    "not selected": "not selected",
}
_INTERVAL = {
    "budget": "The interval is the model's: where it expects this applicant's score to lie, given "
    "the marks so far. It promises nothing.",
    "certified": "The intervals of all applicants hold at once with the stated probability, under "
    "the stated assumptions (independent marks, a stated spread, comparable reviewers).",
}
_NO_PROMISE = "Nothing is promised about what more reviews would have changed."
_SPREAD = (
    "This list spreads its places over the groups of one attribute, so a higher score alone does "
    "not decide who is on it."
)


def card_json(card: Card) -> bytes:
    """Give a card under stable keys; scores lie between 0 and 1."""
    content = asdict(card) | {"interval": None}
    if card.standing:
        content["interval"] = list(_interval(card.standing))
    return (json.dumps(content, ensure_ascii=False, indent=1, default=_spelled) + "\n").encode()


def card_document(card: Card) -> Document:
    """Say everything on a card in plain words."""
    return Document(
        title="Decision card",
        about=f"{card.name or card.applicant} ({card.applicant}), {card.cycle_name}",
        lead=(_decision(card), NOT_MERIT + " The list is a proposal; people decide."),
        parts=tuple(_parts(card)),
        foot=(
            f"Made {_moment(card.at)} from program {card.cycle}"
            + (f", list version {card.version}." if card.version else "; no list is fixed yet.")
        ),
    )


def _parts(card: Card) -> Iterable[Part]:
    if card.decided:
        yield _decided(card)
    for again in card.reconsidered:
        yield _reconsidered(again)
    yield _standing(card)
    yield _asked(card)
    yield _said(card)
    yield Part(
        title="How such a list comes about",
        text=tuple(
            text
            for text in (RULE_WORDS.get(card.rule, ""), card.stop, card.promise or _NO_PROMISE)
            if text
        ),
        notes=("The method sheet of the list says more.",),
    )


def _decision(card: Card) -> str:
    if card.decided is None:
        return "Nothing is decided yet; what stands here can still change."
    said = f"People decided: {_VERDICTS.get(card.decided.verdict, card.decided.verdict)}."
    if card.standing is None:
        return said
    as_proposed = card.standing.proposed == (card.decided.verdict == "selected")
    return said + (" That is what was proposed." if as_proposed else " It was proposed otherwise.")


def _decided(card: Card) -> Part:
    made = card.decided
    if made is None:
        raise ValueError("nothing is decided")
    facts = [
        ("Decision", _VERDICTS.get(made.verdict, made.verdict)),
        ("Decided by", made.by),
        ("Signed by", ", ".join(made.signed_by) or "nobody"),
        ("When", _moment(made.at)),
        ("Reason", made.reason or "erased"),
    ]
    return Part(title="What was decided", facts=tuple(facts))


_BOTH_SCORES = (
    "Fresh reviews come from people who never had this application. Both scores are computed in "
    "the same way, from every review that counts."
)
_RESULTS = {
    "": "still open",
    "added": "added to the list",
    "waitlisted": "put on the waitlist",
    "stays": "stays as it was",
    "withdrawn": "taken back before it was decided",
    "undone": "undone before anybody was told",
}


def _reconsidered(again: CardReconsideration) -> Part:
    facts = [
        ("Asked for on", again.asked_on.isoformat()),
        ("Reason", again.reason or "erased"),
        ("Outcome", _RESULTS.get(again.result, again.result)),
    ]
    if again.at is not None:
        facts.append(("Concluded", _moment(again.at)))
    if again.after is not None:
        facts += [
            ("Fresh reviews", f"{again.fresh} of {again.reviews}"),
            ("Score before", "none" if again.before is None else f"{100 * again.before:.1f}"),
            ("Score with all reviews", f"{100 * again.after:.1f}"),
        ]
    title = "Reconsidered after the list was fixed"
    return Part(title=title, facts=tuple(facts), notes=(_BOTH_SCORES,))


_MADE_BY = {
    "raw": "marks as they were given, which people asked for",
    "adjusted": "adjusted estimates, which people asked for: severity of reviewers and generosity "
    "of kinds are taken out",
}


def _standing(card: Card) -> Part:
    title = "Where the applicant stands"
    standing = card.standing
    if standing is None:
        return Part(title=title, text=(f"On no list: the application is {card.status}.",))
    low, high = _interval(standing)
    facts = [
        ("Place", f"{standing.rank} of {standing.candidates}, for {standing.places} places"),
        ("Proposed", "on the list" if standing.proposed else "on the waitlist"),
        ("Score", f"{_hundred(standing.estimate)} of 100"),
        *_by_both(standing),
        ("Interval", f"{_hundred(low)} to {_hundred(high)}"),
        ("Rests on", f"{standing.evidence:g} {'review' if standing.evidence == 1 else 'reviews'}"),
        ("Distance to the cut", _cut(standing)),
        (
            "Too close to call",
            "yes: another review could still change the list here"
            if standing.too_close
            else "no: another review was not expected to change the list here",
        ),
    ]
    if standing.tied:
        facts.append(("Tie", "several have this score; a lot drawn from the seed decided"))
    notes = [_INTERVAL.get(card.rule, "")]
    if card.objective == "diverse":
        notes.append(_SPREAD)
    return Part(title=title, facts=tuple(facts), notes=tuple(filter(None, notes)))


def _by_both(standing: CardStanding) -> Iterable[tuple[str, str]]:
    """Raw and adjusted, where people asked for either."""
    if standing.estimates not in _MADE_BY:
        return
    yield "Made by", _MADE_BY[standing.estimates]
    if standing.mean is not None:
        yield "Mean of the marks as given", f"{_hundred(standing.mean)} of 100"
    if standing.raw is not None and standing.adjusted is not None:
        yield "Raw estimate", f"{_hundred(standing.raw)} of 100"
        yield "Adjusted estimate", f"{_hundred(standing.adjusted)} of 100"


def _cut(standing: CardStanding) -> str:
    if standing.cut is None:
        return "there is no cut: everybody has a place"
    apart = standing.estimate - standing.cut
    points = f"{_hundred(abs(apart))} points {'above' if apart >= 0 else 'below'} "
    return points + (
        "the first who was not proposed" if standing.proposed else "the last who was proposed"
    )


def _asked(card: Card) -> Part:
    rows = tuple(
        (
            f"{review.kind} {number}",
            _reason(review),
            f"decision {review.decision}" if review.decision else "–",
            _status(review),
        )
        for number, review in enumerate(card.reviews, start=1)
    )
    text = () if rows else ("Nobody was asked about this applicant.",)
    headers = ("Request", "Why it was asked for", "By", "What became of it")
    grids = (Grid(caption="Every request, in order", headers=headers, rows=rows),) if rows else ()
    return Part(title="Why each review was asked for", text=text, grids=grids)


def _reason(review: CardReview) -> str:
    if review.why != "rule":
        return _WHY.get(review.why, review.why)
    where = "on the proposed list" if review.in_list_then else "not on the proposed list"
    if review.close_then:
        return f"the applicant was {where} then, too close to call"
    return f"the applicant was {where} then, and another review was worth its cost"


def _status(review: CardReview) -> str:
    if review.score is not None:
        return (
            "counts" if review.counts else f"does not count: {review.reason or 'see the record'}"
        )
    return "not answered yet" if review.status in _WAITING else review.status


def _said(card: Card) -> Part:
    answered = [
        (number, review)
        for number, review in enumerate(card.reviews, start=1)
        if review.score is not None
    ]
    if not answered:
        return Part(title="What reviewers said", text=("No review has come in.",))
    grids = [
        Grid(
            caption="The scores",
            headers=("Review", "By", "Of 100", "When"),
            rows=tuple(
                (
                    f"{review.kind} {number}",
                    f"reviewer {review.reviewer}",
                    _hundred(review.score or 0.0),
                    _moment(review.answered_at) if review.answered_at else "–",
                )
                for number, review in answered
            ),
        )
    ]
    grids += [_marks(number, review) for number, review in answered if review.marks]
    remarks = tuple(
        (f"Remark of {review.kind} {number}", review.remark)
        for number, review in answered
        if review.remark
    )
    return Part(
        title="What reviewers said",
        facts=remarks,
        grids=tuple(grids),
        notes=("Reviewers are numbers on this card.",) if _numbered(card) else (),
    )


def _marks(number: int, review: CardReview) -> Grid:
    return Grid(
        caption=f"Marks of {review.kind} {number}",
        headers=("Criterion", "Mark", "What it means"),
        rows=tuple(
            (
                mark.criterion,
                "not applicable"
                if mark.mark is None
                else f"{mark.mark:g}" + (f" of {mark.most:g}" if mark.most is not None else ""),
                mark.meaning or "–",
            )
            for mark in review.marks
        ),
    )


def _numbered(card: Card) -> bool:
    return all(review.reviewer.isdigit() for review in card.reviews)


def _interval(standing: CardStanding) -> tuple[float, float]:
    return (
        max(0.0, standing.estimate - standing.margin),
        min(1.0, standing.estimate + standing.margin),
    )


def _hundred(utility: float) -> str:
    return f"{100 * utility:.1f}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _spelled(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
