"""Checks of the kinds of a rules file that the schema cannot express."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from swapflow.domain.ids import KIND_NAME
from swapflow.domain.rules import (
    KindRules,
    Rules,
)
from swapflow.files.rules.problem import RulesProblem, at_least, numbered, quoted
from swapflow.messages import Message


MOST_KINDS = 6
"""More ways to gather information than this make a cycle that nobody can explain."""


LEAST_GAIN = 0.001
"""Gains are stored in thousandths."""


MOST_QUESTIONS = 30


LONGEST_GUIDANCE = 4000


def kind_place(rules: Rules, index: int, setting: str = "") -> str:
    """Name the place of a kind's setting in the rules file."""
    return numbered("kinds", index, rules.kinds[index].name, setting)


def check_kinds(rules: Rules) -> Iterator[RulesProblem]:
    """Check all kinds of a rules file."""
    if not rules.kinds:
        yield RulesProblem(
            place="kinds",
            value="",
            reason="there is no way to gather scores",
            cure='Add a table [[kinds]], e.g. name = "review", cost = 20, maximum = 4',
            refers=("kinds",),
        )
    if len(rules.kinds) > MOST_KINDS:
        yield RulesProblem(
            place="kinds",
            value=str(len(rules.kinds)),
            reason=Message("too_many_kinds", count=len(rules.kinds), most=MOST_KINDS),
            cure="Join those that cost and tell about the same",
        )
    yield from named_twice("kinds", (kind.name for kind in rules.kinds), "name")
    for i, kind in enumerate(rules.kinds):
        yield from _kind(rules, i, kind)
    yield from _circles(rules)


def _kind(rules: Rules, index: int, kind: KindRules) -> Iterator[RulesProblem]:
    def place(setting: str) -> str:
        return kind_place(rules, index, setting)

    if not KIND_NAME.fullmatch(kind.name):
        yield RulesProblem(
            place=place("name"),
            value=quoted(kind.name),
            reason=(
                "the name of a review or interview is made of small letters, digits, - and _, "
                "begins with a letter and has at most 24 characters"
            ),
            cure='Write a name such as "review" or "interview"',
        )
    yield from at_least(place("cost"), kind.cost, 1)
    if kind.gain < LEAST_GAIN:
        yield RulesProblem(
            place=place("gain"),
            value=f"{kind.gain:g}",
            reason="the gain says how many reviews one of these is worth, so it is above 0",
            cure=(
                "Write 1 for the first one, and e.g. 6 for an interview that tells as much as "
                "six reviews"
            ),
        )
    yield from at_least(place("maximum"), kind.maximum, 1)
    if kind.total is not None:
        # 0: none of this kind is asked for; the first kind is what every applicant gets.
        yield from at_least(place("total"), kind.total, 0 if index else 1)
    yield from at_least(place("seats"), kind.seats, 1)
    if not 1 <= kind.quorum <= max(kind.seats, 1):
        yield RulesProblem(
            place=place("quorum"),
            value=str(kind.quorum),
            reason=Message("quorum_above_seats", quorum=kind.quorum, count=kind.seats),
            cure=Message("quorum_cure", seats=max(kind.seats, 1)),
        )
    if kind.window_days < 0:
        yield RulesProblem(
            place=place("window_days"),
            value=f"{kind.window_days:g}",
            reason="no reviewer can answer before being asked",
            cure="Write the days a reviewer has, or 0 for no due date",
        )
    yield from _prerequisite(rules, kind, place)
    yield from _form(kind, place)


