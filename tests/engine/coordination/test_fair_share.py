"""Coordinators share the programs: what each takes and gives up, on both databases."""

from collections import Counter

import pytest

from swapflow.engine.coordination.coordinator import Coordinator
from swapflow.engine.coordination.fair_share import MOVES_APART, FairShare
from swapflow.state.memory import MemoryDoorbell
from tests.engine.cycle_by_hand import World, applicants, reviewers, rules


LEASE = 3600.0
SETTLED = MOVES_APART


def office(url: str, programs: int) -> World:
    """Make programs that run and that nobody leads yet."""
    world = World(url=url, rules=rules())
    for number in range(1, programs):
        launched(world, f"p{number}")
    return world


def launched(world: World, name: str) -> None:
    world.product.cycles.new(name, round_id="round", rules=rules(), by="ops")
    world.product.applicants.import_all(name, applicants(6))
    world.product.reviewers.import_all(name, reviewers(4))
    world.product.cycles.launch(name, by="ops")


def coordinator(world: World, holder: str) -> Coordinator:
    return Coordinator(
        ledger=world.ledger,
        state=world.state,
        dispatcher=world.product.context.dispatcher,
        doorbell=MemoryDoorbell(),
        lease_seconds=LEASE,
        holder=holder,
    )


def leads(world: World) -> Counter[str]:
    return Counter(head.leader for head in world.ledger.heads(lease_seconds=LEASE).of.values())


def led(world: World) -> dict[str, str]:
    heads = world.ledger.heads(lease_seconds=LEASE)
    return {name: head.leader for name, head in heads.of.items()}


def epochs(world: World, *coordinators: Coordinator) -> dict[str, int]:
    return {
        name: workspace.lease.epoch
        for one in coordinators
        for name, workspace in one._workspaces.items()
        if workspace.lease is not None
    }


def settle(*coordinators: Coordinator) -> None:
    """Act as if a minute had passed since they took what they lead."""
    for one in coordinators:
        for name in one._share._held_since:
            one._share._held_since[name] -= SETTLED


def test_a_second_and_a_third_coordinator_get_their_share_once_a_minute_has_passed(
    url: str,
) -> None:
    world = office(url, 6)
    one, two, three = (coordinator(world, name) for name in ("one", "two", "three"))
    one.turn()
    assert leads(world) == {"one": 6}
    before = epochs(world, one)

    for busy in (two, one, two, one):
        busy.turn()
    assert leads(world) == {"one": 6}, "taken less than a minute ago"

    settle(one)
    for busy in (one, two, one, two):
        busy.turn()
    assert leads(world) == {"one": 3, "two": 3}
    moved = {name for name, w in two._workspaces.items() if w.lease is not None}
    after = epochs(world, one, two)
    assert {name for name in before if after[name] > before[name]} == moved, "fenced"

    three.turn()
    settle(one, two)
    for busy in (one, two, three, one, two, three):
        busy.turn()
    assert leads(world) == {"one": 2, "two": 2, "three": 2}
    settle(one, two, three)
    last = epochs(world, one, two, three)
    for busy in (one, two, three, one, two, three):
        busy.turn()
    assert epochs(world, one, two, three) == last, "nothing moves when it is even"
    world.ledger.dispose()


def test_the_others_take_what_one_that_goes_led(url: str) -> None:
    world = office(url, 6)
    one, two, three = (coordinator(world, name) for name in ("one", "two", "three"))
    for busy in (one, two, three):
        busy._presence.turn_begins()
    for busy in (one, two, three):
        busy.turn()
    assert leads(world) == {"one": 2, "two": 2, "three": 2}

    three.stop()
    for busy in (one, two):
        busy.turn()

    assert leads(world) == {"one": 3, "two": 3}
    world.ledger.dispose()


def test_one_of_an_earlier_release_beside_a_new_one_does_no_harm(url: str) -> None:
    """It announces nothing and takes whatever is free; it counts by the leases that it holds."""
    world = office(url, 4)
    for cycle in world.ledger.cycles():
        assert world.ledger.take_lease(cycle.id, holder="earlier", seconds=LEASE)
    new = coordinator(world, "new")

    for _ in range(3):
        new.turn()

    assert leads(world) == {"earlier": 4}
    name = world.ledger.cycles()[0].id
    lease = world.ledger.take_lease(name, holder="earlier", seconds=LEASE)
    assert lease is not None
    world.ledger.release_lease(lease)
    new.turn()
    assert leads(world) == {"earlier": 3, "new": 1}
    world.ledger.dispose()


