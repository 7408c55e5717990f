"""A practice program: copied from a real one, kept inside, thrown away whole."""

from dataclasses import replace

import pytest
from sqlalchemy import create_engine, select, text

from swapflow.domain.cycle import CycleStatus
from swapflow.domain.reviewing.score import Origin
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError
from swapflow.identity.permissions import Role, Scope
from swapflow.ledger.privacy.thrown_away import KEPT, of_cycle
from swapflow.ledger.schema.base import METADATA
from tests.web.site import Site


REMARK = "The plan of this invented applicant is thin"


def practised(site: Site, *, launch: bool = True, automatic: bool = False) -> str:
    """A real program, and a practice program of it; gives the latter's id."""
    site.launched("fall")
    made = site.product.copies.practise("fall", by="o", seed=7, automatic=automatic)
    if launch:
        site.product.cycles.launch(made.id, by="o")
        site.turn()
    return made.id


def scores(site: Site, cycle: str) -> list[Origin]:
    return [one.origin for one in site.ledger.scores(cycle)]


def test_rules_and_roster_are_copied_and_applicants_invented(site: Site) -> None:
    site.launched("fall")

    made = site.product.copies.practise("fall", by="o", seed=7)

    assert (made.practice_of, made.name) == ("fall", "PRACTICE · MS fall")
    assert made.status is CycleStatus.DRAFT
    own, copied = site.product.cycles.rules("fall"), site.product.cycles.rules(made.id)
    settled = replace(
        copied,
        automatic=None,
        version=own.version,
        seed=own.seed,
        seed_drawn=own.seed_drawn,
    )
    assert settled == own
    people = site.product.reviewers.list
    assert [(r.external_id, r.name, r.email) for r in people(made.id)] == [
        (r.external_id, r.name, r.email) for r in people("fall")
    ]
    invented = site.product.applicants.list(made.id)
    assert len(invented) == 24
    assert all("Invented" in one.name and ".example" in one.email for one in invented)
    real = {one.name for one in site.product.applicants.list("fall")}
    assert not real & {one.name for one in invented}
    files = site.product.applicants.files(made.id, invented[0].number)
    assert [file.media for file in files] == ["text/plain"]
    body = site.product.applicants.file_content(made.id, invented[0].number, 0)
    assert body.decode().startswith("Invented for practice. No applicant wrote this.")


def test_the_same_seed_invents_the_same_people(site: Site) -> None:
    site.launched("fall")
    one, two = (site.product.copies.practise("fall", by="o", seed=3) for _ in range(2))

    told = [
        [(a.name, a.fields) for a in site.product.applicants.list(made.id)] for made in (one, two)
    ]

    assert told[0] == told[1]


@pytest.mark.parametrize("count", [1, 3, 301])
def test_so_many_applicants_cannot_be_invented(site: Site, count: int) -> None:
    site.launched("fall")

    with pytest.raises(InvalidInputError):
        site.product.copies.practise("fall", by="o", applicants=count)


def test_people_have_the_rights_of_the_real_program(site: Site) -> None:
    site.launched("fall")
    client = site.signed_in(Role.COORDINATOR, cycle="fall")

    made = site.product.copies.practise("fall", by="o")

    assert client.get(f"/today/{made.id}").status_code == 200
    account = site.account("coordinator@example.org")
    site.product.copies.throw_away(made.id)
    assert {(g.scope, g.scope_id) for g in site.office.users.grants(account.id)} == {
        (Scope.CYCLE, "fall")
    }


def test_automatic_reviewers_fill_what_is_open_until_nothing_more_is_asked(site: Site) -> None:
    practice = practised(site)
    real = scores(site, "fall")
    pressed = 0
    while site.product.copies.fill(practice):
        pressed += 1
        site.turn()
        assert pressed < 60

    assert pressed > 1
    assert set(scores(site, practice)) == {Origin.AUTOMATIC}
    assert scores(site, "fall") == real
    assert site.product.cycles.get(practice).status is CycleStatus.PROPOSED


def test_what_a_person_has_opened_stays_theirs(site: Site) -> None:
    practice = practised(site)
    task = site.product.tasks.inbox(practice, "R1")[0]
    site.ledger.mark_opened(task.id, rubric_version=1)

    filled = site.product.copies.fill(practice)

    assert filled > 0
    assert [one.id for one in site.product.tasks.inbox(practice, "R1")] == [task.id]


