"""The method sheet: how a list came about, in words that HR can pass on."""

import math
import re
from collections.abc import Callable

from swapflow.domain.cohort.proposal import MethodSheet, figures_of
from swapflow.domain.cohort.quality_words import MODEL_LIMITS, points_a_place
from swapflow.domain.ids import is_practice_id
from swapflow.i18n.languages import gettext_noop
from swapflow.i18n.translation import translate
from swapflow.messages import Message


NOT_MERIT = gettext_noop("This is about marks, not merit.")

RULE_WORDS = {
    "budget": gettext_noop(
        "Reviews went where they could still change the list, until the budget, the "
        "deadline or the remaining gain said that more would not be worth asking for."
    ),
    "certified": gettext_noop(
        "Reviews went to the applicants that were too close to call, until the stated "
        "margin was reached or the budget or deadline ended it."
    ),
    "paper": gettext_noop(
        "Reviews went to the applicants that were too close to call, by the published method "
        "(Schumann, Counts, Foster and Dickerson, AAMAS 2019), kept to the letter."
    ),
}
_TIES = gettext_noop(
    "Ties are broken by a number drawn from the program's seed and the applicant's id, "
    "which knows nothing else about the applicant."
)
_OBJECTIVES = {
    "top-k": gettext_noop("the highest sum of scores"),
    "diverse": gettext_noop(
        "a sum of scores that also spreads the places over the groups of one attribute"
    ),
}
_PROVEN = (gettext_noop("The number that says how much the list could still gain at most."),)
_JUDGED_ALWAYS = (
    gettext_noop("Who was asked next: the order changes what the marks cost, not what they say."),
    gettext_noop("That several were asked for at once, before the others had answered."),
    gettext_noop("That marks measure what the program is for. No calculation can know that."),
)
_TAKEN_OUT = gettext_noop(
    "The score of each applicant: a model that takes out how high each reviewer marks."
)
_ASSUMED = gettext_noop(
    "How high one kind of review is marked against another: unless enough applicants got "
    "both by chance, which the calibration counts, it is an assumption of the model."
)
"""Said where a list is made with kinds' offsets taken out."""
_OFFSET = re.compile(r"(adjusted_)?offset_\d+$")
_JUDGED = {
    "budget": (
        _TAKEN_OUT,
        gettext_noop("When further reviews were judged not worth their cost."),
    ),
    "certified": (gettext_noop("That an interview is worth the stated number of reviews."),),
    "paper": (gettext_noop("That an interview is worth the stated number of reviews."),),
}
_ENDED = {
    "budget": gettext_noop("The end: nothing more could be paid, whatever was still open."),
    "deadline": gettext_noop("The end: the deadline had come, whatever was still open."),
    "staff": gettext_noop("The end: people ended it, whatever was still open."),
    "exhausted": gettext_noop("The end: no reviewer was left to ask, whatever was still open."),
}
_ASKED = {
    "raw": gettext_noop(
        "People asked that the list is made by marks as they were given: who happened to "
        "read, and how high each kind of review is marked, stays in the scores. The rules "
        "in force say who asked and why."
    ),
    "adjusted": gettext_noop(
        "People asked that the list is made by adjusted estimates: how high each reviewer "
        "marks, and how high each kind of review is marked, is taken out. The means of "
        "the marks as given are shown beside them. The rules in force say who asked and "
        "why."
    ),
}
_CERTIFICATES = {
    "mixture": gettext_noop("a margin that is right at every moment at once"),
    "pairwise": gettext_noop(
        "a comparison of single applicants that is right at every moment at once"
    ),
}


def method_text(sheet: MethodSheet, say: Callable[[str], str] = str) -> str:
    """Return a method sheet as Markdown: plain words first, numbers of the method at the end.

    Args:
        sheet: The method sheet.
        say: Words each sentence; by default in English, as the record, bundles and programs have
            it. The names of the method's settings stay.
    """
    parts = [
        _title(sheet, say),
        _brief(sheet, say),
        _promise(sheet, say),
        _covered(sheet, say),
        _advanced(sheet, say),
    ]
    return "\n\n".join(parts) + "\n"


def method_told(sheet: MethodSheet) -> str:
    """Return a method sheet as Markdown in the reader's language."""
    return method_text(sheet, translate)


def _title(sheet: MethodSheet, say: Callable[[str], str]) -> str:
    return (
        "# "
        + say(gettext_noop("How this list came about"))
        + "\n\n"
        + (say(Message("method_practice")) + "\n\n" if is_practice_id(sheet.cycle_id) else "")
        + say(
            Message("method_program", cycle=_inline(sheet.cycle_id), version=sheet.rules_version)
        )
        + "\n"
        + say(
            gettext_noop(
                "The list follows from the marks that reviewers gave. People decide, and "
                "their decisions are in a file of their own."
            )
        )
        + f"\n{say(NOT_MERIT)}"
    )


