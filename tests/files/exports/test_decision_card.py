"""Decision cards: what is on them, for whom, and that a PDF of one can be read by everybody."""

import builtins
import html as entities
import json
from collections.abc import Iterator
from typing import Any

import pypdfium2  # type: ignore[import-untyped]  # it has no stubs
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # likewise
import pytest

from swapflow.domain.cohort.proposal import Verdict
from swapflow.engine.audit.decision_card import Card
from swapflow.engine.cohort.finalize import Override
from swapflow.errors import InvalidInputError, NotFoundError, UnavailableError
from swapflow.files.exports.decision_card import card_document, card_json
from swapflow.files.exports.document import PrintedDocument, html, pdf
from tests.engine.cycle_by_hand import CYCLE, World, applicant, rules


NAMES = (
    "Zoë Ærøskøbing", "محمد الفارسي", "דוד לוי", "山田 太郎", "अनुष्का शर्मा", "Дарья Νίκος",
    "<b>Bold</b> #emph[x] `raw` $x$", "Łukasz Ở",
)  # fmt: skip


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """A finished cycle: one remark was written, and people exchanged two applicants."""
    people = [applicant(f"A{number}", name=name) for number, name in enumerate(NAMES)]
    made = World(rules=rules(budget=20, out=8), applications=people)
    made.turn()
    notes = {"private": "for the office alone"}
    task = next(a for a in made.waiting() if a.application == 1)
    made.submit(task, 0.5, remark="Ein <Wort> über 数学", notes=notes)
    made.run()
    places = made.product.cohort.propose(CYCLE).places
    changes = (
        Override(external_id=places[0].external_id, verdict=Verdict.WAITLISTED, reason="a rule"),
        Override(external_id=places[-1].external_id, verdict=Verdict.SELECTED, reason="a project"),
    )
    made.product.cohort.finalize(
        CYCLE, by="Prof. Quill", signed_by=("Dean Ito",), overrides=changes
    )
    yield made
    made.ledger.dispose()


def cards(world: World) -> list[Card]:
    return [
        world.product.reports.decision_card(CYCLE, f"A{number}") for number in range(len(NAMES))
    ]


def words(document: bytes) -> str:
    return entities.unescape(document.decode())


def test_a_card_says_where_an_applicant_stands_and_by_how_much(world: World) -> None:
    ((_, places, _),) = world.product.cohort.proposals(CYCLE)
    for place in places:
        standing = world.product.reports.decision_card(CYCLE, place.external_id).standing
        assert standing is not None
        assert (standing.rank, standing.estimate) == (place.rank, place.estimate)
        assert standing.proposed == (place.rank <= standing.places == 3)
        assert standing.cut == places[3 if standing.proposed else 2].estimate


def test_a_card_says_what_people_decided_and_whether_that_was_proposed(world: World) -> None:
    ((_, places, _),) = world.product.cohort.proposals(CYCLE)
    put_in = world.product.reports.decision_card(CYCLE, places[-1].external_id)
    said = words(html(card_document(put_in)))

    assert put_in.decided is not None
    assert (put_in.decided.verdict, put_in.decided.by) == ("selected", "Prof. Quill")
    assert set(put_in.decided.signed_by) == {"Prof. Quill", "Dean Ito"}
    assert "People decided: selected. It was proposed otherwise." in said
    assert "a project" in said
    kept = words(
        html(card_document(world.product.reports.decision_card(CYCLE, places[1].external_id)))
    )
    assert "People decided: selected. That is what was proposed." in kept


def test_every_review_says_why_it_was_asked_for(world: World) -> None:
    seen = set()
    for card in cards(world):
        assert sum(review.counts for review in card.reviews) == card.standing.evidence  # type: ignore[union-attr]  # everybody stands somewhere
        seen |= {(review.why, review.close_then) for review in card.reviews}
        said = words(html(card_document(card)))
        assert "everyone gets it" in said
        for review in card.reviews:
            assert f"decision {review.decision}" in said
    assert {("floor", False), ("rule", True)} <= seen


def test_reviewers_are_numbers_and_private_notes_stay_in_the_office(world: World) -> None:
    card = world.product.reports.decision_card(CYCLE, "A1")
    named = world.product.reports.decision_card(CYCLE, "A1", name_reviewers=True)

    said = card_json(card).decode() + words(html(card_document(card)))
    assert "Ein <Wort> über 数学" in said
    assert "for the office alone" not in said
    assert not [f"R{n}" for n in range(1, 5) if f"R{n}" in said]
    assert {review.reviewer for review in named.reviews} <= {"R1", "R2", "R3", "R4"}


def test_what_people_typed_is_text_on_a_page(world: World) -> None:
    page = html(card_document(world.product.reports.decision_card(CYCLE, "A6"))).decode()

    assert "<b>Bold" not in page
    assert NAMES[6] in entities.unescape(page)
    assert "<script" not in page
    assert "http" not in page, "a card asks nobody for anything"