def test_a_real_program_is_neither_filled_nor_thrown_away(site: Site) -> None:
    site.launched("fall")
    events = site.product.cycles.get("fall").position

    with pytest.raises(ConflictError):
        site.product.copies.fill("fall")
    with pytest.raises(ConflictError):
        site.product.copies.throw_away("fall")
    # The ledger refuses as well: a caller that forgets to ask deletes nothing.
    with pytest.raises(ConflictError):
        site.ledger.throw_away("fall")

    assert site.product.cycles.get("fall").position == events
    staff = site.signed_in(Role.OPERATIONS)
    assert staff.post("/setup/fall/throw-away").status_code == 409
    assert site.product.cycles.get("fall").position == events


def test_every_table_is_emptied_of_a_practice_program_or_named_as_kept(site: Site) -> None:
    of_nobody = {"account", "api_token", "clock", "person", "round", "session", "sign_in"}
    of_nobody |= {"backup_run", "coordinator", "retention_rule", "unit"}
    of_nobody |= {"account_group", "group_claim", "stray_bounce"}

    untouched = {t.name for t in METADATA.sorted_tables if of_cycle(t, "x") is None}

    assert untouched == of_nobody | KEPT


def test_thrown_away_nothing_of_it_is_left_in_database_and_live_state(site: Site) -> None:
    practice = practised(site)
    site.product.copies.fill(practice)
    site.turn()
    invented = site.product.applicants.list(practice)
    task = site.product.tasks.inbox(practice, "R2")[0]
    record = site.product.tasks.find(site.product.tasks.code(task.id), reviewer=1)
    site.product.tasks.save_draft(record, {"remark": REMARK}, version=0)
    assert REMARK.encode() in database(site), "or the test could not fail"
    real = site.product.applicants.list("fall")
    assert invented[0].email.encode() in database(site)
    staff = site.signed_in(Role.OPERATIONS)
    before = counts(site)

    page = staff.get(f"/setup/{practice}/copies").text
    assert "24 invented applicants with their files" in page
    sent = staff.post(f"/setup/{practice}/throw-away")

    assert sent.status_code == 303
    assert "Threw away PRACTICE · MS fall with everything in it." in staff.get("/today").text
    left = database(site)
    for words in (invented[0].email, invented[-1].name, REMARK, "No applicant wrote this"):
        assert words.encode() not in left, words
    rows = rows_with(site, practice)
    assert {table for table, _ in rows} <= {"audit"}
    after = counts(site)
    # Beside what was written down of the press itself.
    grown = {name for name, count in before.items() if after[name] > count}
    assert grown <= {"audit", "idempotency"}
    with pytest.raises(NotFoundError):
        site.product.cycles.get(practice)
    assert practice not in str(site.product.context.state.quarantined())
    assert site.product.context.state.dashboard(practice) is None
    assert site.product.applicants.list("fall") == real
    assert len(site.product.reviewers.list("fall")) == 4
    # Pressed twice, it acts once and says the same.
    again = staff.post(f"/setup/{practice}/throw-away")
    assert (again.status_code, again.headers["location"]) == (303, "/today")
    assert {**counts(site), "idempotency": 0} == {**after, "idempotency": 0}


def test_a_coordinator_at_work_drops_what_was_thrown_away(site: Site) -> None:
    practice = practised(site)
    assert practice in site.coordinator._workspaces

    site.product.copies.throw_away(practice)
    # As a coordinator does that had read the program before it went.
    site.product.context.state.publish(practice, b"late")
    site.turn()

    assert practice not in site.coordinator._workspaces
    assert site.product.context.state.dashboard(practice) is None
    assert site.product.context.state.quarantined() == {}
    assert "fall" in site.coordinator._workspaces


def test_a_worker_finds_nothing_to_do_for_a_message_of_what_is_gone(site: Site) -> None:
    practice = practised(site)
    task = site.product.tasks.inbox(practice, "R1")[0].id
    site.product.copies.throw_away(practice)

    with pytest.raises(NotFoundError):
        site.product.delivery.deliver(task)
    assert site.product.outbox.send_mail(f"{practice}:waiting:0") is False


def database(site: Site) -> bytes:
    site.ledger.compact()
    files = site.file.parent.glob(f"{site.file.name}*")
    return b"".join(path.read_bytes() for path in files)


def counts(site: Site) -> dict[str, int]:
    with create_engine(f"sqlite:///{site.file}").connect() as connection:
        return {
            name: connection.execute(text(f'SELECT count(*) FROM "{name}"')).scalar_one()
            for name in METADATA.tables
        }


def rows_with(site: Site, words: str) -> list[tuple[str, object]]:
    with create_engine(f"sqlite:///{site.file}").connect() as connection:
        return [
            (table.name, row)
            for table in METADATA.sorted_tables
            for row in connection.execute(select(text("*")).select_from(table))
            if words in str(tuple(row))
        ]