@pytest.mark.parametrize(
    ("own", "others", "given"),
    [
        (6, {"b": 0}, 3),
        (5, {"b": 0}, 2),
        (3, {"b": 2}, 0),
        (3, {"b": 3, "c": 1}, 1),
        (2, {"b": 5, "c": 0}, 0),
        (1000, {"b": 0, "c": 0}, 666),
    ],
)
def test_what_is_above_the_share_is_given_and_a_difference_of_one_is_not(
    own: int, others: dict[str, int], given: int
) -> None:
    share = FairShare(lease_seconds=15.0)
    leaders = {f"a{n}": "a" for n in range(own)}
    for name, count in others.items():
        leaders |= {f"{name}{n}": name for n in range(count)}

    share.look("a", leaders, others.keys(), now=0.0)
    assert share.to_give(now=59.0) == ()
    assert len(share.to_give(now=60.0)) == given


def test_what_nobody_took_is_not_offered_to_the_same_coordinators_again_at_once() -> None:
    share = FairShare(lease_seconds=15.0, move_seconds=60.0)
    leaders = {"p": "a", "q": "a"}
    share.look("a", leaders, ["frozen"], now=0.0)
    assert share.to_give(now=60.0) == ("p",)
    share.gave("p", now=60.0)
    share.look("a", leaders | {"p": ""}, ["frozen"], now=76.0)
    assert share.may_lead("p", now=76.0)
    share.took("p", now=76.0)

    share.look("a", leaders, ["frozen"], now=140.0)
    assert share.to_give(now=140.0) == (), "it had its turn"
    share.look("a", leaders, ["frozen", "new"], now=140.0)
    assert len(share.to_give(now=140.0)) == 1, "another one came"
    share.look("a", leaders, ["frozen"], now=700.0)
    assert len(share.to_give(now=700.0)) == 1, "it is asked again"


def test_a_lease_that_ran_out_and_came_back_does_not_begin_the_minute_anew() -> None:
    share = FairShare(lease_seconds=15.0, move_seconds=60.0)
    leaders = {"p": "a", "q": "a"}
    share.look("a", leaders, ["b"], now=0.0)
    share.look("a", dict.fromkeys(leaders, ""), ["b"], now=30.0)
    assert share.to_give(now=60.0) == (), "what it does not lead it cannot give"
    share.look("a", leaders, ["b"], now=60.0)
    assert len(share.to_give(now=60.0)) == 1

    share.look("a", dict.fromkeys(leaders, "b"), ["b"], now=61.0)
    share.look("a", leaders, ["b"], now=62.0)
    assert share.to_give(now=121.0) == (), "another one led it meanwhile"


def test_a_program_that_nobody_takes_for_a_lease_is_taken_by_any() -> None:
    share = FairShare(lease_seconds=15.0)
    leaders = {"p": "a", "q": "a", "r": ""}

    share.look("a", leaders, ["b"], now=0.0)
    assert not share.may_lead("r", now=0.0), "two of three are its share"
    share.look("a", leaders, ["b"], now=14.0)
    assert not share.may_lead("r", now=14.0)
    share.look("a", leaders, ["b"], now=15.0)
    assert share.may_lead("r", now=15.0)


def test_requests_of_a_program_are_sent_by_its_leader_alone(url: str) -> None:
    world = office(url, 2)
    one, two = (coordinator(world, name) for name in ("one", "two"))
    for busy in (one, two):
        busy._presence.turn_begins()
    one.turn()
    two.turn()
    assert leads(world) == {"one": 1, "two": 1}
    world.ledger.set_clock_offset(2 * 600.0)  # what was sent had no effect: again
    one.turn()
    sent = world.ledger.unsent(again_after=600.0, at_most=1000)
    mine = {name for name, leader in led(world).items() if leader == "one"}
    assert sent, "those of the other wait for it"
    assert not {request.cycle_id for request in sent} & mine
    two.turn()
    assert world.ledger.unsent(again_after=600.0, at_most=1000) == ()
    world.ledger.dispose()
