"""Staff choose which columns reviewers of a blind program see; choices are remembered.

A choice is made for a program. Where it has made none of a column, the one of the last program of
the office counts that had a column of this name from the same source, else from any.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from swapflow.domain.people.application import Application, NewApplication
from swapflow.domain.people.column_kinds import ColumnKind, column_kind
from swapflow.domain.people.identity_mask import mask_identity
from swapflow.domain.people.shown_columns import ShownColumns
from swapflow.domain.seal import revision
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.records import SHOWN
from swapflow.engine.revisions import check_revision
from swapflow.errors import InvalidInputError


MOST_LOOKED_AT = 200
"""Applicants whose values are tried to tell whether a column is masked."""

Seen = Literal["yes", "no", "masked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerColumn:
    """A column of applicants' data, and what reviewers see of it.

    Attributes:
        choice: What staff chose, in this program or before; None while nobody has.
        masked: Whether a name, link, address or handle is masked in some value.
    """

    name: str
    kind: ColumnKind
    choice: bool | None
    masked: bool

    @property
    def seen(self) -> Seen:
        """What reviewers see: all of it, nothing, or all but what is masked."""
        if not self.choice:
            return "no"
        return "masked" if self.masked else "yes"

    @property
    def is_open(self) -> bool:
        """Whether staff have still to decide; it is hidden until they do."""
        return self.choice is None and self.kind in {ColumnKind.WORK, ColumnKind.UNKNOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerColumns:
    """The columns of a program or of a list, and what reviewers see of each.

    Attributes:
        is_blind: Whether the rules hide anything; if not, reviewers see all.
        by_choice: False in a program made before columns were chosen, until staff choose.
        remembered: Columns whose choice comes from an earlier program.
        source: The system that wrote the list; "" for any other.
        revision: The revision of the program's choices.
    """

    columns: tuple[ReviewerColumn, ...]
    is_blind: bool
    by_choice: bool
    remembered: frozenset[str] = frozenset()
    source: str = ""
    revision: str

    @property
    def shown(self) -> int:
        """How many columns are shown."""
        return sum(bool(one.choice) for one in self.columns)

    @property
    def undecided(self) -> int:
        """How many columns staff have still to decide about."""
        return sum(one.is_open for one in self.columns)

    @property
    def hidden(self) -> int:
        """How many are hidden and need no decision."""
        return len(self.columns) - self.shown - self.undecided

    def proposed(self) -> dict[str, bool]:
        """Return the choice to show applicants' own work, where nobody has chosen."""
        return {
            one.name: True for one in self.columns if one.choice is None and one.kind.is_proposed
        }

    def known(self) -> dict[str, bool]:
        """Return all choices there are."""
        return {one.name: one.choice for one in self.columns if one.choice is not None}

    def after(self, choices: Mapping[str, bool]) -> "ReviewerColumns":
        """Return them as they are once staff have made further choices."""
        return replace(
            self,
            columns=tuple(
                replace(one, choice=choices.get(one.name, one.choice)) for one in self.columns
            ),
        )

    def told(self) -> str:
        """Tell how many columns reviewers see."""
        same = ", same as last time" if self.remembered else ""
        return (
            f"columns for reviewers{same}: {self.shown} shown, {self.hidden} hidden, "
            f"{self.undecided} new to decide"
        )


def read_columns(cycle_id: str, *, ledger: Ledger) -> ReviewerColumns:
    """Read the columns of a program's applicants, and those that staff chose before they came."""
    people = ledger.applications(cycle_id)
    shown = ShownColumns.of_settings(ledger.list_reading(cycle_id, SHOWN))
    names = dict.fromkeys([name for one in people for name in one.fields])
    is_blind = ledger.rules(cycle_id).blind
    masked = _masked(names, people) if is_blind else set()
    return ReviewerColumns(
        columns=tuple(
            ReviewerColumn(
                name=name,
                kind=column_kind(name),
                choice=shown.choices.get(name),
                masked=name in masked,
            )
            for name in {**names, **shown.choices}
        ),
        is_blind=is_blind,
        by_choice=shown.by_choice,
        revision=_revision(shown),
    )


