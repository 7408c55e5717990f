"""Results in the columns of the list that the applicants came with, and webhooks told of them."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.cycle import CycleStatus
from swapflow.engine.cohort.finalize import Override
from swapflow.errors import InvalidInputError, NotReadyError
from swapflow.files.intake.drop_folder import make_drop_folder
from swapflow.files.intake.results import (
    keep_words,
    put_out_results,
    result_bytes,
    result_sheets,
    results_due,
)
from swapflow.files.intake.take import Sent, take_file
from swapflow.identity.reach import Reach
from swapflow.identity.webhooks import make_webhook
from tests.engine.cycle_by_hand import CYCLE, RULES, World


SLATE = "Application Reference ID,Person Reference ID,First,Last,Email,Bin,Round\n" + "".join(
    f"=A{n},P{n},Ann{n},Lee,a{n}@example.org,Review,Fall\n" for n in range(8)
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A finished round whose applicants came from Slate."""
    world = World(rules=replace(RULES, budget=8), applications=0, launch=False)
    path = tmp_path / "slate.csv"
    path.write_text(SLATE)
    sent = Sent(path=path, name="slate.csv", via="folder", by="drop folder")
    take_file(sent, product=world.product, cycle_id=CYCLE)
    world.product.cycles.launch(CYCLE, by="ops")
    world.run(lambda a, *_: (int(a[2:]) + 1) / 10)
    assert world.cycle.status in {CycleStatus.PROPOSED, CycleStatus.ENDED}
    return world


def final(world: World) -> World:
    world.product.cohort.finalize(
        CYCLE,
        by="chair",
        overrides=[
            Override(external_id="=A0", verdict=Verdict.SELECTED, reason="r"),
            Override(external_id="=A7", verdict=Verdict.NOT_SELECTED, reason="r"),
        ],
    )
    return world


def rows(body: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode())))


def test_there_are_no_results_before_the_list_is_final(world: World) -> None:
    with pytest.raises(NotReadyError, match="once its list is final"):
        result_sheets(world.product, CYCLE)
    assert not results_due(world.product, CYCLE)


def test_decisions_stand_under_their_reference_in_their_words(world: World) -> None:
    keep_words(world.product, CYCLE, {"decision": "Decision 1", "selected": "Admit"}, by="ops")
    sheets = {one.name: one for one in result_sheets(final(world).product, CYCLE)}

    decisions = rows(result_bytes(sheets["decisions"]))

    assert list(sheets) == ["decisions", "cohort", "waitlist", "reviews"]
    assert list(decisions[0]) == [
        "Application Reference ID",
        "Person Reference ID",
        "Decision 1",
        "position",
        "decided_at",
    ]
    by_person = {row["Person Reference ID"]: row["Decision 1"] for row in decisions}
    assert len(by_person) == 8
    assert (by_person["P0"], by_person["P7"]) == ("Admit", "not selected")
    # A would-be formula is guarded, and the first header has no mark before it.
    assert decisions[0]["Application Reference ID"] == "\t=A0"
    reviews = rows(result_bytes(sheets["reviews"]))
    assert {row["Person Reference ID"] for row in reviews} == {f"P{n}" for n in range(8)}
    assert [row["Person Reference ID"] for row in rows(result_bytes(sheets["cohort"]))][-1] == "P0"


def test_results_are_put_out_once_for_each_final_list(world: World, tmp_path: Path) -> None:
    final(world)
    folder = make_drop_folder(tmp_path / "drop", CYCLE)
    assert results_due(world.product, CYCLE)

    names = put_out_results(world.product, CYCLE, folder, by="ops")

    assert names == ("decisions.csv", "cohort.csv", "waitlist.csv", "reviews.csv")
    assert sorted(path.name for path in folder.outgoing.iterdir()) == sorted(names)
    assert not results_due(world.product, CYCLE)
    sent = world.product.exchange.files(CYCLE)[0]
    assert (sent.outcome.value, sent.counts["version"]) == ("sent", 1)


def test_a_webhook_says_that_they_are_there(world: World, tmp_path: Path) -> None:
    office = world.ledger.office()
    reach = Reach(plain=True, loopback=True, private=True)
    for events in (["files.ready"], ["score.received"]):
        make_webhook(
            "http://127.0.0.1:9/x",
            events=events,
            cycle_id=None,
            by="ops",
            reach=reach,
            ledger=office,
        )
    final(world)
    put_out_results(world.product, CYCLE, make_drop_folder(tmp_path, CYCLE), by="ops")

    due = [one for one in world.ledger.due_calls(again_after=60, at_most=99) if "files-" in one]

    assert len(due) == 1
    call = world.ledger.claim_call(due[0])
    assert call is not None
    told = json.loads(call.body)
    assert (told["event"], told["cycle"]) == ("files.ready", CYCLE)
    assert told["data"]["files"][0] == "decisions.csv"


@pytest.mark.parametrize(
    "said", [{"shoe": "x"}, {"decision": "x" * 101}, {"decision": "position"}]
)
def test_words_that_cannot_be_used_are_refused(world: World, said: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError):
        keep_words(world.product, CYCLE, said, by="ops")
