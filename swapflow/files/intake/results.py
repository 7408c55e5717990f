"""Results in the words of the system that the applicants came from.

The columns by which it names its applicants are those of its own list, remembered when that list
was taken; what its people call the three decisions can be said once and is remembered as well.
"""

import codecs
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from swapflow.domain.cohort.proposal import Outcome, Place, Proposal, Verdict
from swapflow.domain.lists.exchanged_file import Exchanged, ExchangeOutcome, NewExchange
from swapflow.domain.people.application import Application
from swapflow.domain.seal import NOTHING
from swapflow.engine.revisions import check_revision
from swapflow.engine.services import Swapflow
from swapflow.errors import InvalidInputError, NotReadyError
from swapflow.files.exports.sheets import decided_sheet, scores_sheet
from swapflow.files.exports.writers import ExportSheet, Format, sheet_bytes
from swapflow.files.imports.applicant_list import HEADERS
from swapflow.files.intake.drop_folder import DropFolder
from swapflow.files.tables.cells import spelling
from swapflow.files.tables.header_names import ID_SPELLINGS


WORDS = "results"
"""What the words of the other system are remembered under."""

USUAL: Mapping[str, str] = {
    "decision": "decision",
    "position": "position",
    "decided_at": "decided_at",
    "selected": "selected",
    "waitlisted": "waitlisted",
    "not_selected": "not selected",
}
"""What can be named, and what it is called where nobody did: three columns, three decisions."""

NAMES = ("decisions", "cohort", "waitlist", "reviews")
LONGEST_WORD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """How another system names an applicant.

    Attributes:
        header: Its column; "external_id" before it sent a list.
        by_email: Whether that column holds the mail address.
        others: Further columns of ids: (header, field of the application).
    """

    header: str
    by_email: bool
    others: tuple[tuple[str, str], ...]

    def headers(self) -> tuple[str, ...]:
        """Name the columns."""
        return (self.header, *(header for header, _ in self.others))

    def cells(self, one: Application) -> tuple[str, ...]:
        """Return an applicant's cells in these columns."""
        key = one.email if self.by_email else one.external_id
        return (key, *(one.fields.get(field, "") for _, field in self.others))


def reference_of(headers: Mapping[str, str], *, by_email: bool = False) -> Reference:
    """Turn around how a list was read: header by role instead of role by header."""
    role = "email" if by_email else "external_id"
    mine = next((header for header, taken in headers.items() if taken == role), "")
    others = tuple(
        (header, taken.removeprefix("field:"))
        for header, taken in headers.items()
        if taken.startswith("field:") and spelling(header) in _IDS
    )
    return Reference(header=mine or "external_id", by_email=by_email and bool(mine), others=others)


def words_of(product: Swapflow, cycle_id: str) -> dict[str, str]:
    """Return what columns and decisions are called in a program's results."""
    return {**USUAL, **product.applicants.list_reading(cycle_id, WORDS)}


def words_revision(words: Mapping[str, str]) -> str:
    """Return the revision of what columns and decisions are called."""
    if words == USUAL:
        return NOTHING
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()[:16]


def keep_words(
    product: Swapflow, cycle_id: str, said: Mapping[str, str], *, by: str, made_from: str = ""
) -> dict[str, str]:
    """Remember what columns and decisions are called; an empty word is the usual one again.

    Args:
        product: Stores it.
        cycle_id: The program.
        said: Words by what they name; what is left out stays.
        by: Who says so.
        made_from: The revision that this was made from; "" for no check.

    Raises:
        InvalidInputError: If there is no such thing to name, a word is too long, or two columns
            or two decisions would be called the same.
        StaleRevisionError: If other words were stored since.
    """
    unknown = [name for name in said if name not in USUAL]
    if unknown:
        raise InvalidInputError("result_word_unknown", name=unknown[0], names=list(USUAL))
    kept = product.applicants.list_reading(cycle_id, WORDS)
    now = {**USUAL, **kept}
    check_revision(made_from, words_revision(now), now)
    plain = {name: " ".join(word.split()) for name, word in said.items()}
    wanted = {name: word for name, word in {**kept, **plain}.items() if word}
    whole = list({**USUAL, **wanted}.values())
    if any(len(word) > LONGEST_WORD or not word.isprintable() for word in whole):
        raise InvalidInputError("result_word_long", most=LONGEST_WORD)
    columns, decisions = whole[:3], whole[3:]
    if len(set(columns)) < len(columns) or len(set(decisions)) < len(decisions):
        raise InvalidInputError("result_words_alike")
    if wanted != kept:
        product.applicants.keep_list_reading(cycle_id, WORDS, wanted, by=by)
    return words_of(product, cycle_id)