def plan_columns(
    cycle_id: str,
    names: Mapping[str, str],
    people: Collection[Application | NewApplication],
    *,
    source: str = "",
    as_last_time: bool = True,
    ledger: Ledger,
) -> ReviewerColumns:
    """Plan what reviewers see of a list's columns; nothing is written.

    Args:
        cycle_id: The program.
        names: Header by name of the column.
        people: Its applicants, whose values tell what is masked.
        source: The system that wrote it, "" for any other.
        as_last_time: Whether choices made in other programs count.
        ledger: The ledger.
    """
    shown = ShownColumns.of_settings(ledger.list_reading(cycle_id, SHOWN))
    before = _remembered(source, ledger=ledger) if as_last_time and shown.by_choice else {}
    choices = {name: {**before, **shown.choices}.get(name) for name in names}
    is_blind = ledger.rules(cycle_id).blind
    # Of hidden columns too: staff may be about to show them.
    masked = _masked(names, people) if is_blind else set()
    return ReviewerColumns(
        columns=tuple(
            ReviewerColumn(
                name=name, kind=_kind(header, name), choice=choices[name], masked=name in masked
            )
            for name, header in names.items()
        ),
        is_blind=is_blind,
        by_choice=shown.by_choice,
        remembered=frozenset(
            name for name in names if name in before and name not in shown.choices
        ),
        source=source,
        revision=_revision(shown),
    )


def choose_columns(
    cycle_id: str,
    choices: Mapping[str, bool],
    *,
    by: str,
    source: str = "",
    made_from: str = "",
    ledger: Ledger,
) -> None:
    """Store which columns reviewers see, for this program and for lists to come.

    Args:
        cycle_id: The program.
        choices: Whether a column is shown, by its name; others stay as they are.
        by: Who chose.
        source: The system that wrote the list, "" for any other.
        made_from: The revision of the choices that the form was made from; "" for no check.
        ledger: The ledger.

    Raises:
        StaleRevisionError: If other choices were made since the form was made; it holds those
            that differ from what was sent.
    """
    with ledger.write(cycle_id) as tx:
        before = ShownColumns.of_settings(tx.list_reading(SHOWN))
        after = before.choosing(choices)
        if after == before:
            return
        stored = {
            name: "yes" if is_shown else "no"
            for name, is_shown in before.choices.items()
            if choices.get(name) is not is_shown
        }
        check_revision(made_from, _revision(before), stored)
        tx.keep_list_reading(SHOWN, after.settings(), by=by)
        if source:
            kept = ShownColumns.of_settings(tx.list_reading(_of_source(source)))
            tx.keep_list_reading(_of_source(source), kept.choosing(choices).settings(), by=by)
        changed = {
            word: [
                n
                for n, is_shown in choices.items()
                if is_shown is value and before.choices.get(n) is not value
            ]
            for word, value in (("shown", True), ("hidden", False))
        }
        text = "; ".join(f"{word}: {', '.join(names)}" for word, names in changed.items() if names)
        tx.note(subject=f"columns of {cycle_id}", by=by, text=text or "columns are chosen")


def check_named(wanted: Iterable[str], known: Collection[str]) -> None:
    """Check that columns exist.

    Raises:
        InvalidInputError: If one does not; it names those there are.
    """
    for name in wanted:
        if name not in known:
            raise InvalidInputError("no_such_column", column=name, known=sorted(known))


def _revision(shown: ShownColumns) -> str:
    """Return the revision that a form about other choices is made from."""
    return revision(shown.by_choice, shown.choices)


def _of_source(source: str) -> str:
    return f"{SHOWN} of {source}"


def _remembered(source: str, *, ledger: Ledger) -> dict[str, bool]:
    """Return what was chosen last in any program, the choices for the same source over others."""
    found: dict[str, bool] = {}
    for what in (SHOWN, *([_of_source(source)] if source else [])):
        for settings in ledger.list_readings([what]):
            found |= ShownColumns.of_settings(settings).choices
    return found


def _kind(header: str, name: str) -> ColumnKind:
    """Return what a column is by its header and by its name in the program: the more careful."""
    kinds = {column_kind(header), column_kind(name)}
    return next(kind for kind in ColumnKind if kind in kinds)


def _masked(names: Collection[str], people: Collection[Application | NewApplication]) -> set[str]:
    """Return the columns in which something is masked, among the first applicants."""
    found: set[str] = set()
    for one in tuple(people)[:MOST_LOOKED_AT]:
        for name in names:
            text = one.fields.get(name, "")
            if name not in found and text != mask_identity(
                text, name=one.name, email=one.email, external_id=one.external_id
            ):
                found.add(name)
    return found
