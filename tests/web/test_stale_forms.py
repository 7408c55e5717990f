"""A stale form overwrites nothing: what is stored is shown, and what was typed comes back."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.identity.permissions import Role
from tests.web.cohort.fixed_cohorts import chair, ended, offers_out
from tests.web.forms import fields_of, revision_in
from tests.web.site import SITE_RULES, Site


TEMPLATES = Path("swapflow/web/templates")
CARRIED = ("revision", "shown", "digest", "which", "version", "seen")
"""Hidden fields by which a form tells what it was made from."""

GOOD = {"c0": "3", "c1": "3", "remark": "Well prepared."}
SLOT = {"starts": "2031-03-10T14:00", "minutes": "45", "place": "Room 2"}

ADDS_OR_NAMES = {
    "absences", "add", "again", "ask", "away", "back", "close", "code", "conflict", "decline",
    "end", "endorse", "erase", "files", "grants", "import", "invite", "keys", "language", "link",
    "look", "missed", "monitoring", "nudge", "open", "password", "programs", "reassign",
    "release", "remind", "remove", "reopen", "requests", "restore", "revoke", "rounds",
    "sign-out", "skip", "stop", "swap", "users", "values", "void", "waive", "{{ token }}",
    "sheets", "{{ upload.key }}", "{{ what }}",
    "{{ 'pause' if running else 'resume' }}",
}  # fmt: skip
"""Last parts of addresses of forms that add something, name what they end, or look."""


def test_every_form_that_overwrites_something_tells_what_it_was_made_from() -> None:
    silent = []
    for file in sorted(TEMPLATES.rglob("*.html")):
        for form in re.findall(
            r"<form\b[^>]*method=\"post\".*?</form>", file.read_text(), re.DOTALL
        ):
            action = re.search(r'action="([^"]*)"', form)
            assert action is not None, f"{file}: a form without an address"
            # A page for those who signed in again sends back what another form held.
            carried = file.name == "signed_out.html" or any(
                f'name="{name}"' in form for name in CARRIED
            )
            if not carried and action[1].rsplit("/", 1)[-1] not in ADDS_OR_NAMES:
                silent.append(f"{file.relative_to(TEMPLATES)}: {action[1]}")

    assert silent == []


@dataclass
class Form:
    """A form that was opened, and what came in between.

    Attributes:
        post: Sends it with what was typed and the revision that it was opened with.
        between: Stores something else.
        stored: Reads what is stored.
        typed: What must come back in the page.
        there: What of the stored content the page shows.
    """

    post: Callable[[], object]
    between: Callable[[], object]
    stored: Callable[[], object]
    typed: str
    there: str


def task_of(site: Site) -> tuple[TestClient, Assignment, str]:
    """Return a reviewer's browser, a task of theirs, and its address."""
    site.launched()
    client, assignment = site.assigned()
    return client, assignment, f"/tasks/{site.product.tasks.code(assignment.id)}"


def sent(client: TestClient, page: str, action: str, **data: str) -> Callable[[], object]:
    """Open a page now, and send its form later."""
    revision = revision_in(client.get(page).text, action)
    return lambda: client.post(action, data={**data, "revision": revision})


def staff_entry(site: Site) -> Form:
    reviewer, assignment, task = task_of(site)
    staff = site.signed_in(Role.OPERATIONS)
    action = f"/reviewers/fall/{assignment.reviewer}{task}"
    low = {"c0": "1", "c1": "1", "remark": "as she said on the telephone"}
    return Form(
        sent(staff, action, action, **low),
        lambda: reviewer.post(task, data=GOOD),
        lambda: site.product.tasks.score(assignment.id),
        "as she said on the telephone",
        "Well prepared.",
    )


def two_staff_corrections(site: Site) -> Form:
    reviewer, assignment, task = task_of(site)
    reviewer.post(task, data=GOOD)
    one = site.signed_in(Role.OPERATIONS)
    two = site.signed_in(Role.ADMINISTRATOR, email="two@example.org")
    action = f"/reviewers/fall/{assignment.reviewer}{task}"
    return Form(
        sent(one, action, action, c0="1", c1="1", remark="the first correction"),
        lambda: two.post(action, data={"c0": "2", "c1": "2", "remark": "the second one"}),
        lambda: site.product.tasks.score(assignment.id),
        "the first correction",
        "the second one",
    )


def two_tabs_that_correct(site: Site) -> Form:
    reviewer, assignment, task = task_of(site)
    reviewer.post(task, data=GOOD)
    correct = f"{task}/correct"
    return Form(
        sent(reviewer, f"{task}?correct=1", correct, c0="1", c1="1", remark="in this tab"),
        lambda: reviewer.post(correct, data={"c0": "2", "c1": "2", "remark": "in that tab"}),
        lambda: site.product.tasks.score(assignment.id),
        "in this tab",
        "in that tab",
    )


