"""Defence files: an appeal's questions have their answers in them, read from beginning to end."""

import html as entities
import json
import re
from collections.abc import Iterator

import pypdfium2  # type: ignore[import-untyped]  # it has no stubs
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # likewise
import pytest

from swapflow.engine.audit.defended_decision import ApplicantDefence
from swapflow.errors import NotReadyError
from swapflow.files.exports.defence.answers import QUESTIONS
from swapflow.files.exports.defence.defence_file import (
    applicant_defence_document,
    applicant_defence_json,
    defence_document,
    defence_json,
)
from swapflow.files.exports.document import html, pdf
from tests.engine.cycle_by_hand import CYCLE, World
from tests.files.exports.defended import CHAIR, LEFT_OUT, LETTER, NOTICE, PUT_IN, asked, decided


OUT_WITH_TWO, OUT_WITH_THREE = "A32", "A26"
FEWER, WHO, FAIRLY, OTHERWISE = QUESTIONS


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = asked()
    decided(made)
    yield made
    made.ledger.dispose()


def about(world: World, external_id: str) -> ApplicantDefence:
    return world.product.reports.applicant_defence(CYCLE, external_id)


def answer(made: ApplicantDefence, question: str) -> str:
    """What the file answers to a question of an appeal."""
    parts = {part.title: part for part in applicant_defence_document(made).parts}
    return " ".join(parts[question].text)


def test_the_questions_of_an_appeal_come_first_and_in_this_order(world: World) -> None:
    assert QUESTIONS == (
        "Why did I get fewer reviews than others, or more?",
        "Who decided?",
        "Was I compared fairly?",
        "What would have changed it?",
    )
    for external_id in (OUT_WITH_TWO, OUT_WITH_THREE, PUT_IN):
        parts = applicant_defence_document(about(world, external_id)).parts
        assert tuple(part.title for part in parts[:4]) == QUESTIONS
        assert all(part.text for part in parts[:4])


@pytest.mark.parametrize(
    ("external_id", "reviews", "why"),
    [
        (OUT_WITH_TWO, 2, "2 × everyone gets it."),
        (
            OUT_WITH_THREE,
            3,
            (
                "2 × everyone gets it; 1 × the applicant was not on the proposed list then, too "
                "close to call."
            ),
        ),
        (
            PUT_IN,
            5,
            (
                "2 × everyone gets it; 3 × the applicant was on the proposed list then, too close "
                "to call."
            ),
        ),
    ],
)
def test_why_did_i_get_fewer_reviews(
    world: World, external_id: str, reviews: int, why: str
) -> None:
    made = about(world, external_id)

    said = answer(made, FEWER)

    assert said.startswith(f"{reviews} reviews of this applicant count. In this program")
    assert "applicants have 2 to 5 reviews" in said
    assert "everyone gets 2 × review" in said
    assert f"Why these reviews were asked for: {why}" in said
    assert "The budget was used up." in said
    more = [one for one in made.program.outcomes if one.reviews > reviews]
    assert (f"{len(more)} of 36 applicants had more reviews" in said) == bool(more)


def test_who_decided(world: World) -> None:
    plain, exchanged = answer(about(world, OUT_WITH_TWO), WHO), answer(about(world, PUT_IN), WHO)

    assert plain.startswith("People did: not selected.")
    assert "Recorded by dean@example.edu" in plain
    assert f"Prepared by {CHAIR}. Signed by {CHAIR}, dean@example.edu." in plain
    assert "That the meeting opened the file is not on record." in plain
    assert "took on the whole zone that the applicant is in, 19 applicants" in plain
    assert exchanged.startswith("People did: selected.")
    assert "on it the applicant was on the waitlist. People decided otherwise" in exchanged
    assert "Reason on record: the only one with work on sea ice" in exchanged
    assert re.search(
        r"Before that, .*, the meeting opened the file \(chair@example.edu\)", exchanged
    )


def test_was_i_compared_fairly(world: World) -> None:
    made = about(world, OUT_WITH_THREE)
    said = answer(made, FAIRLY)

    assert "the same form (review): Preparation × 1, Promise × 2, Statement × 1." in said
    assert "Reviewers did not see who the applicant is." in said
    assert "How high each of them marks is estimated" in said
    assert "No attribute of a person enters it" in said
    standing = made.card.standing
    assert standing is not None
    assert standing.cut is not None
    assert standing.way is not None
    assert f"rank {standing.rank} of 36, for 11 places" in said
    assert f"The last applicant on the proposed list has {100 * standing.cut:.1f}." in said
    assert f"the plain average of the marks is {100 * standing.way.mean:.1f} of 100: below" in said


def test_what_would_have_changed_it(world: World) -> None:
    two = about(world, OUT_WITH_TWO)
    said = answer(two, OTHERWISE)

    standing = two.card.standing
    assert standing is not None
    assert standing.cut is not None
    assert standing.way is not None
    apart = standing.cut - standing.estimate
    assert f"the estimate is {100 * apart:.1f} points below the last on the list" in said
    assert two.needed is not None
    # Raised by that much, the marks reach the cut; raised by a point less, they do not.
    assert (two.needed - 1) / 100 * standing.way.weight < apart
    assert two.needed / 100 * standing.way.weight >= apart
    assert f"marks about {two.needed} points higher would have brought it onto" in said
    assert "say the same on average would not have changed it" in said
    assert "reviewers who never had this applicant mark the file anew" in said
    left_out = answer(about(world, LEFT_OUT), OTHERWISE)
    assert left_out.startswith("Another decision of people: by the marks alone the applicant")
    assert "Between applicants so close the marks do not decide" in left_out


