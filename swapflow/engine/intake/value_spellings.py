"""One value of an attribute that is spelled two ways: named, joined or kept apart, remembered.

A quota, a target and a spread count groups by the letters of a value, so that "North", "NORTH" and
"North." would be three. Nothing is joined unasked.
"""

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from swapflow.domain.lists.value_choices import ValueChoices
from swapflow.domain.people.application import SPELLED, ApplicationStatus, NewApplication
from swapflow.domain.people.plain_words import fold
from swapflow.domain.rules import Rules
from swapflow.engine.intake.applications import change_attribute
from swapflow.engine.ports.cycles import CycleReads
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.preconditions import refuse_finalized
from swapflow.errors import InvalidInputError
from swapflow.messages import Message


VALUES = "values of attributes"
"""What the choices are remembered under."""

_VOWELS = re.compile(r"([aou])e")
_SLIP = 0.9
"""Likeness from which two long words may be one with a slip."""
_NEAR = 0.7
"""Likeness from which a value is named beside one of the rules that no applicant has."""
_SHORTEST = 5
_MOST_COMPARED = 200
"""Values of an attribute up to which slips are looked for, which compares each with each."""
_GONE = frozenset(
    {ApplicationStatus.WITHDRAWN, ApplicationStatus.INELIGIBLE, ApplicationStatus.MERGED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearValues:
    """Spellings of an attribute that are perhaps one value.

    Attributes:
        spellings: Each with how many applicants have it; 0 for one that only the rules have.
        into: The one that is proposed: of the rules, else of most applicants.
    """

    attribute: str
    spellings: tuple[tuple[str, int], ...]
    into: str

    @property
    def message(self) -> Message:
        """The sentence that names them."""
        listed = [f"{one!r} ({count})" for one, count in self.spellings]
        return Message("values_perhaps_one", attribute=self.attribute, values=listed)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownValue:
    """A value that the rules name and no applicant has.

    Attributes:
        near: Values that applicants have and that are spelled like it.
    """

    attribute: str
    value: str
    near: tuple[str, ...]

    @property
    def message(self) -> Message:
        """The sentence that names it."""
        if self.near:
            near = [repr(one) for one in self.near]
            return Message(
                "rules_value_near", attribute=self.attribute, value=self.value, near=near
            )
        return Message("rules_value_unknown", attribute=self.attribute, value=self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueReport:
    """The values of the attributes that may enter a list.

    Attributes:
        counts: How many applicants have each value, by attribute.
        near: Spellings that are perhaps one value, and that staff have not decided about.
        unknown: Values that the rules name and nobody has.
    """

    counts: Mapping[str, Mapping[str, int]]
    near: tuple[NearValues, ...]
    unknown: tuple[UnknownValue, ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        """Everything that staff should know."""
        return (*(one.message for one in self.near), *(one.message for one in self.unknown))


def choices_of(settings: Mapping[str, str], others: Iterable[Mapping[str, str]]) -> ValueChoices:
    """Return what staff said in a program, and in others where it said nothing."""
    chosen: dict[tuple[str, str], str] = {}
    for one in (*others, settings):
        chosen |= ValueChoices.of_settings(one).chosen
    return ValueChoices(chosen=chosen)


def read_choices(cycle_id: str, *, ledger: Ledger) -> ValueChoices:
    """Read what staff said about spellings, in this program or before."""
    return choices_of(ledger.list_reading(cycle_id, VALUES), ledger.list_readings([VALUES]))


def as_chosen(rows: Sequence[NewApplication], choices: ValueChoices) -> list[NewApplication]:
    """Return the rows of a list with the values that their spellings are taken for.

    What the list says is kept beside it, so that spellings can be told apart again.
    """
    if not choices.chosen:
        return list(rows)
    return [_spelled(row, choices) for row in rows]


def report_values(
    cycle_id: str, *, coming: Sequence[NewApplication] = (), ledger: Ledger
) -> ValueReport:
    """Report on the values of a program's applicants, and of those that a list would bring."""
    choices = read_choices(cycle_id, ledger=ledger)
    rows = as_chosen(coming, choices)
    there = {
        one.external_id: one.attributes
        for one in ledger.applications(cycle_id)
        if one.status not in _GONE and one.external_id
    }
    listed = {row.external_id: row.selection for row in rows if row.left is None}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for external_id in {**there, **listed}:
        both = {**there.get(external_id, {}), **listed.get(external_id, {})}
        for attribute, value in both.items():
            counts[attribute][value] += 1
    return _report(counts, ledger.rules(cycle_id), choices)


def join_values(
    cycle_id: str,
    attribute: str,
    spellings: Collection[str],
    into: str,
    *,
    by: str,
    reason: str = "",
    ledger: CycleReads,
) -> int:
    """Take several spellings for one value, now and in lists to come; return how many changed.

    Doing it again changes nothing.

    Raises:
        InvalidInputError: If a value is blank.
        CycleFinalizedError: If the cohort is fixed.
    """
    if not attribute or not into.strip() or not all(one.strip() for one in spellings):
        raise InvalidInputError("values_blank")
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        before = ValueChoices.of_settings(tx.list_reading(VALUES))
        after = before.taking(attribute, spellings, into)
        rules, changed = tx.rules(), 0
        for one in tx.applications():
            value = one.attributes.get(attribute, "")
            if value in spellings and value != into:
                change_attribute(tx, one, attribute, into, rules)
                changed += 1
        if after != before:
            tx.keep_list_reading(VALUES, after.settings(), by=by)
        if changed or after != before:
            others = ", ".join(repr(one) for one in spellings if one != into)
            text = f"{attribute}: {others} taken for {into!r}" + (f": {reason}" if reason else "")
            tx.note(subject=f"values of {cycle_id}", by=by, text=text)
        return changed


def keep_apart(
    cycle_id: str,
    attribute: str,
    spellings: Collection[str],
    *,
    by: str,
    reason: str = "",
    ledger: Ledger,
) -> int:
    """Keep spellings as values of their own, and undo their joining; return how many changed.

    An applicant gets back the spelling that their list had; what staff corrected by hand stays.

    Raises:
        CycleFinalizedError: If the cohort is fixed.
    """
    taken = read_choices(cycle_id, ledger=ledger)
    with ledger.write(cycle_id) as tx:
        refuse_finalized(tx)
        before = ValueChoices.of_settings(tx.list_reading(VALUES))
        after = before.keeping(attribute, spellings)
        rules, said, changed = tx.rules(), tx.imported_values(), 0
        for one in tx.applications():
            listed = _listed(said.get(one.number, {}), attribute)
            value = one.attributes.get(attribute, "")
            was_joined = taken.value(attribute, listed) == value != listed
            if listed in spellings and was_joined:
                change_attribute(tx, one, attribute, listed, rules)
                changed += 1
        if after != before:
            tx.keep_list_reading(VALUES, after.settings(), by=by)
            listing = ", ".join(map(repr, spellings))
            text = f"{attribute}: {listing} kept apart" + (f": {reason}" if reason else "")
            tx.note(subject=f"values of {cycle_id}", by=by, text=text)
        return changed


def _spelled(row: NewApplication, choices: ValueChoices) -> NewApplication:
    values = {name: choices.value(name, text) for name, text in row.selection.items()}
    if values == row.selection:
        return row
    listed = {name: text for name, text in row.selection.items() if values[name] != text}
    return replace(row, selection=values, spelled={**row.spelled, **listed})


def _listed(said: Mapping[str, str], attribute: str) -> str:
    """Return how the last list spelled an applicant's value."""
    return said.get(f"{SPELLED}{attribute}") or said.get(f"select:{attribute}", "")


def _report(
    counts: Mapping[str, Mapping[str, int]], rules: Rules, choices: ValueChoices
) -> ValueReport:
    named: dict[str, list[str]] = defaultdict(list)
    groups_named = [(one.attribute, one.value) for one in rules.quotas]
    groups_named += [(one.attribute, one.value) for one in rules.targets]
    for attribute, value in dict.fromkeys(groups_named):
        named[attribute].append(value)
    near: list[NearValues] = []
    unknown: list[UnknownValue] = []
    for attribute in dict.fromkeys((*named, *counts)):
        there = dict(counts.get(attribute, {}))
        for value in named[attribute]:
            there.setdefault(value, 0)
        groups = list(_groups(attribute, there, choices))
        near += [_near(attribute, group, there, named[attribute]) for group in groups]
        grouped = {value for group in groups for value in group}
        unknown += [
            UnknownValue(attribute=attribute, value=value, near=_like(value, there))
            for value in named[attribute]
            # Before anybody is imported, nobody has anything; a spelling beside it is named above.
            if there[value] == 0 and value not in grouped and any(there.values())
        ]
    return ValueReport(counts=counts, near=tuple(near), unknown=tuple(unknown))


def _near(
    attribute: str, group: Sequence[str], there: Mapping[str, int], named: Sequence[str]
) -> NearValues:
    most = max(group, key=lambda value: there[value])
    return NearValues(
        attribute=attribute,
        spellings=tuple((value, there[value]) for value in group),
        into=next((value for value in named if value in group), most),
    )


def _groups(
    attribute: str, there: Mapping[str, int], choices: ValueChoices
) -> Iterable[list[str]]:
    """Iterate over the spellings that are perhaps one value, where not all are decided about."""
    same: dict[str, list[str]] = defaultdict(list)
    for value in there:
        same[_plain(value)].append(value)
    for keys in _slips(list(same)):
        group = [value for key in keys for value in same[key]]
        if len(group) > 1 and not all(choices.is_decided(attribute, one) for one in group):
            yield group


def _slips(keys: list[str]) -> Iterable[list[str]]:
    """Put keys together that differ by a slip of the pen; each is in one list."""
    left = list(keys)
    while left:
        first = left.pop(0)
        like = [other for other in left if len(keys) <= _MOST_COMPARED and _is_slip(first, other)]
        left = [other for other in left if other not in like]
        yield [first, *like]


def _is_slip(one: str, other: str) -> bool:
    """Whether two values differ by so little that one may be a slip; numbers never do."""
    if min(len(one), len(other)) < _SHORTEST or _digits(one) != _digits(other):
        return False
    return difflib.SequenceMatcher(None, one, other).ratio() >= _SLIP


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _like(value: str, there: Mapping[str, int]) -> tuple[str, ...]:
    """Return the values of applicants that are spelled most like one that nobody has."""
    keys = {_plain(other): other for other, count in there.items() if count}
    found = difflib.get_close_matches(_plain(value), list(keys), n=3, cutoff=_NEAR)
    return tuple(keys[key] for key in found)


def _plain(value: str) -> str:
    """Return what two spellings of a value share: neither case, accents, spaces nor marks."""
    folded = fold(value)
    # "Süd" is "Sued" as well, and so both are "sud" here.
    return _VOWELS.sub(r"\1", "".join(c for c in folded if c.isalnum())) or folded.strip()