def two_tabs_that_hand_in(site: Site) -> Form:
    reviewer, assignment, task = task_of(site)
    return Form(
        sent(reviewer, task, task, **(GOOD | {"remark": "in this tab"})),
        lambda: reviewer.post(task, data=GOOD | {"remark": "in that tab"}),
        lambda: site.product.tasks.score(assignment.id),
        "in this tab",
        "in that tab",
    )


def interview(site: Site) -> Form:
    panel = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=3, quorum=3)
    lines = (SeatLine(name="all", places=1),)
    site.launched(rules=replace(SITE_RULES, kinds=(panel,), lines=lines), applicants=2, roster=6)
    _, assignment = site.assigned()
    staff = site.signed_in(Role.OPERATIONS)
    action = "/applicants/fall/slots"
    slot = SLOT | {"pull": assignment.pull_id}
    return Form(
        sent(staff, action, action, **(slot | {"place": "Room 7"})),
        lambda: staff.post(action, data=slot | {"place": "Room 8"}),
        lambda: site.ledger.interviews([assignment.pull_id])[assignment.pull_id].place,
        "Room 7",
        "Room 8",
    )


def answer(site: Site) -> Form:
    client = offers_out(site)
    offer = site.ledger.offers("fall")[0]
    action = "/decide/fall/offers/answer"
    data = {"applicant": str(offer.application), "answer": "declined", "reason": "by phone"}
    return Form(
        sent(client, "/decide/fall/offers", action, **data),
        lambda: client.post(action, data=data | {"answer": "accepted"}),
        lambda: [o.answer for o in site.ledger.offers("fall")],
        "by phone",
        "accepted",
    )


def rate(site: Site) -> Form:
    client = offers_out(site)
    action = "/decide/fall/offers/rate"
    return Form(
        sent(client, "/decide/fall/offers", action, accepted="7", of="9", risk="5"),
        lambda: client.post(action, data={"accepted": "8", "of": "9", "risk": "5"}),
        lambda: site.ledger.yield_rate("fall"),
        'value="7"',
        "8 of 9",
    )


def outcome(site: Site) -> Form:
    ended(site)
    client = chair(site)
    client.post("/decide/fall/meeting/open")
    number = site.product.meetings.agenda("fall").missing[0].application
    action = f"/decide/fall/meeting/{number}"
    return Form(
        sent(client, action, action, outcome="in", reason="what this secretary heard"),
        lambda: client.post(action, data={"outcome": "out", "reason": "what that one heard"}),
        lambda: site.product.meetings.agenda("fall").words[number].word,
        "what this secretary heard",
        "what that one heard",
    )


def status(site: Site) -> Form:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)
    action = "/applicants/fall/1/status"
    return Form(
        sent(staff, "/applicants/fall/1", action, what="hold", reason="papers are missing"),
        lambda: staff.post(action, data={"what": "withdraw", "reason": "wrote to us"}),
        lambda: site.ledger.application("fall", 1).status,
        "papers are missing",
        "withdrawn",
    )


def contact(site: Site) -> Form:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)
    action = "/applicants/fall/1/contact"
    data = {"name": "Ann Lee", "email": "ann@example.org", "reason": "she wrote"}
    return Form(
        sent(staff, "/applicants/fall/1", action, **data),
        lambda: staff.post(action, data={**data, "email": "lee@example.org"}),
        lambda: site.ledger.application("fall", 1),
        'value="ann@example.org"',
        "email: lee@example.org",
    )


def columns(site: Site) -> Form:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)
    action = "/applicants/fall/columns"
    data = {"name.0": "statement", "see.0": "no"}
    return Form(
        sent(staff, action, action, **data),
        lambda: staff.post(action, data={**data, "see.0": "yes"}),
        lambda: site.product.applicants.columns("fall"),
        '<option value="no" selected>',
        "statement: yes",
    )


def pin(site: Site) -> Form:
    ended(site)
    client = chair(site)
    action = "/applicants/fall/1/pin"
    return Form(
        sent(client, "/applicants/fall/1", action, verdict="in", reason="promised last year"),
        lambda: client.post(action, data={"verdict": "out", "reason": "asked to wait"}),
        lambda: site.ledger.pins("fall"),
        "promised last year",
        "asked to wait",
    )


def rules_form(site: Site) -> Form:
    site.launched(rules=replace(SITE_RULES, budget=60))
    staff = site.signed_in(Role.OPERATIONS)
    action = "/setup/fall/rules"
    fields = fields_of(staff.get(action).text)
    assert fields["revision"] == "1"
    return Form(
        lambda: staff.post(action, data={**fields, "budget": "70", "reason": "more money"}),
        lambda: staff.post(action, data={**fields, "budget": "80", "reason": "even more"}),
        lambda: site.product.cycles.rules("fall").budget,
        "more money",
        "-budget = 80",
    )


