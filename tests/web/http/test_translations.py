"""What is missing in the catalogues shows as plain English in a language that nobody speaks."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from swapflow.domain.cohort.proposal import Verdict
from swapflow.domain.people.reviewer import DeclineKind
from swapflow.domain.reviewing.assignment import PullStatus
from swapflow.domain.reviewing.score import NotCounted
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.engine.audit.decision_card import CardReconsideration
from swapflow.engine.cohort.finalize import Override
from swapflow.engine.interviews.slots import InterviewSlot
from swapflow.errors import NotReadyError
from swapflow.files.exports.decision_card import card_document
from swapflow.files.exports.document import html
from swapflow.files.imports.reviewers import REVIEWER_ROLES
from swapflow.i18n.languages import SOURCE, set_deployment_language, use_language
from swapflow.i18n.translation import translate
from swapflow.identity.permissions import Role
from swapflow.messages import Message
from swapflow.settings import Settings, load_settings
from swapflow.web.cycle.imports import named, words
from tests.support.plain import Words, plain
from tests.web.cohort.fixed_cohorts import LETTERS, looked, offers_out, typed
from tests.web.crawl import Page, walk
from tests.web.everyone import busy, people
from tests.web.site import ADDRESS, SITE_RULES, Site


@pytest.fixture
def settings(tmp_path: object) -> Settings:
    return load_settings(data_dir=tmp_path, public_url=ADDRESS, language="en-XA")


@pytest.fixture(autouse=True)
def strange_mails() -> Iterator[None]:
    set_deployment_language("en-XA")
    yield
    set_deployment_language(SOURCE)


FOR_PROGRAMS = ("/me/keys", "/api/")
"""Pages for people who write programs, in English like the API itself."""

RULES = "/setup/fall/rules"
UNCOUNTED = tuple(NotCounted)
PANEL = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=3, quorum=3)
MEETINGS = replace(
    SITE_RULES, kinds=(PANEL,), lines=(SeatLine(name="all", places=1),), zone="Europe/Paris"
)


@pytest.mark.parametrize("who", ["reviewer", "nobody"])
def test_every_word_that_a_reviewer_reads_is_in_the_catalogues(site: Site, who: str) -> None:
    seen = next(one for one in people(busy(site)) if one.name == who)
    left: dict[str, list[str]] = {}

    opened = 0
    for response, page in walk(seen.client, *seen.starts):
        if page is None or urlsplit(page.address).path.startswith(FOR_PROGRAMS):
            continue
        opened += 1
        assert Words(response.text).language == ("en-XA", "ltr"), page.address
        if found := plain(response.text):
            left[urlsplit(page.address).path] = found

    assert left == {}
    assert opened >= {"reviewer": 8, "nobody": 1}[who]


STAFF = (
    "/applicants/CYCLE/files",
    "/applicants/CYCLE/slots",
    "/applicants/CYCLE/slots/proposal",
    "/reviewers/CYCLE/sheets",
    "/today/CYCLE/mail",
    "/today/CYCLE/mail/MAIL",
    "/applicants/CYCLE",
    "/applicants/CYCLE/NUMBER",
    "/reviewers/CYCLE",
    "/reviewers/CYCLE/NUMBER",
    "/decide/CYCLE",
    "/decide/CYCLE/calibration",
    "/decide/CYCLE/letters",
    "/decide/CYCLE/reconsiderations",
    "/decide/CYCLE/meeting",
    "/decide/CYCLE/meeting/NUMBER",
    "/decide/CYCLE/offers",
    "/setup",
    "/setup/CYCLE",
    "/setup/CYCLE/launch",
    "/setup/CYCLE/rules",
    "/setup/users",
    "/setup/groups",
    "/setup/rounds/round/units",
    "/today/CYCLE/audit",
    "/setup/CYCLE/applicants",
    "/setup/CYCLE/reviewers",
    "/setup/CYCLE/rubrics",
    "/setup/CYCLE/rubrics/review",
    "/today",
    "/today/CYCLE",
    "/today/CYCLE/decisions",
    "/today/CYCLE/waiting",
    "/today/CYCLE/evidence",
    "/today/CYCLE/activity",
    "/activity",
    "/setup/system",
)
"""Staff's pages that are in the catalogues, word for word; the others are in English as yet."""


