"""What people decided stands on the chain: by number and digest, so that names can be erased."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import text

from swapflow.domain.cohort.meeting import Word
from swapflow.domain.event import EventType, body, chain_hash
from swapflow.domain.fixed_point import Delta
from swapflow.domain.recorded_rows import recorded_tables, rows_digest
from swapflow.engine.audit.verification import Verification
from tests.engine.cycle_by_hand import CYCLE, World
from tests.engine.everything_decided import everything, signed


@pytest.fixture
def world(url: str) -> Iterator[World]:
    """A cycle in which people did all that they can do to a decision."""
    made = everything(url)
    assert made.product.reports.verify(CYCLE) == Verification(
        events=made.cycle.position.seq, decisions=made.cycle.decisions, findings=()
    )
    yield made
    made.ledger.dispose()


def run(world: World, statement: str, **values: object) -> None:
    with world.ledger._database.writing() as connection:
        assert connection.execute(text(statement), values).rowcount >= 1


def rows(world: World, query: str, **values: object) -> list[tuple[Any, ...]]:
    with world.ledger._database.reading() as connection:
        return [tuple(row) for row in connection.execute(text(query), values)]


def found(world: World) -> str:
    verification = world.product.reports.verify(CYCLE)
    assert not verification.passed
    return "; ".join(finding.what for finding in verification.findings if finding.fatal)


def test_what_was_changed_in_a_trial_by_sql_is_named_on_every_database(world: World) -> None:
    query = "SELECT min(application) FROM outcome WHERE version = 1 AND verdict = :verdict"
    (one,), (other,) = (
        rows(world, query, verdict=verdict)[0] for verdict in ("selected", "waitlisted")
    )
    for application, verdict in ((one, "waitlisted"), (other, "selected")):
        run(
            world,
            "UPDATE outcome SET verdict = :to WHERE version = 1 AND application = :a",
            to=verdict,
            a=application,
        )
    run(
        world,
        'UPDATE signature SET "by" = :m WHERE "by" = :p AND version = 1',
        m="Prof. Mallory",
        p="Dean Pell",
    )
    run(world, "UPDATE decision SET cohort = '[0,1,2]' WHERE number = 2")

    named = found(world)

    # Rows are numbered by the database, which may have served others before.
    assert re.search(r"outcome \d+: verdict is not what event", named)
    assert re.search(r"signature \d+ of event", named)
    assert re.search(r"signature \d+ stands in no event", named)
    assert "Mallory" not in named
    assert "decision 2 is not what event" in named
    assert "decision 2 names another cohort than the replay" in named


def test_a_row_that_was_added_or_removed_by_sql_is_named(world: World) -> None:
    run(world, "DELETE FROM meeting_turn WHERE closed = :no", no=False)
    run(
        world,
        'INSERT INTO waiver (cycle_id, version, application, "by", reason, at) '
        'SELECT cycle_id, version, 2, "by", reason, at FROM waiver WHERE version = 1',
    )

    named = found(world)

    assert re.search(r"meeting_turn \d+ of event \d+ is gone", named)
    assert "waiver 1/2 stands in no event" in named


def test_a_decision_that_is_changed_with_its_digest_is_found_by_the_replay(world: World) -> None:
    (row,) = rows(world, "SELECT max(number) FROM decision WHERE cohort <> '[]'")
    number = row[0]
    run(world, "UPDATE decision SET contested = '[]' WHERE number = :n", n=number)
    _written_anew(world, number)

    named = found(world)

    assert f"decision {number} names others too close to call than the replay" in named
    assert f"decision {number} is not what event" not in named


def _written_anew(world: World, number: int) -> None:
    """Put a decision's new digest into its event, and chain all that follows anew."""
    event = next(e for e in world.events(EventType.DECIDED) if e.payload["decision"] == number)
    columns = recorded_tables(event)["decision"].columns
    record = next(d for d in world.product.reports.decisions(CYCLE) if d.number == number)
    values: dict[str, Any] = {
        "read_seq": record.read.seq,
        "read_hash": record.read.hash,
        "look": dict(record.look),
        "versions": dict(record.versions),
    }
    row = [values[c] if c in values else getattr(record, c) for c in columns]
    digest = rows_digest([row])
    head = ""
    query = "SELECT seq, type, body FROM event WHERE cycle_id = :c ORDER BY seq"
    for seq, kind, stored in rows(world, query, c=CYCLE):
        new = stored
        if seq == event.position.seq:
            content = json.loads(stored)
            content["payload"]["rows"]["decision"]["digest"] = digest
            new = json.dumps(content, sort_keys=True, separators=(",", ":"))
        head = chain_hash(head, cycle_id=CYCLE, seq=seq, kind=kind, text=new)
        run(
            world,
            "UPDATE event SET body = :b, hash = :h WHERE cycle_id = :c AND seq = :s",
            b=new,
            h=head,
            c=CYCLE,
            s=seq,
        )
        if kind == "finalized":
            run(
                world,
                "UPDATE cohort_version SET head_hash = :h WHERE seq = :s",
                h=head,
                s=seq,
            )
    run(world, "UPDATE cycle SET head_hash = :h WHERE id = :c", h=head, c=CYCLE)