def test_a_file_about_one_tells_of_no_other_applicant_and_of_no_reviewer(world: World) -> None:
    made = about(world, OUT_WITH_TWO)
    said = entities.unescape(html(applicant_defence_document(made)).decode())
    said += applicant_defence_json(made).decode()

    for name in world.names().values():
        assert (f"{name}" in said) == (name == OUT_WITH_TWO), name
    assert not re.search(r"\bR[1-8]\b", said)
    named = world.product.reports.applicant_defence(CYCLE, OUT_WITH_TWO, name_reviewers=True)
    assert re.search(r"reviewer R[1-8]\b", html(applicant_defence_document(named)).decode())


def test_confidential_letters_are_named_and_left_out(world: World) -> None:
    made = about(world, OUT_WITH_TWO)
    said = html(applicant_defence_document(made)).decode()

    assert made.withheld == (LETTER, "Reference remarks")
    assert f"left out of this copy: {LETTER}, Reference remarks." in said
    assert "of a referee" not in said


def test_the_file_of_a_program_has_every_outcome_notice_rules_zones_and_replay(
    world: World,
) -> None:
    made = world.product.reports.defence(CYCLE)
    said = entities.unescape(html(defence_document(made)).decode())

    assert NOTICE in said
    assert "On record since rules version 1" in said
    assert "before the first mark" in said
    assert [zone.applicants for zone in made.zones] == [3, 14, 19]
    assert sum(zone.reviews for zone in made.zones) == 100
    assert sum(sum(zone.asked.values()) for zone in made.zones) == 100
    assert "No check of those out by a drawn sample is on record." in said
    assert "dean@example.edu took on the zone out with 19 applicants" in said
    assert len(made.outcomes) == 36
    assert {one.external_id for one in made.outcomes if one.overridden} == {PUT_IN, LEFT_OUT}
    assert {one.external_id for one in made.outcomes if one.opened_at} == {PUT_IN, LEFT_OUT}
    assert made.replay.passed
    assert f"{made.replay.events} events are linked by hash" in said
    assert made.head in said


def test_a_reader_who_may_not_see_applicants_gets_ranks(world: World) -> None:
    made = world.product.reports.defence(CYCLE).without_people()
    said = entities.unescape(html(defence_document(made)).decode()) + defence_json(made).decode()

    assert "rank 12" in said
    assert not [name for name in world.names().values() if name in said]
    assert "sea ice" not in said


@pytest.mark.long
def test_the_same_record_gives_the_same_bytes_whenever_it_is_made(world: World) -> None:
    def files() -> list[bytes]:
        program, one = world.product.reports.defence(CYCLE), about(world, PUT_IN)
        documents = [defence_document(program), applicant_defence_document(one)]
        return [
            *(made for document in documents for made in (html(document), pdf(document))),
            defence_json(program),
            applicant_defence_json(one),
        ]

    before = files()
    world.later(days=40)

    assert files() == before


def test_the_json_is_strict_and_holds_what_the_page_says(world: World) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    one = json.loads(applicant_defence_json(about(world, PUT_IN)), parse_constant=refuse)
    program = json.loads(defence_json(world.product.reports.defence(CYCLE)), parse_constant=refuse)

    assert one["outcome"]["external_id"] == PUT_IN
    assert one["card"]["standing"]["rank"] == one["outcome"]["rank"]
    assert "outcomes" not in one["program"]
    assert program["replay"]["passed"] is True
    assert program["notice"] == NOTICE
    assert len(program["outcomes"]) == 36


@pytest.mark.parametrize("external_id", ["", OUT_WITH_TWO])
def test_the_pdf_is_tagged_and_its_tables_go_on_over_pages(world: World, external_id: str) -> None:
    document = (
        applicant_defence_document(about(world, external_id))
        if external_id
        else defence_document(world.product.reports.defence(CYCLE))
    )
    made = pdf(document)
    opened = pypdfium2.PdfDocument(made)
    try:
        assert pdfium.FPDFCatalog_IsTagged(opened)
        assert b"pdfuaid" in made
        texts = [opened[number].get_textpage().get_text_range() for number in range(len(opened))]
        everything = "".join(texts)
        for part in document.parts:
            assert part.title.split()[0] in everything
        if not external_id:
            # Each row is on one of the pages; a table that does not break hides the last ones.
            with_rows = [n for n, text in enumerate(texts) if re.search(r"\bA\d\d\b", text)]
            assert len(with_rows) > 1
            for name in world.names().values():
                assert name in everything
    finally:
        opened.close()


def test_before_a_list_is_final_there_is_no_decision_to_defend() -> None:
    world = World(applications=4)

    with pytest.raises(NotReadyError):
        world.product.reports.defence(CYCLE)
    world.ledger.dispose()
