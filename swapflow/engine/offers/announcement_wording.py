"""The wording of letters to applicants: the usual texts, and checks of typed ones."""

import re

from swapflow.domain.cohort.announcement import (
    Group,
    Wording,
)
from swapflow.errors import InvalidInputError
from swapflow.i18n.languages import gettext, writing_in


LONGEST_SUBJECT, LONGEST_TEXT = 200, 10_000


_PLACES = frozenset({"name", "program", "until"})


_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


_BRACES = re.compile(r"\{([^{}]*)\}")


def usual_wording(language: str = "") -> dict[Group, Wording]:
    """Return usual texts in a program's language; "" for the deployment's."""
    with writing_in(language):
        return _usual_wording()


def _usual_wording() -> dict[Group, Wording]:
    hello = gettext("Dear {name},")
    return {
        Group.OFFERED: Wording(
            subject=gettext("A place for you: {program}"),
            text="\n\n".join(
                (
                    hello,
                    gettext("We are glad to offer you a place in {program}."),
                    gettext("Please let us know by {until} whether you accept it."),
                )
            ),
        ),
        Group.WAITLISTED: Wording(
            subject=gettext("Your application to {program}"),
            text="\n\n".join(
                (
                    hello,
                    gettext(
                        "All places in {program} are offered to others at the moment. You are on "
                        "the waitlist: we write to you as soon as a place is free for you."
                    ),
                )
            ),
        ),
        Group.NOT_SELECTED: Wording(
            subject=gettext("Your application to {program}"),
            text="\n\n".join(
                (
                    hello,
                    gettext("Thank you for applying to {program}."),
                    gettext("We are sorry that we cannot offer you a place this time."),
                )
            ),
        ),
    }


def check_wording(group: Group, words: Wording) -> None:
    """Check that a wording uses only placeholders that can be filled."""
    for what, text, most in (
        ("subject", words.subject, LONGEST_SUBJECT),
        ("text", words.text, LONGEST_TEXT),
    ):
        place = f"the {what} for those {_WHOM[group]}"
        if not text.strip():
            raise InvalidInputError("wording_empty", place=place)
        if len(text) > most:
            raise InvalidInputError("wording_too_long", place=place, length=len(text), most=most)
        if _CONTROLS.search(text):
            raise InvalidInputError("wording_control_characters", place=place)
        unknown = [name for name in _BRACES.findall(text) if name not in _PLACES]
        if unknown:
            raise InvalidInputError("wording_place_unknown", place=place, name=unknown[0][:40])


_WHOM = {
    Group.OFFERED: "with an offer",
    Group.WAITLISTED: "on the waitlist",
    Group.NOT_SELECTED: "not selected",
}


def filled(words: Wording, **values: str) -> tuple[str, tuple[str, ...]]:
    """Fill in the values; a paragraph about a missing date is left out."""
    # An offer without a date would otherwise ask for an answer "by" nothing.
    paragraphs = [p.strip() for p in re.split(r"\n\s*\n", words.text) if p.strip()]
    if not values["until"]:
        paragraphs = [p for p in paragraphs if "{until}" not in p]

    def fill(text: str) -> str:
        return _BRACES.sub(lambda found: values[found[1]], text)

    return fill(words.subject), tuple(map(fill, paragraphs))