def test_every_word_of_these_pages_of_staff_is_in_the_catalogues(site: Site) -> None:
    seen = next(one for one in people(busy(site)) if one.name == "administrator")
    # With a date for one of its requests the program has interviews.
    (asked, *_) = site.ledger.pulls("fall", statuses={PullStatus.OPEN})
    slot = InterviewSlot(
        pull_id=asked.id, starts_at=datetime(2031, 3, 10, 9, tzinfo=UTC), minutes=45
    )
    site.product.reviewers.set_slots("fall", [slot], by="ops")
    left: dict[str, list[str]] = {}
    opened = set()

    for response, page in walk(seen.client, *seen.starts):
        if page is None or (kind := _kind(page.address)) not in STAFF:
            continue
        opened.add(kind)
        if found := plain(response.text):
            left[urlsplit(page.address).path] = found

    assert left == {}
    assert opened == set(STAFF)


def test_every_word_about_a_spreadsheet_that_is_tried_is_in_the_catalogues(site: Site) -> None:
    staff = site.signed_in(Role.ADMINISTRATOR)
    # Headers, names and cells are the visitor's own words, so none of them is one.
    lines = ["A900,R9,A901,A902"]
    for number in range(100, 130):
        lines += [
            f"A{number},R{(number + place) % 4},{number * 37 % 90 + place * 7},A000"
            for place in (0, 1)
        ]
    form = {"places": "8", "reviews": "5", "scale": "0..100"}
    form["columns"] = "A900 = applicant\nR9 = reviewer\nA901 = mark"
    files = {"file": ("7.CSV", "\n".join(lines).encode())}

    pages = [staff.get("/today").text, staff.get("/setup").text, staff.get("/try").text]
    pages.append(staff.post("/try", data={"places": "0", "scale": "1"}).text)
    for _ in range(3):
        sent = staff.post("/try", data=form, files=files)
        if sent.status_code == 303:
            break
    pages.append(staff.get(sent.headers["location"]).text)
    pages.append(staff.get("/try/never-was").text)

    assert [found for page in pages if (found := plain(page))] == []
    assert "Short of" not in pages[-2]


def test_every_word_about_letters_is_in_the_catalogues(site: Site) -> None:
    client = offers_out(site)

    pages = [client.get("/decide/fall/letters").text]
    form, looked_at = looked(client, waitlist="2")
    pages += [looked_at, client.post(f"{LETTERS}/look", data=typed(minutes="soon")).text]
    pages += [client.post(f"{LETTERS}/look", data=typed(offered_text="")).text]
    assert client.post(f"{LETTERS}/announce", data=form).status_code == 303
    pages.append(client.get(LETTERS).text)
    assert client.post(f"{LETTERS}/take-back").status_code == 303
    pages.append(client.get(LETTERS).text)

    assert "letters/take-back" in pages[4]
    assert [left for page in pages if (left := plain(page))] == []


def test_every_word_of_cards_and_method_sheets_is_in_the_catalogues(site: Site) -> None:
    busy(site)
    names = [place.external_id for place in site.product.cohort.propose("done").places]
    changes = (
        Override(external_id=names[0], verdict=Verdict.WAITLISTED, reason="ops"),
        Override(external_id=names[-1], verdict=Verdict.SELECTED, reason="ops"),
    )
    site.product.cohort.finalize("done", by="ops", overrides=changes)
    client = site.signed_in(Role.ADMINISTRATOR)
    cards = [
        client.get(f"/applicants/{cycle}/{named.number}/card/html")
        for cycle in ("fall", "draft", "done")
        for named in site.ledger.named(cycle)
    ]
    sheets = [client.get(f"/decide/{place}/files/method.md") for place in ("done", "fall")]
    sentences = [
        line.replace("`done`", "")
        for sheet in sheets
        for line in sheet.text.split("\n")
        if not line.startswith("|")
    ]

    assert {answer.status_code for answer in (*cards, *sheets)} == {200}
    assert {Words(card.text).language for card in cards} == {("en-XA", "ltr")}
    texts = [re.sub(r"\b(MS )?(done|draft)\b", "", card.text) for card in cards]
    left = {piece for text in texts for piece in plain(text)}
    assert left == set()
    assert [line for line in sentences if plain(line)] == []