def test_an_erased_applicants_texts_are_counted_and_their_salts_are_gone(world: World) -> None:
    query = "SELECT application FROM outcome WHERE version = 1 AND reason = 'unusual'"
    (number,) = rows(world, query)[0]
    others = rows(world, "SELECT digest FROM seal WHERE application <> :a", a=number)

    world.product.applicants.erase(CYCLE, world.names()[number], by="ops")

    verification = world.product.reports.verify(CYCLE)
    assert verification.findings == ()
    assert verification.erased >= 2, "the reason of the override, and what the meeting said"
    assert rows(world, "SELECT digest FROM seal WHERE application = :a", a=number) == []
    assert set(others) <= set(rows(world, "SELECT digest FROM seal"))
    # What was not erased is compared as before.
    run(world, "UPDATE outcome SET reason = 'x' WHERE version = 1 AND reason = 'next year'")
    assert "reason is not what event" in found(world)


def test_a_reviewer_who_is_erased_is_cut_out_of_reasons_without_a_difference(url: str) -> None:
    world = signed(url)
    product = world.product
    product.cohort.reopen(CYCLE, names=["Prof. Quill", "Dean Pell"], reason="one more look")
    product.meetings.open(CYCLE, by="Prof. Quill")
    place = product.meetings.agenda(CYCLE).places[0]
    product.meetings.record(
        CYCLE,
        place.application,
        Word.IN,
        reason="Rex Number1 knows the work",
        by="Prof. Quill",
        seat=None,
    )
    world.turn()
    assert world.product.reports.verify(CYCLE).findings == ()

    product.reviewers.erase(CYCLE, "R1", by="ops")
    world.turn()

    verification = world.product.reports.verify(CYCLE)
    assert verification.findings == ()
    assert verification.erased == 1
    (reason,) = rows(world, "SELECT reason FROM meeting_outcome WHERE version = 2")[0]
    assert "Rex" not in reason
    world.ledger.dispose()


def test_a_salt_that_is_deleted_without_an_erasure_is_a_difference(world: World) -> None:
    run(world, "DELETE FROM seal WHERE application IS NOT NULL")

    assert "reason is not what event" in found(world)


def test_the_bytes_of_events_of_older_releases_are_what_they_were() -> None:
    delta = Delta(application=3, numerator=5, information=2, pending=-2)
    content = body({"b": 1, "a": None}, [delta], spent=1, committed=-1, at=None)

    assert content == (
        '{"committed":-1,"deltas":[[3,5,2,-2]],"payload":{"a":null,"b":1},"spent":1}'
    )
    assert chain_hash("", cycle_id="fall", seq=1, kind="scored", text=content) == (
        "0c194141a52160ae53c6cd3ca13f47b3dd17ce1aea95d575ef847ba8bf758f47"
    )


def test_an_events_time_is_part_of_its_text() -> None:
    at = datetime(2027, 5, 4, 3, 2, 1, 7, tzinfo=UTC)

    assert body({}, [], spent=0, committed=0, at=at).startswith(
        '{"at":"2027-05-04T03:02:01.000007+00:00",'
    )
