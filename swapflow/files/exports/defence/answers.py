"""The questions of a written appeal, each with its answer from the record.

The answers are in the reader's language. They speak of the applicant and to anybody who has to
judge the appeal; what people typed stays as it is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from swapflow.domain.rules import FloorFor, Rules
from swapflow.engine.audit.decision_card import CardStanding
from swapflow.engine.audit.defended_decision import RULE_CLOSE, ApplicantDefence, DefendedOutcome
from swapflow.files.exports.decision_card import (
    reason_in_words,
    verdict_in_words,
    why_decided,
)
from swapflow.files.exports.document import DocumentPart
from swapflow.files.exports.marks_in_words import hundred, of_hundred
from swapflow.i18n.formatting import counted, moment
from swapflow.i18n.languages import gettext, gettext_noop
from swapflow.i18n.translation import translate


QUESTIONS = (
    gettext_noop("Why did I get fewer reviews than others, or more?"),
    gettext_noop("Who decided?"),
    gettext_noop("Was I compared fairly?"),
    gettext_noop("What would have changed it?"),
)
"""What a written appeal asks, in the order in which the file answers."""


def answers(made: ApplicantDefence) -> Iterator[DocumentPart]:
    """Answer each question in a part of its own."""
    for question, answer in zip(QUESTIONS, (_reviews, _who, _fairly, _otherwise), strict=True):
        yield DocumentPart(title=gettext(question), text=tuple(answer(made)))


def floors_in_words(rules: Rules) -> str:
    """Return what the rules promise to everyone, such as "2 × review"; "" for nothing."""
    return ", ".join(
        f"{floor.count} × {floor.kind}" for floor in rules.floors if floor.who is FloorFor.ALL
    )


def _reviews(made: ApplicantDefence) -> Iterator[str]:
    program, own = made.program, made.outcome
    if own is None:
        yield gettext("The applicant was on no list, so no review decided anything.")
        return
    zones = [zone for zone in program.zones if zone.applicants]
    everyone, reviews = len(program.outcomes), sum(zone.reviews for zone in zones)
    yield (
        counted(
            own.reviews,
            "%(count)s review of this applicant counts.",
            "%(count)s reviews of this applicant count.",
        )
        + " "
        + gettext(
            "In this program applicants have %(fewest)s to %(most)s reviews, %(mean)s on average."
        )
        % {
            "fewest": min(zone.fewest for zone in zones),
            "most": max(zone.most for zone in zones),
            "mean": f"{reviews / everyone:.1f}",
        }
    )
    floors = floors_in_words(program.first)
    yield (
        gettext(
            "The number of reviews is not the same for all, and the rules said so before the "
            "first review: everyone gets %(floors)s, and further ones go where they can still "
            "change who has a place."
        )
        % {"floors": floors}
        if floors
        else gettext("The rules promise no number of reviews that everyone gets.")
    )
    why = Counter(reason_in_words(one) for one in made.card.reviews if one.counts)
    if why:
        yield gettext("Why these reviews were asked for: %(why)s.") % {
            "why": "; ".join(f"{count} × {reason}" for reason, count in why.items())
        }
    yield _why_no_more(made, own)
    if made.more_reviews:
        yield gettext(
            "%(more)s of %(all)s applicants had more reviews; %(close)s of them are too close to "
            "call on this list."
        ) % {"more": made.more_reviews, "all": everyone, "close": made.more_close}
    close = sum(zone.asked.get(RULE_CLOSE, 0) for zone in zones)
    if by_rule := close + sum(zone.asked.get("rule", 0) for zone in zones):
        yield gettext(
            "Of all %(rule)s further reviews that the rule asked for, %(close)s were about "
            "applicants who were too close to call at that moment."
        ) % {"rule": by_rule, "close": close}
    yield gettext(
        "More reviews make an estimate surer; they are no favour. Few marks leave "
        "it nearer to the program's average: an applicant with marks above the average has a "
        "somewhat lower estimate from 2 reviews than from 5 that say the same, and one below the "
        "average a somewhat higher one. By how much here is said under the third question."
    )


def _why_no_more(made: ApplicantDefence, own: DefendedOutcome) -> str:
    ended = translate(made.program.sheet.stop_sentence)
    if own.zone == "close":
        return gettext(
            "On the list the applicant is too close to call: another review could still have "
            "changed something. None was asked for because asking had ended: %(why)s For that "
            "reason the marks alone did not decide here, and people had to."
        ) % {"why": ended}
    standing = made.card.standing
    far = hundred(abs(standing.estimate - standing.cut)) if standing and standing.cut else ""
    if not far:
        return gettext("No further review was asked for: asking had ended. %(why)s") % {
            "why": ended
        }
    words = (
        gettext(
            "No further review was asked for: with the estimate %(far)s points above the cut and "
            "the marks that had come, another one was not expected to take the place away. Asking "
            "ended for the whole program: %(why)s"
        )
        if own.proposed
        else gettext(
            "No further review was asked for: with the estimate %(far)s points below the cut and "
            "the marks that had come, another one was not expected to bring a place. Asking ended "
            "for the whole program: %(why)s"
        )
    )
    return words % {"far": far, "why": ended}


def _who(made: ApplicantDefence) -> Iterator[str]:
    own, decided = made.outcome, made.card.decided
    if own is None or decided is None:
        yield gettext("No decision about this applicant is on record.")
        return
    yield gettext(
        "People did: %(verdict)s. The program only proposed a list from the marks, and on it the "
        "applicant was %(proposed)s."
    ) % {
        "verdict": verdict_in_words(own.verdict),
        "proposed": gettext("on the list") if own.proposed else gettext("on the waitlist"),
    }
    if own.overridden:
        yield gettext("People decided otherwise than was proposed.")
    yield gettext(
        "Recorded by %(who)s, %(when)s. Prepared by %(prepared)s. Signed by %(signed)s."
    ) % {
        "who": own.by or gettext("not on record"),
        "when": moment(own.at),
        "prepared": own.prepared_by or gettext("not on record"),
        "signed": ", ".join(made.program.signed) or gettext("not signed"),
    }
    if own.together > 1:
        yield gettext("One act decided %(count)s applicants, with one reason for all of them.") % {
            "count": own.together
        }
    yield gettext("Reason on record: %(reason)s.") % {
        "reason": why_decided(own.reason).rstrip(".")
    }
    yield _opened(made, own)


def _opened(made: ApplicantDefence, own: DefendedOutcome) -> str:
    if own.opened_at is not None:
        words = (
            gettext("Before that, %(when)s, the meeting opened the file (%(who)s).")
            if own.opened_at <= own.at
            else gettext("The meeting opened the file only after that, %(when)s (%(who)s).")
        )
        return words % {"when": moment(own.opened_at), "who": own.opened_by}
    said = (
        gettext("That the meeting opened the file is not on record.")
        if made.program.met
        else gettext(
            "No meeting is on record, so it is not on record either whether the file was opened "
            "again for the decision. The reviewers had read it."
        )
    )
    taken = next((one for one in made.program.taken_on if one.zone == own.zone), None)
    if own.zone_by and taken is not None:
        said += " " + gettext(
            "%(who)s took on the whole zone that the applicant is in, %(count)s applicants clear "
            "of the cut, of whose files the meeting had opened %(opened)s. All of them have that "
            "reason."
        ) % {"who": own.zone_by, "count": taken.applicants, "opened": taken.opened}
    return said


def _fairly(made: ApplicantDefence) -> Iterator[str]:
    rules, standing = made.program.rules, made.card.standing
    for rubric in rules.rubrics:
        yield gettext("Every applicant was marked by the same form (%(kind)s): %(criteria)s.") % {
            "kind": rubric.kind,
            "criteria": ", ".join(f"{one.name} × {one.weight:g}" for one in rubric.criteria),
        }
    yield (
        gettext("Reviewers did not see who the applicant is.")
        if rules.blind
        else gettext("Reviewers saw who the applicant is: the rules do not hide it.")
    )
    yield gettext(
        "The rule chose the reviewers among those with time, without a conflict of interest and "
        "without an earlier review of this applicant; it knows them by number."
    )
    yield (
        gettext(
            "Some reviewers mark higher than others. How high each of them marks is estimated "
            "from all their marks and taken out of the estimates, for all applicants in the same "
            "way."
        )
        if rules.takes_out[0]
        else gettext(
            "How high a reviewer marks is not taken out: the list is made by marks as they were "
            "given, for all applicants in the same way."
        )
    )
    yield _attributes(rules)
    if standing is not None:
        yield from _compared(standing)


def _attributes(rules: Rules) -> str:
    if rules.attributes:
        return gettext(
            "Besides the marks the list looks at these attributes, which the rules name: "
            "%(attributes)s. What applicants declare for statistics is kept apart, and nothing "
            "that decides can read it."
        ) % {"attributes": ", ".join(rules.attributes)}
    return gettext(
        "The list is made by the marks alone. No attribute of a person enters it; what applicants "
        "declare for statistics is kept apart, and nothing that decides can read it."
    )


def _compared(standing: CardStanding) -> Iterator[str]:
    way = standing.way
    if way is not None:
        yield " ".join(translate(sentence) for sentence in way.sentences())
    yield gettext(
        "With that the applicant has rank %(rank)s of %(all)s, for %(places)s places: estimate "
        "%(estimate)s, give or take %(margin)s points."
    ) % {
        "rank": standing.rank,
        "all": standing.candidates,
        "places": standing.places,
        "estimate": of_hundred(standing.estimate),
        "margin": hundred(standing.margin),
    }
    if standing.cut is not None:
        yield (
            gettext("The first applicant who is not on the proposed list has %(cut)s.")
            if standing.proposed
            else gettext("The last applicant on the proposed list has %(cut)s.")
        ) % {"cut": hundred(standing.cut)}
    if standing.cut is not None and way is not None:
        yield gettext(
            "Without any of these steps, the plain average of the marks is %(mean)s: %(compared)s."
        ) % {"mean": of_hundred(way.mean), "compared": _beside(way.mean, standing.cut)}
    if standing.tied:
        yield gettext(
            "Several applicants have this estimate. A number drawn at the launch decided between "
            "them; it knows nothing about them."
        )


def _beside(mean: float, cut: float) -> str:
    """Return how an average compares with the estimate on the other side of the cut."""
    if hundred(mean) == hundred(cut):
        return gettext("the same as that")
    return gettext("above that") if mean > cut else gettext("below that")


def _otherwise(made: ApplicantDefence) -> Iterator[str]:
    own, standing = made.outcome, made.card.standing
    if own is not None and own.overridden:
        yield gettext(
            "Another decision of people: by the marks alone the applicant would have been "
            "%(proposed)s. Their reason is under the second question."
        ) % {"proposed": gettext("on the list") if own.proposed else gettext("on the waitlist")}
    if standing is not None and standing.cut is not None:
        yield from _other_marks(made, standing)
    yield _asking_again(made)


def _other_marks(made: ApplicantDefence, standing: CardStanding) -> Iterator[str]:
    far = hundred(abs(standing.estimate - standing.cut)) if standing.cut is not None else ""
    yield (
        gettext(
            "By the marks: the estimate is %(far)s points above the first who is not on the list."
        )
        if standing.proposed
        else gettext("By the marks: the estimate is %(far)s points below the last on the list.")
    ) % {"far": far}
    way = standing.way
    if made.needed is not None and way is not None:
        needed = 100 * way.mean + (-made.needed if standing.proposed else made.needed)
        words = (
            gettext(
                "With all other marks as they are, an average of the applicant's own marks about "
                "%(needed)s points lower would have taken it off the proposed list."
            )
            if standing.proposed
            else gettext(
                "With all other marks as they are, an average of the applicant's own marks about "
                "%(needed)s points higher would have brought it onto the proposed list."
            )
        )
        yield words % {"needed": made.needed}
        if not 0 <= needed <= 100:  # noqa: PLR2004 - the ends of the scale
            yield gettext(
                "The form has no marks that high or low, so no marks of these reviews alone would."
            )
    if _is_close(made):
        yield gettext(
            "That is within the margin. Between applicants so close the marks do not decide, and "
            "the committee's reason does."
        )
    elif way is not None and not standing.proposed and standing.cut is not None:
        yield (
            gettext(
                "Further reviews that say the same on average could have changed it: the plain "
                "average of the marks is above the cut."
            )
            if way.mean > standing.cut
            else gettext(
                "Further reviews that say the same on average would not have changed it: the "
                "plain average of the marks is below the cut as well."
            )
        )


def _is_close(made: ApplicantDefence) -> bool:
    return made.outcome is not None and made.outcome.zone == "close"


def _asking_again(made: ApplicantDefence) -> str:
    asked = made.program.reconsidered
    upheld = sum(one.upheld is True for one in asked)
    refused = sum(one.upheld is False for one in asked)
    may = gettext(
        "The decision can be reconsidered when the applicant asks: reviewers who never had this "
        "applicant mark the file anew, every review that counts enters both estimates, and people "
        "decide again."
    )
    if not asked:
        so_far = gettext("In this program no one has asked for it.")
    else:
        so_far = gettext(
            "Asked for in this program so far: %(asked)s; the list was changed: %(upheld)s; it "
            "was kept: %(refused)s."
        ) % {"asked": len(asked), "upheld": upheld, "refused": refused}
    return f"{may} {so_far}"


def overridden(outcomes: Iterable[DefendedOutcome]) -> int:
    """Count the outcomes in which people decided otherwise than was proposed."""
    return sum(one.overridden for one in outcomes)