def test_every_word_of_rarer_cards_is_in_the_catalogues(site: Site) -> None:
    busy(site)
    first = site.product.cohort.propose("done").places[0].external_id
    card = site.product.reports.decision_card("done", first)
    assert card.standing is not None
    at = card.at
    again = CardReconsideration(
        asked_on=date(2026, 11, 1), reason="", reviews=2, fresh=2, result="", before=None,
        after=0.5, at=at,
    )  # fmt: skip
    results = ("", "added", "waitlisted", "stays", "withdrawn", "undone")
    review = card.reviews[0]
    reviews = [
        replace(review, why=why, score=None, status=status, close_then=close, in_list_then=inside)
        for why in ("floor", "rule", "staff", "chance", "appeal", "late")
        for status in ("opened", "declined", "expired", "cancelled")
        for close in (True, False)
        for inside in (True, False)
    ]
    left_out = [replace(review, counts=False, reason=reason) for reason in ("", *UNCOUNTED)]
    blank = replace(review, marks=tuple(replace(mark, mark=None) for mark in review.marks))
    standings = [
        replace(
            card.standing, estimates=estimates, proposed=proposed, cut=cut, tied=True,
            mean=0.5, raw=0.4, adjusted=0.6, evidence=evidence,
        )
        for estimates, evidence in (("raw", 1.0), ("adjusted", 1.5))
        for proposed in (True, False)
        for cut in (None, 0.0, 1.0)
    ]  # fmt: skip
    rarer = [
        replace(card, reviews=(*reviews, *left_out, blank)),
        replace(card, reconsidered=tuple(replace(again, result=result) for result in results)),
        *(replace(card, standing=standing, objective="diverse") for standing in standings),
        *(replace(card, standing=None, status=status) for status in ("withdrawn", "held")),
        *(replace(card, rule=rule) for rule in ("certified", "paper")),
    ]

    with use_language("en-XA"):
        pages = [html(card_document(one)).decode() for one in rarer]

    left = {
        piece for page in pages for piece in plain(re.sub(r"\b(MS )?(done|draft)\b", "", page))
    }
    assert left == set()


def test_what_the_rules_form_says_of_mistakes_is_in_the_catalogues(site: Site) -> None:
    site.launched()
    client = site.signed_in(Role.ADMINISTRATOR)
    (form,) = (
        form for form in Page("/", client.get(RULES).text).forms if form.action.endswith("/rules")
    )
    bad = {"budget": "much", "reserve": "some", "deadline": "soon", "reason": ""}
    worse = {
        "kinds.0.cost": "0",
        "places.0.number": "999",
        "zone": "Nowhere",
        "reason": "enough for this year",
    }

    answers = [
        client.post(RULES, data=form.fields | typed | {"do": "save"}) for typed in (bad, worse)
    ]

    assert [answer.status_code for answer in answers] == [422, 422]
    assert [left for answer in answers if (left := plain(answer.text))] == []


def test_what_a_column_is_taken_for_and_how_limits_give_way_is_in_the_catalogues() -> None:
    roles = ("external_id", "name", "first_name", "last_name", "email", "ready", "topic")
    more = ("redacted", "field:X", "document:X", "monitor:X", "select:X", "capacity:X")
    changed = ("field:X", "document:X", "select:X", "email", "name", "topic", "ready")
    ways = (
        Message("raise_places", before=3, after=4),
        Message("fill_places", filled=2, places=3),
        *(
            Message(code, group="X", before=3, after=2)
            for code in ("lower_minimum", "raise_maximum")
        ),
        Message("lower_minimum_share", group="X", before=3, after=2, share=0.2),
        Message("lower_smallest_share", group="X", before=0.3, after=0.2),
    )

    with use_language("en-XA"):
        said = [words(role) for role in (*roles, *more, *REVIEWER_ROLES)]
        said += [named(what) for what in changed]
        said += [translate(way) for way in ways]

    assert [one for one in said if plain(one)] == []


