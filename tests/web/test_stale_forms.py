"""A stale form overwrites nothing: what is stored is shown, and what was typed comes back."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from swapflow.domain.event import EventType
from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.identity.permissions import Role
from tests.web.cohort.fixed_cohorts import chair, ended, offers_out
from tests.web.cycle.list_uploads import keep
from tests.web.forms import fields_of, revision_in, send_form
from tests.web.site import SITE_RULES, Site


TEMPLATES = Path("swapflow/web/templates")
CARRIED = ("revision", "shown", "digest", "which", "version", "seen")
"""Hidden fields by which a form tells what it was made from."""

GOOD = {"c0": "3", "c1": "3", "remark": "Well prepared."}
SLOT = {"starts": "2031-03-10T14:00", "minutes": "45", "place": "Room 2"}

ADDS_OR_NAMES = {
    # Looks that are written down.
    "figures",
    "defence",
    "personal-data",
    "severity",
    "absences", "add", "again", "ask", "away", "back", "close", "code", "conflict", "decline",
    "end", "endorse", "erase", "files", "forget-erasures", "grants", "import", "invite", "keys",
    "language", "lift", "link", "look", "missed", "monitoring", "notes", "nudge", "open",
    "password", "practice",
    # A file is taken as it is, and results are put out as they are.
    "done", "exchange", "folder", "results",
    # A practice program is made, filled and thrown away; next year's program is a new one.
    "automatic-reviews", "next-year", "throw-away",
    "programs", "reassign", "release", "remind", "remove", "reopen", "requests", "revoke",
    "rounds", "sign-out", "skip", "stop", "swap", "users", "values", "waive", "{{ token }}",
    "sheets", "try", "undo",
    # A unit is made.
    "units",
    # An answer goes to what its link was made for; a moved date has a link of its own.
    "{{ path }}",
    # Says what is wanted: on or off.
    "shortcuts",
    # A legal hold is added; what is due is deleted once; a backup is one more.
    "holds", "delete", "backups", "rehearsal",
    # What came back or fits no mail is seen to once; a test mail is one more.
    "settled", "strays", "probe",
    # A practice file is marked once; a second mark is refused.
    "{{ file.number }}",
    # Ticks are refused where one of them has moved on.
    "ticked{{ listing.address(page=page) }}",
    "{{ upload.key }}", "{{ what }}", "{{ act.number }}", "{{ line.act.number }}",
    "{{ 'pause' if running else 'resume' }}",
}  # fmt: skip
"""Last parts of addresses of forms that add something, name what they end, or look."""

OVERWRITES = (
    "/meeting/close",
    "/reviews/void",
    "/reviews/restore",
    "/prepare",
    "/{{ what }}/{{ upload.key }}",
)
"""Ends of addresses of forms that carry a revision although another form's address ends so."""


def test_every_form_that_overwrites_something_tells_what_it_was_made_from() -> None:
    silent = []
    for file in sorted(TEMPLATES.rglob("*.html")):
        for form in re.findall(
            r"<form\b[^>]*method=\"post\".*?</form>", file.read_text(), re.DOTALL
        ):
            action = re.search(r'action="([^"]*)"', form)
            assert action is not None, f"{file}: a form without an address"
            # A page that asks to send a form again sends back what that one held.
            carried = file.name in {"signed_out.html", "away.html"} or any(
                # A form about several rows carries one for each.
                f'name="{name}"' in form or f'name="{name}.' in form
                for name in CARRIED
            )
            adds = action[1].rsplit("/", 1)[-1] in ADDS_OR_NAMES
            if action[1].endswith(OVERWRITES):
                carried, adds = 'name="revision"' in form, False
            if not carried and not adds:
                silent.append(f"{file.relative_to(TEMPLATES)}: {action[1]}")

    assert silent == []