def result_sheets(product: Swapflow, cycle_id: str) -> tuple[ExportSheet, ...]:
    """Return the results of the final list: decisions, cohort, waitlist, reviews.

    Raises:
        NotReadyError: If there is no final list yet.
    """
    cycle = product.cycles.get(cycle_id)
    version = cycle.cohort_version
    lists = {
        number: (places, sheet) for number, places, sheet in product.cohort.proposals(cycle_id)
    }
    if not version or version not in lists:
        raise NotReadyError("results_not_decided", cycle=cycle_id)
    places, sheet = lists[version]
    proposal = Proposal(cycle_id=cycle_id, version=version, places=places, sheet=sheet)
    outcomes = product.cohort.outcomes(cycle_id, version)
    headers = product.applicants.list_reading(cycle_id, HEADERS)
    key = product.applicants.list_reading(cycle_id, "applicants").get("key", "")
    reference = reference_of(headers, by_email=key == "email")
    people = product.applicants.list(cycle_id)
    own = {one.external_id: one for one in people}
    return (
        _decisions(outcomes, places, people, reference, words_of(product, cycle_id)),
        *(
            _in_their_columns(
                decided_sheet(proposal, outcomes, verdict, name=name), reference, own
            )
            for verdict, name in (
                (Verdict.SELECTED, "cohort"),
                (Verdict.WAITLISTED, "waitlist"),
            )
        ),
        _in_their_columns(_reviews(product, cycle_id, people), reference, own),
    )


def result_bytes(sheet: ExportSheet, form: Format = Format.CSV) -> bytes:
    """Write one result: guarded against formulas, without the mark that hides the first header."""
    return sheet_bytes(sheet, form).removeprefix(codecs.BOM_UTF8)


def put_out_results(
    product: Swapflow, cycle_id: str, folder: DropFolder, *, by: str, via: str = "folder"
) -> tuple[str, ...]:
    """Put the results into a program's `out`, and tell webhooks that they are there.

    Returns:
        The names of the files.

    Raises:
        NotReadyError: If there is no final list yet.
    """
    contents = {
        f"{sheet.name}.csv": result_bytes(sheet) for sheet in result_sheets(product, cycle_id)
    }
    for name, content in contents.items():
        folder.put_out(name, content)
    version = product.cycles.get(cycle_id).cohort_version
    whole = b"".join(contents.values())
    product.exchange.announce(
        cycle_id,
        NewExchange(
            what=Exchanged.RESULTS,
            outcome=ExchangeOutcome.SENT,
            name=", ".join(contents),
            digest=hashlib.sha256(whole).hexdigest(),
            size=len(whole),
            via=via,
            counts={"version": version},
            by=by,
        ),
        list(contents),
        version,
    )
    return tuple(contents)


def results_due(product: Swapflow, cycle_id: str) -> bool:
    """Whether the final list is newer than what was put out."""
    version = product.cycles.get(cycle_id).cohort_version
    last = product.exchange.last(cycle_id, Exchanged.RESULTS)
    return version > (last.counts.get("version", 0) if last else 0)


_IDS = frozenset(ID_SPELLINGS) | {"person_reference_id", "slate_id", "designation_id"}


def _decisions(
    outcomes: Sequence[Outcome],
    places: Sequence[Place],
    people: Sequence[Application],
    reference: Reference,
    words: Mapping[str, str],
) -> ExportSheet:
    """Return a row for each applicant who was decided about; the last decision counts."""
    last = {one.application: one for one in outcomes}
    rank = {place.application: place.rank for place in places}
    rows = [
        (
            *reference.cells(one),
            words[last[one.number].verdict.value.replace(" ", "_")],
            rank.get(one.number, ""),
            last[one.number].at.isoformat(),
        )
        for one in people
        if one.number in last and one.external_id
    ]
    columns = (words["decision"], words["position"], words["decided_at"])
    return ExportSheet(
        name="decisions", headers=(*reference.headers(), *columns), rows=tuple(rows)
    )


def _reviews(product: Swapflow, cycle_id: str, people: Sequence[Application]) -> ExportSheet:
    sheet = scores_sheet(
        product.scores.list(cycle_id),
        applications={one.number: one.external_id for one in people},
        reviewers={one.number: one.external_id for one in product.reviewers.list(cycle_id)},
        kinds=[kind.name for kind in product.cycles.rules(cycle_id).kinds],
        remarks=dict(product.scores.remarks(cycle_id)),
    )
    return replace(sheet, name="reviews")


def _in_their_columns(
    sheet: ExportSheet, reference: Reference, people: Mapping[str, Application]
) -> ExportSheet:
    """Put their columns in place of our id; who was erased has no row."""
    return ExportSheet(
        name=sheet.name,
        headers=(*reference.headers(), *sheet.headers[1:]),
        rows=tuple(
            (*reference.cells(people[str(row[0])]), *row[1:])
            for row in sheet.rows
            if row[0] and str(row[0]) in people
        ),
    )
