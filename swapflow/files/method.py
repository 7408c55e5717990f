"""The method sheet: how a list came about, in words that HR can pass on."""

import math

from swapflow.domain.cohort import MethodSheet


NOT_MERIT = "This is about marks, not merit."

RULE_WORDS = {
    "budget": "Reviews went where they could still change the list, until the budget, the "
    "deadline or the remaining gain said that more would not be worth asking for.",
    "certified": "Reviews went to the applicants that were too close to call, until the stated "
    "margin was reached or the budget or deadline ended it.",
    "paper": "Reviews went to the applicants that were too close to call, by the published method "
    "(Schumann, Counts, Foster and Dickerson, AAMAS 2019), kept to the letter.",
}
_TIES = (
    "Ties are broken by a number drawn from the program's seed and the applicant's id, "
    "which knows nothing else about the applicant."
)
_OBJECTIVES = {
    "top-k": "the highest sum of scores",
    "diverse": "a sum of scores that also spreads the places over the groups of one attribute",
}
_CERTIFICATES = {
    "mixture": "a margin that holds at every moment at once",
    "pairwise": "a comparison of single applicants that holds at every moment at once",
}


def method_text(sheet: MethodSheet) -> str:
    """Spell a method sheet as Markdown: plain words first, numbers of the method at the end."""
    return "\n\n".join([_title(sheet), _brief(sheet), _promise(sheet), _advanced(sheet)]) + "\n"


def _title(sheet: MethodSheet) -> str:
    return (
        f"# How this list came about\n\n"
        f"Program `{_inline(sheet.cycle_id)}`, rules version {sheet.rules_version}.\n"
        f"The list is a proposal that follows from the marks reviewers gave. "
        f"People decide, and their decisions stand in a file of their own.\n"
        f"{NOT_MERIT}"
    )


def _brief(sheet: MethodSheet) -> str:
    reviews = ", ".join(f"{count} × {_inline(kind)}" for kind, count in sheet.pulls.items())
    objective = _OBJECTIVES.get(sheet.objective, sheet.objective)
    unit = sheet.unit
    places = "place" if sheet.cohort_size == 1 else "places"
    lines = [
        f"- Applicants: {sheet.candidates}, for {sheet.cohort_size} {places}.",
        f"- The list is chosen for {_inline(objective)}.",
        f"- {RULE_WORDS.get(sheet.rule, _inline(sheet.rule))}",
        f"- Scores that count: {reviews or 'none'}.",
        f"- Spent: {sheet.spent} of {sheet.budget} {_inline(unit)}"
        + (
            f"; {sheet.committed} more were set aside for open requests."
            if sheet.committed
            else "."
        ),
        f"- Why no more was asked for: {_inline(sheet.stop_sentence)}",
        f"- {_TIES}",
    ]
    return "## In short\n\n" + "\n".join(lines)


def _promise(sheet: MethodSheet) -> str:
    parts = ["## What is promised, and what is not", _inline(sheet.promises)]
    if math.isfinite(sheet.certified_loss):
        parts.append(
            f"Most the list could still gain by further reviews: {_gain(sheet.certified_loss)}, "
            "under the stated assumptions (independent marks, a stated spread, comparable "
            "reviewers)."
        )
    else:
        parts.append("How much the list could still gain by further reviews is not known.")
    if sheet.expected_loss is not None and math.isfinite(sheet.expected_loss):
        parts.append("## The model's estimate")
        parts.append(
            f"By the model's estimate the list falls short by {_gain(sheet.expected_loss)}. "
            "It is an estimate without a promise and tends to be too low."
        )
    return "\n\n".join(parts)


def _gain(loss: float) -> str:
    return f"{100 * loss:.1f} points in all (one applicant's full score is 100)"


def _advanced(sheet: MethodSheet) -> str:
    rows = [
        ("rule", sheet.rule),
        ("objective", sheet.objective),
        ("certificate", _CERTIFICATES.get(sheet.certificate, sheet.certificate)),
        ("stop", sheet.stop_reason),
        ("seed", str(sheet.seed)),
        ("decisions", str(sheet.decisions)),
        ("record position", str(sheet.position)),
        ("record fingerprint", sheet.head_hash),
        *((name, f"{value:g}") for name, value in sorted(sheet.parameters.items())),
        *((f"version of {name}", text) for name, text in sorted(sheet.versions.items())),
    ]
    table = "\n".join(f"| {_cell(name)} | {_cell(value)} |" for name, value in rows)
    return f"## Advanced\n\n| setting | value |\n|---|---|\n{table}"


def _inline(text: str) -> str:
    """Keep text on one line and free of marks that Markdown or a browser would act on."""
    flat = " ".join(text.split())
    return flat.replace("`", "'").replace("<", "&lt;").replace("](", "] (")


def _cell(text: str) -> str:
    return _inline(text).replace("|", "\\|")