def _brief(sheet: MethodSheet, say: Callable[[str], str]) -> str:
    reviews = ", ".join(f"{count} × {_inline(kind)}" for kind, count in sheet.pulls.items())
    objective = _OBJECTIVES.get(sheet.objective, sheet.objective)
    unit = sheet.unit
    spent, budget = sheet.spent, sheet.budget
    lines = [
        Message("method_applicants", count=sheet.cohort_size, applicants=sheet.candidates),
        Message("method_objective", objective=_inline(say(objective))),
        *(Message("method_limit", limit=_inline(say(limit))) for limit in sheet.limits),
        *(
            Message("method_limit_given_way", change=_inline(say(change)))
            for change in sheet.given_way
        ),
        *(_ASKED[asked] for asked in (sheet.estimates,) if asked in _ASKED),
        RULE_WORDS.get(sheet.rule, _inline(sheet.rule)),
        Message("method_scores", scores=reviews)
        if reviews
        else gettext_noop("Scores that count: none."),
        Message(
            "method_spent_and_committed",
            spent=spent,
            budget=budget,
            unit=_inline(say(unit)),
            committed=sheet.committed,
        )
        if sheet.committed
        else Message("method_spent", spent=spent, budget=budget, unit=_inline(say(unit))),
        Message("method_stop", reason=_inline(say(sheet.stop_sentence))),
        *([Message("method_drawn", drawn=_inline(say(sheet.drawn)))] if sheet.drawn else ()),
        _TIES,
    ]
    return (
        "## "
        + say(gettext_noop("In short"))
        + "\n\n"
        + "\n".join(f"- {say(line)}" for line in lines)
    )


def _promise(sheet: MethodSheet, say: Callable[[str], str]) -> str:
    parts = [
        "## " + say(gettext_noop("What is promised, and what is not")),
        _inline(say(sheet.promises)),
    ]
    if math.isfinite(sheet.certified_loss):
        parts.append(say(Message("method_certified_loss", loss=_gain(sheet))))
    else:
        parts.append(
            gettext_noop("How much the list could still gain by further reviews is not known.")
        )
    figures = figures_of(sheet)
    if figures is not None:
        parts += [
            "## " + say(gettext_noop("The model's estimate")),
            say(figures.sentence()),
            say(Message("method_model_promise")),
            say(MODEL_LIMITS),
        ]
    return "\n\n".join(parts)


def _covered(sheet: MethodSheet, say: Callable[[str], str]) -> str:
    """List which parts rest on a proof, and which on judgement."""
    linear = sheet.objective == "top-k"
    # What the rule proved at its stop is about the list by marks as given.
    own = linear and sheet.estimates != "adjusted"
    proven = list(_PROVEN) if linear else []
    if own and sheet.rule == "certified" and sheet.stop_reason == "certified":
        proven.insert(
            0,
            gettext_noop(
                "That this list is within the stated margin, with the stated probability."
            ),
        )
    if own and sheet.rule == "paper" and sheet.stop_reason == "certified":
        proven.insert(
            0,
            gettext_noop(
                "That this list is within the stated margin, as the published theorem has it."
            ),
        )
    judged = [*_JUDGED_ALWAYS, *_JUDGED.get(sheet.rule, ())]
    if sheet.estimates == "raw":
        judged = [line for line in judged if line != _TAKEN_OUT]
    if sheet.estimates == "adjusted" and sheet.rule != "budget":
        judged.append(_TAKEN_OUT)
    if any(value for name, value in sheet.parameters.items() if _OFFSET.match(name)):
        judged.append(_ASSUMED)
    if not linear:
        judged.append(
            gettext_noop(
                "That more reviews would not help: for a list like this there is no proof."
            )
        )
    if sheet.stop_reason in _ENDED:
        judged.append(_ENDED[sheet.stop_reason])
    lines = ["## " + say(gettext_noop("What rests on a proof, and what on judgement"))]
    if proven:
        lines.append(
            say(
                gettext_noop(
                    "Proven, if marks are independent, of the stated spread, and reviewers alike:"
                )
            )
        )
        lines.append("\n".join(f"- {say(line)}" for line in proven))
    else:
        lines.append(say(gettext_noop("Nothing about this list as a whole is proven.")))
    lines.append(say(gettext_noop("Judgement, tried out on data and not proven:")))
    lines.append("\n".join(f"- {say(line)}" for line in judged))
    return "\n\n".join(lines)


def _gain(sheet: MethodSheet) -> Message:
    points = points_a_place(sheet.certified_loss, sheet.cohort_size)
    return Message("method_points", points=points)


def _advanced(sheet: MethodSheet, say: Callable[[str], str]) -> str:
    rows = [
        ("rule", sheet.rule),
        ("objective", sheet.objective),
        ("certificate", _CERTIFICATES.get(sheet.certificate, sheet.certificate)),
        ("stop", sheet.stop_reason),
        ("seed", _seed(sheet)),
        ("decisions", str(sheet.decisions)),
        ("record position", str(sheet.position)),
        ("record fingerprint", sheet.head_hash),
        *(() if sheet.contested is None else (("contested set", str(sheet.contested)),)),
        *((name, f"{value:g}") for name, value in sorted(sheet.parameters.items())),
        *((f"version of {name}", text) for name, text in sorted(sheet.versions.items())),
    ]
    table = "\n".join(f"| {_cell(name)} | {_cell(value)} |" for name, value in rows)
    return "## " + say(gettext_noop("Advanced")) + f"\n\n| setting | value |\n|---|---|\n{table}"


def _seed(sheet: MethodSheet) -> str:
    """Format the seed; before the list is final, the digest of a drawn one."""
    if sheet.seed is not None:
        return str(sheet.seed)
    return f"drawn at the launch, SHA-256 {sheet.seed_digest}"


def _inline(text: str) -> str:
    """Keep text on one line and free of marks that Markdown or a browser would act on."""
    flat = " ".join(text.split())
    return flat.replace("`", "'").replace("<", "&lt;").replace("](", "] (")


def _cell(text: str) -> str:
    return _inline(text).replace("|", "\\|")
