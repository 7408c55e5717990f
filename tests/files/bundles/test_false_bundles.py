"""Bundles that the office signed although they lie: events and replay show what is false."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from swapflow.engine.audit.finished_cycle import gather_finished_cycle
from swapflow.files.bundles.bundle import Names, bundle, line_digests, manifest, signature
from swapflow.files.bundles.check import Checked, check_bundle
from swapflow.files.bundles.sealed_archive import Member, readings, seal
from swapflow.files.bundles.signing_keys import Signer, signer_from
from tests.engine.cycle_by_hand import CYCLE, World
from tests.engine.everything_decided import everything
from tests.support.migrated import new_database


pytestmark = pytest.mark.long
"""The cycle in which people decide everything takes three seconds to make."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Office:
    """A finished cycle with everything that people decide, and the key that signs it."""

    world: World
    signer: Signer
    plain: bytes
    named: bytes


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder = tmp_path_factory.mktemp("office")
    world = everything(new_database(folder / "ledger.db"))
    signer = signer_from(folder / "bundle-key.pem")
    closed = gather_finished_cycle(CYCLE, ledger=world.ledger)
    names = Names(
        applications=world.product.applicants.list(CYCLE),
        reviewers=world.product.reviewers.list(CYCLE),
    )
    yield Office(
        world=world,
        signer=signer,
        plain=bundle(closed, signer),
        named=bundle(closed, signer, names=names),
    )
    world.ledger.dispose()


def signed_anew(
    office: Office, name: str, change: Callable[[Rows], None], *, named: bool = False
) -> Checked:
    """Change one file of a bundle, list and sign everything again, and check it."""
    files = []
    for member in next(iter(readings(office.named if named else office.plain))):
        if member.name in {"lines.txt", "manifest.json", "signature.json"}:
            continue
        if member.name == name:
            rows = [json.loads(row) for row in member.data.splitlines()]
            change(rows)
            text = "".join(json.dumps(row) + "\n" for row in rows)
            assert text.encode() != member.data
            member = Member(name, text.encode())  # noqa: PLW2901 - the one that changes
        files.append(member)
    files.append(line_digests(files))
    listed = manifest(files)
    return check_bundle(seal([*files, listed, signature(listed, office.signer)]))


def said(checked: Checked) -> str:
    assert not checked.passed
    found = [f"{problem.place}: {problem.what}" for problem in checked.problems]
    again = checked.replayed
    return "; ".join([*found, *(f.what for f in again.findings if f.fatal)] if again else found)


def last_with_a_look(rows: Rows) -> dict[str, Any]:
    return next(row for row in reversed(rows) if row["cohort"])


def swapped(rows: Rows) -> None:
    """One who was selected and one who was not change places."""
    last = [row for row in rows if row["version"] == max(r["version"] for r in rows)]
    one = next(row for row in last if row["verdict"] == "selected")
    other = next(row for row in last if row["verdict"] != "selected")
    one["verdict"], other["verdict"] = other["verdict"], one["verdict"]
    for row in (one, other):
        row["as_proposed"] = not row["as_proposed"]


def other_cohort(rows: Rows) -> None:
    row = last_with_a_look(rows)
    outside = next(n for n in range(8) if n not in row["cohort"])
    row["cohort"] = sorted([outside, *row["cohort"][1:]])


def none_contested(rows: Rows) -> None:
    last_with_a_look(rows)["contested"] = []


def zero_look(rows: Rows) -> None:
    row = last_with_a_look(rows)
    row["look"] = dict.fromkeys(row["look"], 0.0)


def no_signature(rows: Rows) -> None:
    rows[0]["signatures"].pop()


def other_role(rows: Rows) -> None:
    rows[0]["signatures"][0]["role"] = "dean"


def one_waitlisted(rows: Rows) -> None:
    next(row for row in rows if row["verdict"] == "waitlisted")["verdict"] = "not selected"


def later(rows: Rows) -> None:
    rows[0]["at"] = "2020-01-01T00:00:00+00:00"


def other_priority(rows: Rows) -> None:
    next(row for row in rows if row["picks"])["picks"][0][3] += 1


def other_tie(rows: Rows) -> None:
    rows[0]["tied"] = not rows[0]["tied"]


LIES = [
    ("outcomes.jsonl", swapped, "the outcome of applicant"),
    ("outcomes.jsonl", one_waitlisted, "the outcome of applicant"),
    ("outcomes.jsonl", later, "the time of the outcome"),
    ("outcomes.jsonl", lambda rows: rows.pop(), "the applicants with an outcome"),
    ("decisions.jsonl", other_cohort, "names another cohort than the replay"),
    ("decisions.jsonl", none_contested, "names others too close to call than the replay"),
    ("decisions.jsonl", zero_look, "has another look than the replay"),
    ("decisions.jsonl", other_priority, "is not what event"),
    ("lists.jsonl", no_signature, "the signatures: not what event"),
    ("lists.jsonl", other_role, "the signatures: not what event"),
    ("places.jsonl", other_tie, "places: not what event"),
]


@pytest.mark.parametrize(("name", "lie", "found"), LIES)
def test_a_lie_about_what_people_decided_does_not_survive_the_check(
    office: Office, name: str, lie: Callable[[Rows], None], found: str
) -> None:
    assert found in said(signed_anew(office, name, lie))


def test_the_truth_passes_with_names_and_without(office: Office) -> None:
    for archive in (office.plain, office.named):
        checked = check_bundle(archive)
        assert checked.passed
        assert checked.replayed is not None
        assert checked.replayed.findings == ()
        assert checked.replayed.uncovered == ()


def test_a_false_as_proposed_is_refused(office: Office) -> None:
    def claimed(rows: Rows) -> None:
        row = next(row for row in rows if not row["as_proposed"])
        row["as_proposed"] = True

    assert "as_proposed contradicts the proposal" in said(
        signed_anew(office, "outcomes.jsonl", claimed)
    )


def test_another_name_under_a_signature_or_a_decision_is_found(office: Office) -> None:
    def signed_by(rows: Rows) -> None:
        rows[-1]["signatures"][0]["by"] = "Prof. Mallory"

    def decided_by(rows: Rows) -> None:
        rows[0]["by"] = "Prof. Mallory"

    found = said(signed_anew(office, "lists.jsonl", signed_by, named=True))
    assert "the names of those who signed" in found
    found = said(signed_anew(office, "outcomes.jsonl", decided_by, named=True))
    assert "who decided about applicant" in found


def test_a_bundle_without_names_holds_no_name_no_text_and_no_salt(office: Office) -> None:
    for word in (b"Quill", b"Pell", b"Ada", b"next year", b"legacy", b'"salt"'):
        assert word not in office.plain
    assert b"Quill" in office.named
    assert b"next year" not in office.named


def test_events_hold_no_name_and_no_text_of_anybody(office: Office) -> None:
    bodies = json.dumps([dict(event.payload) for event in office.world.events()])

    for word in ("Quill", "Pell", "Ada", "legacy", "next year", "unusual", "ops", "the applicant"):
        assert word not in bodies


def test_salts_of_texts_about_applicants_stay_in_the_office(office: Office) -> None:
    closed = gather_finished_cycle(CYCLE, ledger=office.world.ledger)
    with office.world.ledger._database.reading() as connection:
        query = "SELECT digest FROM seal WHERE application IS NOT NULL"
        private = set(connection.exec_driver_sql(query).scalars())

    assert private
    assert not private & set(closed.salts)