def test_json_holds_the_same_as_the_page(world: World) -> None:
    for card in cards(world):
        content = json.loads(card_json(card))
        low, high = content["interval"]
        assert 0 <= low <= content["standing"]["estimate"] <= high <= 1
        assert content["applicant"] == card.applicant
        assert len(content["reviews"]) == len(card.reviews)


def test_a_card_before_anything_is_known_says_so() -> None:
    world = World(rules=rules(budget=20, out=5))
    card = world.product.reports.decision_card(CYCLE, "A001")
    said = words(html(card_document(card)))

    assert (card.standing, card.decided, card.reviews) == (None, None, ())
    assert "Nothing is decided yet" in said
    assert "No review of this applicant yet." in said
    with pytest.raises(NotFoundError):
        world.product.reports.decision_card(CYCLE, "nobody")
    world.ledger.dispose()


# PDF


def opened(made: bytes) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(made)


def text_of(made: bytes) -> str:
    document = opened(made)
    try:
        pages = [document[number].get_textpage() for number in range(len(document))]
        return "\n".join(page.get_text_range() for page in pages)
    finally:
        document.close()


def tags_of(made: bytes) -> list[str]:
    """The structure of the pages, as a screen reader walks it."""
    document = opened(made)
    found: list[str] = []

    def walk(element: Any) -> None:  # noqa: ANN401 - a handle of the library
        buffer = pdfium.ctypes.create_string_buffer(200)
        length = pdfium.FPDF_StructElement_GetType(element, buffer, 200)
        found.append(buffer.raw[: length - 2].decode("utf-16-le"))
        for child in range(pdfium.FPDF_StructElement_CountChildren(element)):
            below = pdfium.FPDF_StructElement_GetChildAtIndex(element, child)
            if below:
                walk(below)

    for page in range(len(document)):
        tree = pdfium.FPDF_StructTree_GetForPage(document[page])
        for number in range(pdfium.FPDF_StructTree_CountChildren(tree)):
            walk(pdfium.FPDF_StructTree_GetChildAtIndex(tree, number))
        pdfium.FPDF_StructTree_Close(tree)
    document.close()
    return found


def test_a_pdf_is_tagged_for_screen_readers_and_names_its_language(world: World) -> None:
    made = pdf(card_document(world.product.reports.decision_card(CYCLE, "A1")))

    tags = tags_of(made)
    assert tags.count("H1") == 1
    assert tags.count("H2") == 5
    assert {"Table", "TR", "TH", "TD", "L", "LI", "P", "Caption"} <= set(tags)
    assert b"pdfuaid:part" in made
    assert b"/Lang" in made
    document = opened(made)
    assert document.get_metadata_dict()["Title"].startswith("Decision card: ")
    document.close()


def test_names_in_several_scripts_stand_in_a_pdf(world: World) -> None:
    for number, name in enumerate(NAMES):
        made = pdf(card_document(world.product.reports.decision_card(CYCLE, f"A{number}")))

        text = text_of(made)
        # Letters that are drawn as one come back from a PDF in parts, so letters are compared.
        lacking = {letter for letter in name if letter not in text} - {" "}
        assert not lacking, (name, lacking)
        assert "Rank of the applicant" in text


def test_the_same_card_makes_the_same_pdf(world: World) -> None:
    document = card_document(world.product.reports.decision_card(CYCLE, "A3"))

    assert pdf(document) == pdf(document)


def test_a_letter_that_no_font_has_is_named_with_the_cure(world: World) -> None:
    document = card_document(world.product.reports.decision_card(CYCLE, "A0"))
    odd = PrintedDocument(
        title=document.title, about="\U00012000", lead=(), parts=(), foot=""
    )  # cuneiform

    with pytest.raises(InvalidInputError, match="SWAPFLOW_FONTS"):
        pdf(odd)


def test_without_the_extra_a_pdf_says_how_to_get_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = card_document(world.product.reports.decision_card(CYCLE, "A0"))
    real = builtins.__import__

    def without(name: str, *rest: Any) -> object:  # noqa: ANN401 - as the built-in
        if name == "typst":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnavailableError, match=r"pip install 'swapflow\[cards\]'"):
        pdf(document)


def test_a_card_shows_the_way_from_the_average_of_the_marks_to_the_score(world: World) -> None:
    """In numbers that add up, in words, and for programs."""
    told = [card for card in cards(world) if card.standing and card.standing.way]

    assert len(told) == len(NAMES)
    for card in told:
        assert card.standing is not None
        way = card.standing.way
        assert way is not None
        assert way.severity is None
        total = way.mean + way.few_marks + way.kind
        assert total == pytest.approx(card.standing.estimate)
        document = words(html(card_document(card)))
        assert "Few marks, and differences between reviewers" in document
        assert "severe" not in document.casefold()
        assert f"{100 * way.few_marks:+.1f}" in document
        assert str(way.sentences()[0]) in document
        assert json.loads(card_json(card))["standing"]["way"]["mean"] == pytest.approx(way.mean)
