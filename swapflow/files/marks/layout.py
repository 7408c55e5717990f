"""How a table holds marks: a row a mark, or a row an applicant with a column a mark."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from swapflow.errors import BadRow, InvalidInputError
from swapflow.files.marks import header_words as words
from swapflow.files.marks.full_names import full_name_of, own_addresses, with_full_names
from swapflow.files.marks.grid import crossed
from swapflow.files.marks.header_words import (
    kind_in,
    name_in,
    plain,
    says_no_mark,
    system_of,
    turn_in,
    weight_in,
)
from swapflow.files.marks.mark import HowToRead
from swapflow.files.marks.mark_cells import is_list, share_of_numbers
from swapflow.files.marks.scales import scale_in
from swapflow.files.marks.summaries import is_summary
from swapflow.files.marks.worded import between_marks, worded_marks
from swapflow.files.tables.cells import refuse, spelling
from swapflow.files.tables.columns import missing_columns
from swapflow.files.tables.header_names import WEAK_ID
from swapflow.files.tables.table import Table


MOSTLY = 0.8
"""Share of its filled cells that are numbers, from which a column holds marks."""

HALF = 0.5
"""The same beside columns that hold marks: its words are then refused, not left out in silence."""

ROLES = (
    "applicant", "reviewer", "kind", "mark", "name", "version", "conflicts", "criterion", "none",
)  # fmt: skip


class Form(StrEnum):
    """How marks stand in a table."""

    LONG = "a row for each mark"
    LISTS = "a row for each applicant, all marks in one cell"
    CRITERIA = "a row for each review, a column for each criterion"
    BY_REVIEWER = "a row for each applicant, a column for each reviewer"
    BY_REVIEW = "a row for each applicant, a column for each review"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkColumn:
    """A column of marks: of which kind, by whom, with which weight among criteria.

    Attributes:
        named_in: The column that names who gave its marks: "Reviewer 2" for "Score 2"; else "".
        review: Columns of one review of several criteria share it; "" for a review of its own.
    """

    header: str
    kind: str
    reviewer: str = ""
    weight: float = 1.0
    named_in: str = ""
    review: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksLayout:
    """What each column of a table is taken for.

    Attributes:
        system: The system it comes from; "" for a sheet.
        anonymous: Whether reviewers' names say nothing from one applicant to the next.
        roles: Header by role: applicant, reviewer, kind, name, version.
        marks: The columns of marks.
        labelled: Whether the mark stands in a text of several lines, each with its label.
    """

    form: Form
    system: str
    anonymous: bool
    roles: dict[str, str]
    marks: tuple[MarkColumn, ...]
    labelled: bool = False


@dataclass(slots=True)
class _Roles:
    """Which column of a table has which role."""

    table: Table
    how: HowToRead
    roles: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def _stated(self) -> None:
        for header, role in self.how.columns.items():
            if header not in self.table.headers or (
                role not in ROLES and not role.startswith("kind:")
            ):
                raise InvalidInputError(
                    "mapping_unknown_column",
                    source=self.table.source,
                    header=header,
                    role=role,
                    columns=self.table.headers,
                    roles=ROLES,
                )
            if role in ROLES and role not in {"mark", "criterion", "none"}:
                self._take(role, header)
            self.used.add(header)
        marks = [header for header, role in self.how.columns.items() if role == "mark"]
        if len(marks) == 1:
            self.roles["mark"] = marks[0]

    def _take(self, role: str, header: str) -> None:
        if role not in self.roles and (header not in self.used):
            self.roles[role] = header
            self.used.add(header)

    def _take_first(self, role: str, names: Iterable[str], spelled: dict[str, str]) -> None:
        free = (spelled[name] for name in names if name in spelled)
        found = next((h for h in free if h not in self.used and not self._is_own(role, h)), None)
        if found is not None and not (role == "name" and self._are_marks(found)):
            self._take(role, found)

    def _is_own(self, role: str, header: str) -> bool:
        """Whether a column of addresses is the applicants', not their reviewers'."""
        applicant = self.roles.get("applicant")
        return (
            role == "reviewer"
            and applicant is not None
            and own_addresses(self.table, applicant, header)
        )

    def _prefer_ids(self) -> None:
        """Where two applicants of a wide table have one name, their ids tell them apart."""
        names = [row[self.roles["applicant"]].casefold() for row in self.table.rows]
        ids = {spelling(header): header for header in self.table.headers}
        header = next((ids[one] for one in ("id", *WEAK_ID) if one in ids), "")
        own = [row[header] for row in self.table.rows] if header else []
        if len(set(names)) < len(names) == len(set(own)) and header not in self.used and all(own):
            self.roles["name"] = self.roles["applicant"]
            self.roles["applicant"] = header
            self.used.add(header)

    def _are_marks(self, header: str, least: float = MOSTLY) -> bool:
        return share_of_numbers([row[header] for row in self.table.rows]) >= least


@dataclass(slots=True)
class _Finder(_Roles):
    """Finds the layout of one table."""

    def find(self) -> MarksLayout:
        self._stated()
        if joined := full_name_of(self.table):
            self._take("applicant", joined)
        headers = self.table.headers[::-1]
        # "Total (0-100)" is a total as well.
        spelled = {spelling(plain(header)): header for header in headers}
        spelled |= {spelling(header): header for header in headers}
        known = system_of(spelled)
        for name, role in known.roles.items() if known else ():
            self._take(role, spelled[name])
        for role, names in (
            ("applicant", words.APPLICANT),
            ("reviewer", words.REVIEWER),
            ("kind", words.KIND),
            ("name", words.TITLE),
            ("version", words.VERSION),
            ("conflicts", words.CONFLICTS),
        ):
            self._take_first(role, names, spelled)
        refuse(
            self.table.source,
            [*self.table.bad, *missing_columns(self.table, self._needed(), ("application",))],
        )
        return self._layout(
            spelled,
            system=known.name if known else "",
            known=known is not None and known.anonymous,
        )

    def _needed(self) -> dict[str, str]:
        return {"application": self.roles["applicant"]} if "applicant" in self.roles else {}

    def _layout(self, spelled: dict[str, str], *, system: str, known: bool) -> MarksLayout:
        weighted = self._weighted()
        labelled = ""
        if "mark" not in self.roles and not weighted and not self._marks_stated():
            self._take_first("mark", words.MARK, spelled)
            # EasyChair writes all marks of a review into one cell, a line each.
            labelled = spelled.get("scores", "") if "reviewer" in self.roles else ""
            if "mark" not in self.roles and labelled:
                self._take("mark", labelled)
            self._leave_sums()
        if "mark" in self.roles and not weighted:
            header = self.roles["mark"]
            column = MarkColumn(header=header, kind=self._kind_of(header))
            lists = "reviewer" not in self.roles and any(
                is_list(row[header]) for row in self.table.rows
            )
            form = Form.LISTS if lists else Form.LONG
            return self._made(form, (column,), system, known, labelled=header == labelled)
        columns = weighted or self._marks_stated() or tuple(self._numeric())
        if not columns:
            free = [h for h in self.table.headers if h not in self.used and not says_no_mark(h)]
            worded = [bad for header in free for bad in worded_marks(self.table, header)]
            refuse(self.table.source, worded or missing_columns(self.table, {}, ("mark",)))
        if "reviewer" in self.roles or weighted:
            return self._made(Form.CRITERIA, self._criteria(columns), system, known)
        refuse(self.table.source, between_marks(self.table, columns, self.used))
        self._prefer_ids()
        form, marks = self._wide(columns)
        return self._made(form, marks, system, known)

    def _made(
        self,
        form: Form,
        marks: tuple[MarkColumn, ...],
        system: str,
        anonymous: bool,  # noqa: FBT001 - private
        *,
        labelled: bool = False,
    ) -> MarksLayout:
        return MarksLayout(
            form=form,
            system=system,
            anonymous=anonymous,
            roles={role: header for role, header in self.roles.items() if role != "mark"},
            marks=marks,
            labelled=labelled,
        )

    # Columns of marks

    def _leave_sums(self) -> None:
        """Do not take for the mark what sums up several columns of marks, or is a first name."""
        header = self.roles.get("mark", "")
        others = [one for one in self._numeric() if one != header] if header else []
        if len(others) < 2:  # noqa: PLR2004 - a sum has two parts
            return
        name = spelling(plain(header))
        summed = is_summary(self.table, header, others)
        alone = "reviewer" not in self.roles
        counted = sum(turn_in(one) is not None for one in others) > 1
        if summed or (alone and (name in words.SUMMARIES or counted)):
            del self.roles["mark"]
        elif alone and header == "Mark":
            del self.roles["mark"]
            self.used.discard(header)

    def _marks_stated(self) -> tuple[str, ...]:
        """Return the columns that staff say are marks, where they are several."""
        stated = tuple(
            header
            for header, role in self.how.columns.items()
            if role in {"mark", "criterion"} or role.startswith("kind:")
        )
        one = len(stated) == 1 and "mark" in self.roles
        return () if one else stated

    def _weighted(self) -> tuple[str, ...]:
        """Return the criteria: those that staff give a weight, or whose headers state one."""
        wanted = {spelling(name) for name in self.how.weights}
        if wanted:
            found = {spelling(plain(h)): h for h in self.table.headers}
            found |= {spelling(h): h for h in self.table.headers}
            if missing := [name for name in self.how.weights if spelling(name) not in found]:
                raise InvalidInputError(
                    "mapping_unknown_column",
                    source=self.table.source,
                    header=missing[0],
                    role="criterion",
                    columns=self.table.headers,
                    roles=ROLES,
                )
            return tuple(dict.fromkeys(found[name] for name in wanted))
        stated = [h for h in self.table.headers if h not in self.used and weight_in(h)]
        return tuple(h for h in stated if self._are_marks(h)) if len(stated) > 1 else ()

    def _numeric(self) -> list[str]:
        free = [
            header
            for header in self.table.headers
            if header not in self.used
            and (scale_in(header) is not None or not says_no_mark(header))
        ]
        least = HALF if any(map(self._are_marks, free)) else MOSTLY
        found = [header for header in free if self._are_marks(header, least)]
        # What the others come to is none; of two columns, neither is the sum of the other.
        return [
            header
            for header in found
            if not is_summary(self.table, header, [one for one in found if one != header])
        ]

    def _criteria(self, columns: tuple[str, ...]) -> tuple[MarkColumn, ...]:
        weights = {spelling(name): weight for name, weight in self.how.weights.items()}
        return tuple(
            MarkColumn(
                header=header,
                kind="",
                weight=weights.get(spelling(header))
                or weights.get(spelling(plain(header)))
                or weight_in(header)
                or 1.0,
            )
            for header in columns
        )

    def _wide(self, columns: tuple[str, ...]) -> tuple[Form, tuple[MarkColumn, ...]]:
        kinds = {header: self._kind_of(header) for header in columns}
        turns = [turn_in(header) for header in columns]
        by = self.how.by
        if not by and not any(kinds.values()) and (pairs := self._pairs(columns)):
            return Form.BY_REVIEWER, pairs
        if not by:
            alone = [h for h, turn in zip(columns, turns, strict=True) if turn is None]
            # A lone column such as "Interview" or "Score" names nobody either.
            nameless = words.TURNS | words.INTERVIEWS
            names = [h for h in alone if spelling(plain(h)) not in nameless | {kinds[h]}]
            by = "reviewers" if names else "reviews"
        if by == "reviews":
            named = self._named(columns)
            marks = tuple(
                MarkColumn(header=h, kind=kinds[h], named_in=named.get(h, "")) for h in columns
            )
            return Form.BY_REVIEW, marks
        marks = tuple(
            MarkColumn(header=h, kind=kinds[h], reviewer=name_in(h, kinds[h])) for h in columns
        )
        return Form.BY_REVIEWER, marks

    def _pairs(self, columns: tuple[str, ...]) -> tuple[MarkColumn, ...]:
        """Return columns that are each of one reviewer and one criterion; () for others."""
        pairs = crossed(columns)
        if pairs is None and self.table.grouped:
            bad = BadRow(
                line=self.table.header_line,
                column=columns[0],
                value="",
                reason="nothing says which part of the header names the reviewer",
                cure="Write a row for each review, with a column for each criterion",
            )
            refuse(self.table.source, [bad])
        weights = {spelling(name): weight for name, weight in self.how.weights.items()}
        return tuple(
            MarkColumn(
                header=header,
                kind="",
                reviewer="" if turn_in(pair.who) else pair.who,
                review=pair.who,
                weight=weights.get(spelling(pair.criterion), 1.0),
            )
            for header, pair in (pairs or {}).items()
        )

    def _named(self, columns: tuple[str, ...]) -> dict[str, str]:
        """Return the columns that name who gave a review, by the column of its mark."""
        names = {
            number: header
            for header in self.table.headers[::-1]
            if header not in {*columns, *self.used} and (number := words.names_in(header))
        }
        turns = {header: turn_in(header) for header in columns}
        return {h: names[turn[1]] for h, turn in turns.items() if turn and turn[1] in names}

    def _kind_of(self, header: str) -> str:
        """Return the kind that a column's header names; "" where it names none."""
        stated = self.how.columns.get(header, "")
        if stated.startswith("kind:"):
            return stated.removeprefix("kind:").strip().casefold()
        return kind_in(header, self.how)


def guess_roles(table: Table, how: HowToRead) -> dict[str, str]:
    """Return what each header would be taken for, as far as a table is understood."""
    finder = _Finder(table=with_full_names(table, how.columns), how=how)
    try:
        marks = finder.find().marks
    except InvalidInputError:
        return {header: role for role, header in finder.roles.items()}
    roles = {header: role for role, header in finder.roles.items()}
    roles |= {one.named_in: "reviewer" for one in marks if one.named_in}
    return roles | dict.fromkeys((one.header for one in marks), "mark")


def find_layout(table: Table, how: HowToRead) -> MarksLayout:
    """Find how a table holds marks.

    Raises:
        InvalidInputError: If what staff say of its columns cannot be.
        BadRowsError: If no column names applicants, or none holds marks.
    """
    return _Finder(table=table, how=how).find()
