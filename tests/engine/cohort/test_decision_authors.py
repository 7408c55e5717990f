"""Who recorded, who prepared and who signed a decision: three people are three people."""

from swapflow.domain.cohort.meeting import Word
from swapflow.domain.cohort.proposal import Outcome, Proposal, Verdict
from swapflow.domain.rules import Purpose
from swapflow.engine.cohort.finalize import Override
from swapflow.files.exports.decision_card import card_document
from swapflow.files.exports.sheets import outcomes_sheet
from swapflow.identity.personal_data import ActivityEntry
from swapflow.ledger.privacy.activity import activity
from swapflow.ledger.schema import OUTCOME
from tests.engine.cycle_by_hand import CYCLE, World, rules
from tests.engine.offers.fixed_cohorts import PEOPLE, rising


def met(**changes: object) -> World:
    """A list whose meeting has an outcome for everybody too close to call."""
    settings: dict[str, object] = {"budget": 8, "purpose": Purpose.REAL, **changes}
    world = World(rules=rules(**settings), applications=PEOPLE)
    world.run(rising)
    assert world.product.meetings.open(CYCLE, by="chair")
    agenda = world.product.meetings.agenda(CYCLE)
    for place in agenda.missing:
        word = Word.IN if place.application in agenda.chosen else Word.WAITLIST
        world.product.meetings.record(
            CYCLE, place.application, word, reason="as proposed", by="chair", seat=None
        )
    return world


def decided() -> World:
    """The committee says at a meeting, operations prepare, two others sign."""
    world = met(signatures=2)
    for name, word in (("A008", Word.WAITLIST), ("A005", Word.IN)):
        world.product.meetings.record(
            CYCLE, world.number(name), word, reason="as we said", by="Carla", seat=None
        )
    world.product.meetings.close(CYCLE, by="chair")
    changes = [
        Override(external_id="A008", verdict=Verdict.WAITLISTED, reason="next year"),
        Override(external_id="A005", verdict=Verdict.SELECTED, reason="a builder"),
    ]
    digest = world.product.cohort.prepare(CYCLE, by="Otto", overrides=changes)
    assert not world.product.cohort.sign(CYCLE, digest, by="Sigrid")
    assert world.product.cohort.sign(CYCLE, digest, by="Sami")
    return world


def outcome(world: World, name: str) -> Outcome:
    number = world.number(name)
    return next(o for o in world.product.cohort.outcomes(CYCLE, 1) if o.application == number)


def activity_of(world: World) -> tuple[ActivityEntry, ...]:
    with world.ledger._database.reading() as connection:
        return activity(connection, CYCLE)


def facts(world: World, name: str) -> dict[str, str]:
    document = card_document(world.product.reports.decision_card(CYCLE, name))
    return dict(document.parts[0].facts)


def test_an_override_of_the_meeting_is_its_recorders_and_not_the_last_signers() -> None:
    world = decided()

    override, other = outcome(world, "A005"), outcome(world, "A002")

    assert (override.by, override.prepared_by) == ("Carla", "Otto")
    assert (other.by, other.prepared_by) == ("Otto", "Otto")
    assert {by for by, _ in world.product.cohort.signatures(CYCLE, 1)} == {"Sigrid", "Sami"}
    world.verify()


def test_card_and_sheet_name_all_three() -> None:
    world = decided()
    signed = [by for by, _ in world.product.cohort.signatures(CYCLE, 1)]
    version, places, method = world.product.cohort.proposals(CYCLE)[-1]
    proposal = Proposal(cycle_id=CYCLE, version=version, places=places, sheet=method)

    told = facts(world, "A005")
    sheet = outcomes_sheet(proposal, [outcome(world, "A005")], signed_by=signed)

    assert told["Recorded by"] == "Carla"
    assert told["Prepared by"] == "Otto"
    assert told["Signed by"] == ", ".join(signed)
    assert "Decided by" not in told
    (row,) = sheet.rows
    found = dict(zip(sheet.headers, row, strict=True))
    assert (found["decided_by"], found["prepared_by"]) == ("Carla", "Otto")
    assert found["signed_by"] == "; ".join(signed)


def test_all_activity_names_who_recorded_an_override() -> None:
    world = decided()

    acts = activity_of(world)

    assert {a.by for a in acts if a.what == "put in, not proposed"} == {"Carla"}
    assert {a.by for a in acts if a.what == "signed"} == {"Sigrid", "Sami"}


def test_who_decides_alone_recorded_prepared_and_signed() -> None:
    world = met()
    world.product.meetings.close(CYCLE, by="chair")
    world.product.cohort.finalize(CYCLE, by="Dora")

    found = outcome(world, "A002")

    assert found.prepared_by == "Dora"
    assert world.product.cohort.signatures(CYCLE, 1) == (("Dora", "chair"),)


def test_a_list_of_an_earlier_release_names_the_meeting_and_else_nobody() -> None:
    world = decided()
    with world.ledger._database.writing() as connection:
        connection.execute(OUTCOME.update().values(prepared_by=None, by="Sami"))

    of_meeting, other = facts(world, "A005"), facts(world, "A002")

    assert of_meeting["Recorded by"] == "Carla"
    assert other["Recorded by"] == "not on record"
    assert other["Prepared by"] == "not on record"


def test_who_took_a_score_out_is_named_and_not_its_reviewer() -> None:
    world = met()
    score = next(s for s in world.product.scores.list(CYCLE) if s.counts)
    world.product.scores.void([score.assignment_id], by="Vera", reason="a mistake")

    acts = activity_of(world)

    assert [a.by for a in acts if a.what == "took a score out"] == ["Vera"]