def test_what_a_form_answers_to_mistakes_is_in_the_catalogues(site: Site) -> None:
    site.launched()
    client, assignment = site.assigned()
    task = f"/tasks/{site.product.tasks.code(assignment.id)}"
    bad = {"c0": "5", "remark": "\x07", "note0": "x" * 4001, "then": "next"}

    answers = [
        client.post(task, data=bad),
        client.post(f"{task}/decline", data={"kind": "", "reason": "\x07"}),
        client.post(f"{task}/decline", data={"kind": "busy", "until": "2020-01-01"}),
        client.post("/inbox/fall/packet", data={"packet": "many"}),
        client.post("/inbox/fall/absences", data={"first": "soon"}),
        client.post("/language", data={"language": "xx"}),
        client.get("/tasks/fall:0000000000000000"),
        client.get("/nowhere"),
        client.put("/inbox"),
        site.anonymous().post(task, data={"remark": "a name typed here"}),
        site.anonymous().post("/sign-in/code", data={"email": "r1@example.org", "code": "1"}),
        site.anonymous().post("/sign-in/password", data={"email": "x@example.org"}),
        site.anonymous().get("/sign-in/link/never-was-one"),
    ]

    assert {answer.status_code for answer in answers} >= {401, 404, 405, 422}
    found = {str(a.request.url): left for a in answers if (left := plain(_shown(a.text)))}
    assert found == {}


def test_every_mail_is_in_the_catalogues(site: Site) -> None:
    site.launched(rules=MEETINGS, applicants=2, roster=6)
    _, assignment = site.assigned()
    staff = site.signed_in(Role.ADMINISTRATOR)
    slot = {"starts": "2031-03-10T14:00", "minutes": "45", "place": "Room 5"}
    slots = "/applicants/fall/slots"
    site.anonymous().post("/sign-in/link", data={"email": "r1@example.org"})
    site.office.users.invite("new@example.org", name="New", by="ops", site=ADDRESS)
    for known in site.product.reviewers.list("fall"):
        with suppress(NotReadyError):
            site.product.reviewers.nudge("fall", known.external_id, by="ops")
    staff.post(slots, data=slot | {"pull": assignment.pull_id})
    staff.post(slots, data=slot | {"pull": assignment.pull_id, "minutes": "30"})
    site.turn()
    site.product.tasks.decline(assignment.id, DeclineKind.CONFLICT, by="R1")
    site.product.reviewers.cancel_slot("fall", assignment.pull_id, by="ops")
    due = assignment.due_at
    assert due is not None
    for before in (timedelta(days=3), timedelta(days=1), timedelta(hours=3)):
        site.later((due - before - datetime.now(UTC)).total_seconds())
        site.turn()

    kinds = {"sign-in", "waiting", "nudge", "slot", "remind-1", "remind-3"}
    assert {kind for kind in kinds if any(kind in mail.id for mail in site.mails)} == kinds
    left = {
        mail.id: found
        for mail in site.mails
        if (found := [*plain(mail.subject), *plain(mail.text), *plain(mail.html)])
    }
    assert left == {}
    assert all('lang="en-XA" dir="ltr"' in mail.html for mail in site.mails)


def _kind(address: str) -> str:
    """Return the path of a page with its program and number left out."""
    path = re.sub(r"/(fall|draft|done)(?=/|$)", "/CYCLE", urlsplit(address).path)
    path = re.sub(r"/mail/[^/]+$", "/mail/MAIL", path)
    return re.sub(r"/\d+(?=/|$)", "/NUMBER", path)


def _shown(html: str) -> str:
    """Leave out what a person typed and gets back."""
    return re.sub(r"(x{9,}|\x07)", "", html)