def rubric_form(site: Site) -> Form:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)
    action = "/setup/fall/rubrics/review"
    fields = fields_of(staff.get(action).text) | {"do": "save"}
    one = {**fields, "criteria.0.weight": "5", "reason": "asked for by one"}
    return Form(
        lambda: staff.post(action, data=one),
        lambda: staff.post(action, data={**fields, "criteria.0.weight": "6", "reason": "other"}),
        lambda: site.product.cycles.rules("fall").version,
        "asked for by one",
        "version: 2",
    )


FORMS = {
    "staff entry of a review": staff_entry,
    "two staff corrections": two_staff_corrections,
    "two tabs that correct": two_tabs_that_correct,
    "two tabs that hand in": two_tabs_that_hand_in,
    "an interview's date": interview,
    "an answer to an offer": answer,
    "the acceptance rate": rate,
    "an outcome of a meeting": outcome,
    "an applicant's state": status,
    "an applicant's name and address": contact,
    "what reviewers see": columns,
    "a pin": pin,
    "the rules": rules_form,
    "a score form": rubric_form,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_stale_form_is_refused_and_shows_what_is_stored_and_what_was_typed(
    site: Site, form: str
) -> None:
    opened_form = FORMS[form](site)
    opened_form.between()
    before = opened_form.stored()

    refused = opened_form.post()

    assert refused.status_code == 409, refused  # type: ignore[attr-defined]  # a response
    assert opened_form.stored() == before
    assert opened_form.typed in refused.text  # type: ignore[attr-defined]
    assert opened_form.there in refused.text  # type: ignore[attr-defined]


def test_a_packet_that_another_tab_changed_is_not_overwritten(site: Site) -> None:
    site.launched()
    client, assignment = site.assigned()
    post = sent(client, "/inbox", "/inbox/fall/packet", packet="9")
    client.post("/inbox/fall/packet", data={"packet": "7"})

    refused = post()

    assert refused.status_code == 409  # type: ignore[attr-defined]
    assert "packet: 7" in refused.text  # type: ignore[attr-defined]
    assert site.ledger.reviewer("fall", assignment.reviewer).packet == 7


def corrections(site: Site) -> int:
    events = site.product.reports.events("fall")
    return sum(event.type is EventType.SCORE_CORRECTED for event in events)


def test_six_equal_writes_make_one_event_and_a_stale_one_none(site: Site) -> None:
    reviewer, assignment, task = task_of(site)
    reviewer.post(task, data=GOOD)
    api = f"/api/v1{task}"
    tag = reviewer.get(api).headers["etag"]
    review = {"marks": {"Preparation": 1, "Promise": 2}, "remark": "looked again"}

    answers = [
        reviewer.put(f"{api}/review", json=review, headers={"If-Match": tag}) for _ in range(6)
    ]
    other = {**review, "remark": "from another device"}
    stale = reviewer.put(f"{api}/review", json=other, headers={"If-Match": tag})
    fresh = reviewer.put(
        f"{api}/review", json=other, headers={"If-Match": answers[-1].headers["etag"]}
    )

    assert [one.status_code for one in answers] == [200] * 6
    assert stale.status_code == 409
    assert stale.json()["code"] == "changed_since_form"
    assert "looked again" in str(stale.json()["params"]["stored"])
    assert fresh.status_code == 200
    assert corrections(site) == 2
    given = site.product.tasks.score(assignment.id)
    assert given is not None
    assert given.remark == "from another device"


def test_writes_of_the_api_without_a_revision_are_taken_and_counted(site: Site) -> None:
    reviewer, _, task = task_of(site)
    reviewer.post(task, data=GOOD)
    limiter = site.office.api_clients.context.limiter

    taken = reviewer.put(f"/api/v1{task}/review", json={"marks": {"Preparation": 1, "Promise": 1}})

    assert taken.status_code == 200
    assert limiter.noted["unconditional-writes"] == 1  # type: ignore[attr-defined]  # in memory


def test_equal_rules_and_an_equal_rate_are_no_event(site: Site) -> None:
    client = offers_out(site)
    before = site.product.cycles.get("fall")
    for _ in range(3):
        client.post("/decide/fall/offers/rate", data={"accepted": "8", "of": "9", "risk": "5"})
    after = site.product.cycles.get("fall")

    assert after.position.seq == before.position.seq + 1


def test_the_same_marks_with_another_remark_are_not_taken_for_the_same_review(
    site: Site,
) -> None:
    _, assignment, _ = task_of(site)
    marks: dict[str, float | None] = {"Preparation": 3.0, "Promise": 3.0}
    first = Answer(assignment_id=assignment.id, marks=marks, remark="one")
    site.product.tasks.submit([first])

    assert site.product.tasks.submit([first])[0].repeated
    with pytest.raises(Exception, match="answered"):
        site.product.tasks.submit([replace(first, remark="two")])