def _prerequisite(
    rules: Rules, kind: KindRules, place: Callable[[str], str]
) -> Iterator[RulesProblem]:
    """What must come first, and how many of it."""
    yield from at_least(place("requires_count"), kind.requires_count, 1)
    if not kind.requires:
        if kind.requires_count > 1:
            yield RulesProblem(
                place=place("requires_count"),
                value=str(kind.requires_count),
                reason="it counts the review that must come first, and none is named",
                cure="Name that review under `requires`, or remove `requires_count`",
            )
        return
    yield from known_kind(rules, place("requires"), kind.requires)
    index = rules.kind_index(kind.requires)
    # A maximum below 1 is named at its own kind, and once is enough.
    if index >= 0 and kind.requires_count > rules.kinds[index].maximum >= 1:
        yield RulesProblem(
            place=place("requires_count"),
            value=str(kind.requires_count),
            reason=Message(
                "required_above_maximum",
                maximum=rules.kinds[index].maximum,
                required=kind.requires,
                kind=kind.name,
            ),
            cure=Message(
                "required_above_maximum_cure",
                maximum=rules.kinds[index].maximum,
                required=kind.requires,
            ),
            refers=("kinds",),
        )


def _form(kind: KindRules, place: Callable[[str], str]) -> Iterator[RulesProblem]:
    """What reviewers are shown beside the marks."""
    if kind.link and not _is_link(kind.link):
        yield RulesProblem(
            place=place("link"),
            value=quoted(kind.link),
            reason=(
                "a link begins with https:// or http:// and has nothing in braces but "
                "{external_id}"
            ),
            cure='Write e.g. "https://files.example.edu/apply/{external_id}"',
        )
    if len(kind.questions) > MOST_QUESTIONS:
        yield RulesProblem(
            place=place("questions"),
            value=str(len(kind.questions)),
            reason=Message("too_many_questions", count=len(kind.questions), most=MOST_QUESTIONS),
            cure="Keep those that every applicant should be asked",
        )
    for setting, texts in (("guidance", (kind.guidance,)), ("questions", kind.questions)):
        for text in texts:
            if len(text) > LONGEST_GUIDANCE:
                yield RulesProblem(
                    place=place(setting),
                    value=quoted(text[:40]),
                    reason=Message("guidance_too_long", most=LONGEST_GUIDANCE),
                    cure="Shorten it, or put it on a page that reviewers can open",
                )


def _is_link(link: str) -> bool:
    """Whether a template leads to a web page once the braces are filled."""
    # Filled with a letter, so that what is checked is an address and not a template.
    plain = link.replace("{external_id}", "x")
    host = plain.partition("://")[2]
    return (
        plain.startswith(("https://", "http://"))
        and bool(host)
        and not set("{}<>\"' \\") & set(plain)
        and plain.isprintable()
    )


def _circles(rules: Rules) -> Iterator[RulesProblem]:
    """Find kinds that wait for each other, once per circle."""
    requires = {kind.name: kind.requires for kind in rules.kinds}
    reported: set[str] = set()
    for i, kind in enumerate(rules.kinds):
        path = [kind.name]
        # Ends in a circle that does not lead back here too: that one is named from within.
        while (following := requires.get(path[-1], "")) and following not in path:
            path.append(following)
        if following and following == kind.name and kind.name not in reported:
            reported.update(path)
            yield RulesProblem(
                place=kind_place(rules, i, "requires"),
                value=quoted(kind.requires),
                reason=Message("kinds_wait_in_circle", kinds=[*path, kind.name]),
                cure="Remove one `requires` in that circle",
            )


def known_kind(rules: Rules, place: str, name: str) -> Iterator[RulesProblem]:
    """Check that a kind which is referred to exists."""
    if rules.kind_index(name) < 0:
        known = ", ".join(quoted(kind.name) for kind in rules.kinds) or "none"
        yield RulesProblem(
            place=place,
            value=quoted(name),
            reason=Message("rules_kind_unknown", kinds=known),
            cure="Name one of them, or add it under [[kinds]]",
            refers=("kinds",),
        )


def named_twice(place: str, names: Iterable[str], what: str) -> Iterator[RulesProblem]:
    """Find names that are given twice."""
    for name, count in Counter(names).items():
        if count > 1:
            yield RulesProblem(
                place=place,
                value=quoted(name),
                reason=Message("same_twice", what=what, count=count),
                cure="Rename or remove the others",
                refers=(place.split(maxsplit=1)[0].rstrip(","),),
            )