@dataclass
class Form:
    """A form that was opened, and what came in between.

    Attributes:
        post: Sends it with what was typed and the revision that it was opened with; or, given
            False, as an old page does that carries none.
        between: Stores something else.
        stored: Reads what is stored.
        typed: What must come back in the page.
        there: What of the stored content the page shows.
    """

    post: Callable[[bool], httpx2.Response]
    between: Callable[[], object]
    stored: Callable[[], object]
    typed: str
    there: str


def task_of(site: Site) -> tuple[TestClient, Assignment, str]:
    """Return a reviewer's browser, a task of theirs, and its address."""
    site.launched()
    client, assignment = site.assigned()
    return client, assignment, f"/tasks/{site.product.tasks.code(assignment.id)}"


def sent(
    client: TestClient, page: str, action: str, **data: str
) -> Callable[[bool], httpx2.Response]:
    """Open a page now, and send its form later."""
    return told(client, action, {**data, "revision": revision_in(client.get(page).text, action)})


def told(
    client: TestClient, action: str, fields: Mapping[str, str]
) -> Callable[[bool], httpx2.Response]:
    """Send a form with its revision, or without."""

    def post(tells: bool) -> httpx2.Response:
        left_out = set() if tells else {"revision"}
        return client.post(action, data={n: v for n, v in fields.items() if n not in left_out})

    return post


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
        lambda: send_form(two, action, action, {"c0": "2", "c1": "2", "remark": "the second one"}),
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
        lambda: send_form(
            reviewer,
            f"{task}?correct=1",
            correct,
            {"c0": "2", "c1": "2", "remark": "in that tab"},
        ),
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
        lambda: site.ledger.interviews([assignment.pull_id]),
        "Room 7",
        "Room 8",
    )


def answer(site: Site) -> Form:
    client = offers_out(site)
    offer = site.ledger.offers("fall")[-1]  # whose form stands first on the page
    action = "/decide/fall/offers/answer"
    data = {"applicant": str(offer.application), "answer": "declined", "reason": "by phone"}
    return Form(
        sent(client, "/decide/fall/offers", action, **data),
        lambda: send_form(client, "/decide/fall/offers", action, {**data, "answer": "accepted"}),
        lambda: [o.answer for o in site.ledger.offers("fall")],
        "by phone",
        "answer: accepted",
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
        lambda: site.product.meetings.agenda("fall").words.get(number),
        "what this secretary heard",
        "what that one heard",
    )


def status(site: Site) -> Form:
    site.launched()
    staff = site.signed_in(Role.OPERATIONS)
    action = "/applicants/fall/1/status"
    return Form(
        sent(staff, "/applicants/fall/1", action, what="hold", reason="papers are missing"),
        lambda: send_form(
            staff, "/applicants/fall/1", action, {"what": "withdraw", "reason": "wrote to us"}
        ),
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
        lambda: send_form(
            staff, "/applicants/fall/1", action, {**data, "email": "lee@example.org"}
        ),
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
        lambda: send_form(staff, action, action, {**data, "see.0": "yes"}),
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
        told(staff, action, {**fields, "budget": "70", "reason": "more money"}),
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
        told(staff, action, one),
        lambda: staff.post(action, data={**fields, "criteria.0.weight": "6", "reason": "other"}),
        lambda: site.product.cycles.rules("fall").version,
        "asked for by one",
        "version: 2",
    )


def closing(site: Site) -> Form:
    ended(site)
    client = chair(site)
    client.post("/decide/fall/meeting/open")
    number = site.product.meetings.agenda("fall").missing[0].application
    page, said = "/decide/fall/meeting", {"outcome": "in", "reason": "a letter came"}
    return Form(
        sent(client, page, f"{page}/close"),
        lambda: client.post(f"{page}/{number}", data=said),
        lambda: site.product.meetings.agenda("fall").open,
        "Close the meeting",
        f"applicant {number}: in (chair@example.org)",
    )


def voiding(site: Site) -> Form:
    reviewer, assignment, task = task_of(site)
    reviewer.post(task, data=GOOD)
    staff = site.signed_in(Role.OPERATIONS)
    page = f"/reviewers/fall/{assignment.reviewer}"
    data = {"task": assignment.id, "reason": "taken for a slip"}
    higher = GOOD | {"c0": "4", "remark": "read again"}
    return Form(
        sent(staff, page, f"{page}/reviews/void", **data),
        lambda: send_form(reviewer, f"{task}?correct=1", f"{task}/correct", higher),
        lambda: site.product.tasks.score(assignment.id),
        "taken for a slip",
        "read again",
    )


def restoring(site: Site) -> Form:
    reviewer, assignment, task = task_of(site)
    reviewer.post(task, data=GOOD)
    site.product.scores.void([assignment.id], by="ops", reason="a slip")
    staff = site.signed_in(Role.OPERATIONS)
    page = f"/reviewers/fall/{assignment.reviewer}"
    data = {"task": assignment.id, "reason": "no slip after all"}
    higher = GOOD | {"c0": "4", "remark": "read again"}
    return Form(
        sent(staff, page, f"{page}/reviews/restore", **data),
        lambda: send_form(reviewer, f"{task}?correct=1", f"{task}/correct", higher),
        lambda: site.product.tasks.score(assignment.id),
        "no slip after all",
        "read again",
    )


def preparing(site: Site) -> Form:
    ended(site, signatures=2)
    one, two = chair(site, "one"), chair(site, "two")
    action = "/decide/fall/prepare"
    places = site.product.cohort.propose("fall").places
    inside, outside = places[0].application, places[-1].application
    swap = {f"change.{inside}": "out", f"change.{outside}": "in"}
    why = {f"reason.{inside}": "moved away", f"reason.{outside}": "a sibling enrols"}
    page = one.post("/decide/fall/changes", data=swap).text
    fields = {**swap, **why, "revision": revision_in(page, action)}
    return Form(
        told(one, action, fields),
        lambda: two.post(action),
        lambda: site.ledger.prepared("fall"),
        "moved away",
        "by: two@example.org",
    )


def list_of_applicants(site: Site) -> Form:
    site.launched(launch=False, applicants=0)
    client = site.signed_in(Role.OPERATIONS)
    path = keep(client, "external_id,name,statement\n17,Ann Lee,I build bridges\n")
    fields = fields_of(client.get(path).text)
    return Form(
        told(client, path, {**fields, "see.2": "no", "do": "apply"}),
        lambda: site.product.applicants.choose_columns("fall", {"statement": True}, by="ops"),
        lambda: (
            site.product.applicants.columns("fall"),
            site.product.applicants.list("fall"),
        ),
        '<option value="no" selected>',
        "statement: yes",
    )


FORMS = {
    "closing a meeting": closing,
    "a void": voiding,
    "a void that is undone": restoring,
    "a decision for signature": preparing,
    "the columns of a list": list_of_applicants,
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


@pytest.mark.parametrize("tells", [True, False], ids=["stale", "without a revision"])
@pytest.mark.parametrize("form", FORMS)
def test_a_stale_form_is_refused_and_shows_what_is_stored_and_what_was_typed(
    site: Site, form: str, tells: bool
) -> None:
    opened_form = FORMS[form](site)
    opened_form.between()
    before = opened_form.stored()

    refused = opened_form.post(tells)

    assert refused.status_code == 409, refused
    assert opened_form.stored() == before
    assert opened_form.typed in refused.text
    assert opened_form.there in refused.text


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_taken_while_nothing_came_in_between(site: Site, form: str) -> None:
    opened_form = FORMS[form](site)
    before = opened_form.stored()

    taken = opened_form.post(True)

    assert taken.status_code == 303, taken.text
    assert opened_form.stored() != before


def test_a_packet_that_another_tab_changed_is_not_overwritten(site: Site) -> None:
    site.launched()
    client, assignment = site.assigned()
    post = sent(client, "/inbox", "/inbox/fall/packet", packet="9")
    send_form(client, "/inbox", "/inbox/fall/packet", {"packet": "7"})

    refused = [post(tells) for tells in (True, False)]

    assert [one.status_code for one in refused] == [409, 409]
    assert all("packet: 7" in one.text for one in refused)
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
