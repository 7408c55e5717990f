"""Every page that people come to: by links, by what they press, and by what goes wrong.

Pages are opened once, one after the other, and a test may look at each from all sides.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from playwright.sync_api import Error, Page, Response

from swapflow.domain.cohort.announcement import Group
from swapflow.domain.cohort.meeting import Shown, Word
from swapflow.domain.cohort.offer import OfferAnswer
from swapflow.domain.people.kept_data import KeptData
from swapflow.domain.personal_link import digest_of_token
from swapflow.domain.returned_mail import KEPT_BACK, Bounce, BounceKind, BounceReading
from swapflow.domain.rules import KindRules
from swapflow.engine.interviews.slots import InterviewSlot
from swapflow.engine.lifecycle.retention import HoldTarget
from swapflow.engine.offers.announcement_mail import letter_link, letter_mail
from swapflow.engine.offers.announcement_wording import usual_wording
from swapflow.engine.ports.records import Mail
from swapflow.engine.reconsideration.open_reconsideration import ReconsiderationRequest
from swapflow.engine.reviewing.documents import DocumentUpload
from swapflow.identity.groups import ClaimState, GroupRole
from swapflow.identity.permissions import Role, Scope
from swapflow.messages import Message
from tests.browser.office import LINK, Deployment, follow, settle
from tests.support.waiting import wait_until
from tests.web.site import PASSWORD, SITE_RULES


ALIKE = 2
"""Pages of one shape, the same but for ids, that are opened at most."""

SAME = re.compile(r"[^/]*\d[^/]*|(?<=/)(busy|fresh|asking|ended|done)(?=/|$)")
"""Parts of an address in which pages of one shape differ."""

MOST = 400
"""Pages that one person opens at most; more would be a walk in circles."""

ADMIN, REVIEWER, NEWCOMER, NOBODY = "walker@example.org", "busy-r1@example.org", "new@x.org", ""
AUDITOR = "auditor@example.org"
"""Who alone may see what became of groups, and is led to nothing else that others do not show."""

GROUPED = "grouped@example.org"
"""Whose roles come from groups of an identity provider alone."""

PLACES = ("today", "applicants", "reviewers", "decide", "setup")
CYCLES = ("busy", "fresh", "asking", "ended", "done")
"""One that runs, one that is being set up, one whose reviews wait for approval, and two at the
end: before the signatures and after."""

SOME_DAY = datetime(2031, 3, 10, 14, tzinfo=UTC)
TALK = KindRules(
    name="review",
    cost=20,
    gain=1.0,
    maximum=4,
    guidance="Read the essay twice.",
    questions=("Why here?", "What would you build?"),
    confidence=True,
    link="https://files.example.edu/{external_id}",
    approval=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page, who comes to it, and how.

    Attributes:
        who: Mail address, "" for a visitor who is not signed in.
        status: What the page answers with.
        reach: What is pressed once `path` is open; the page that follows is the one meant.
        name: What it is called in what is printed and in the names of files.
    """

    who: str
    path: str
    status: int = 200
    reach: Callable[[Page], None] | None = None
    name: str = ""

    @property
    def title(self) -> str:
        """Who comes, and to what."""
        return f"{self.who.partition('@')[0] or 'nobody'} {self.name or self.path}"


def furnish(up: Deployment) -> None:
    """Fill a deployment, so that no page is empty but those that are meant to be."""
    product = up.product
    up.staff(ADMIN, Role.ADMINISTRATOR, Role.CHAIR)
    up.staff(NEWCOMER)
    up.staff(AUDITOR, Role.COMPLIANCE)
    up.cycle("busy")
    _practise(up)
    up.cycle("asking", rules=replace(SITE_RULES, kinds=(TALK,), budget=1200), people="busy")
    for cycle in ("ended", "done"):
        up.cycle(cycle, applicants=6, people="busy")
    for cycle in ("busy", "ended", "done"):
        for known in product.reviewers.list(cycle):
            for task in up.tasks(cycle, known.external_id)[:2]:
                up.answer(task)
    for cycle in ("ended", "done"):
        product.cycles.stop(cycle, by="ops", reason="enough for this year")
    product.cohort.prepare("done", by="ops", waiver="a late start")
    pending = product.cohort.pending("done")
    assert pending is not None
    product.cohort.sign("done", pending.prepared.digest, by=ADMIN)
    product.offers.make("done", by="ops", at_most=2)
    offer, *_ = product.offers.standing("done").offers
    accepted = next(a for a in product.applicants.list("done") if a.number == offer.application)
    product.offers.answer("done", accepted.external_id, OfferAnswer.ACCEPTED, by="ops")
    waiting = {Group.WAITLISTED: usual_wording()[Group.WAITLISTED]}
    product.announcements.send("done", waiting, waitlist=1, hold=timedelta(days=2), by="ops")
    last = product.reports.named("done", {product.offers.standing("done").waitlist[-1]})[0]
    again = ReconsiderationRequest(
        reason="a file was missing", asked_by="the applicant", reviews=1
    )
    product.reconsiderations.open("done", last.external_id, again, by="ops")
    _hold_a_meeting(up)
    first, *_ = product.applicants.list("busy")
    product.cohort.propose_pin("busy", first.number, "in", by="ops", reason="a stipend")
    papers = [("cv.pdf", b"%PDF-1.4\n%%EOF\n"), ("essay.txt", b"On bridges and their keepers.")]
    product.applicants.attach_documents(
        "busy",
        [
            DocumentUpload(path=f"{a.external_id}_{name}", body=body)
            for a in product.applicants.list("busy")
            for name, body in papers
        ],
        redacted=True,
    )
    asked = [pull for pull, *_ in product.approvals.proposed("asking")]
    product.approvals.approve("asking", asked[: len(asked) // 2], by="ops")
    wait_until(lambda: bool(up.tasks("asking", "R1")), what="interviews are asked for")
    for task in up.tasks("asking", "R1")[:1]:
        slot = InterviewSlot(pull_id=task.pull_id, starts_at=SOME_DAY, minutes=45, place="Room 2")
        product.reviewers.set_slots("asking", [slot], by="ops")
    _bring_mails_back(up)
    _give_roles_by_groups(up)


def _hold_a_meeting(up: Deployment) -> None:
    """Have a meeting move one applicant in and one out, and look at a file."""
    product = up.product
    product.meetings.open("ended", by="ops")
    close, moved_out, *_, moved_in = product.meetings.agenda("ended").places
    said, words = "a strong essay", "builds what others plan"
    product.meetings.record("ended", close.application, Word.IN, reason=said, by="ops", seat=None)
    for other, word in ((moved_out, Word.WAITLIST), (moved_in, Word.IN)):
        product.meetings.record(
            "ended", other.application, word, reason="an interview", by="ops", seat=None
        )
    product.meetings.look("ended", close.application, Shown.FILE, by="ops", seat=None)
    product.meetings.endorse("ended", close.application, words, by="ops", seat=None)


def _bring_mails_back(up: Deployment) -> None:
    """Have mails to reviewers, an applicant and staff come back, and reports that fit no mail."""
    ledger = up.product.context.ledger
    unknown, full = "550 5.1.1 <busy-r4@example.org>: no such user", "552 5.2.2 mailbox full"
    invited = up.product.applicants.list("asking")[0].email
    for cycle, what, to, kind, said in (
        ("busy", "waiting", "busy-r4@example.org", BounceKind.ADDRESS, unknown),
        ("busy", "waiting", "busy-r3@example.org", BounceKind.FULL, full),
        ("asking", "applicant", invited, BounceKind.UNREACHED, ""),
    ):
        sent = _mail(f"{cycle}:{what}:back:{to}", to)
        with ledger.write(cycle) as tx:
            # Held, so that no process takes it before it is marked.
            tx.queue_mail([sent], held=True)
        ledger.mark_mail(sent.id, "sent")
        ledger.mark_came_back(sent.id, kind, said=said)
    later = _mail("busy:remind:back", "busy-r4@example.org")
    with ledger.write("busy") as tx:
        tx.queue_mail([later], held=True)
    ledger.mark_mail(later.id, KEPT_BACK, detail=str(Message("mail_kept_back")))
    office, walker = up.office.context.ledger, up.office.users.get(ADMIN)
    probe = replace(_mail(f"probe:{walker.id}:back", ADMIN), state="sent")
    office.queue_mail(probe)
    ledger.mark_came_back(probe.id, BounceKind.REFUSED, said="554 5.7.1 rejected by policy")
    for number, host in enumerate(("mx1.example.net", "mx1.example.net", "mail.example.com")):
        ledger.add_stray(
            Bounce(reading=BounceReading.BOUNCE, digest=f"stray {number}", reporter=host)
        )


def _mail(mail_id: str, to: str) -> Mail:
    return Mail(
        id=mail_id,
        to=to,
        subject="2 reviews wait for you",
        text="Two reviews wait.",
        html="",
        calendar="",
        state="held",
    )


def _give_roles_by_groups(up: Deployment) -> None:
    """Have groups give roles, and an account sign in with them and one without."""
    for group, role, scope, place in (
        ("admissions-office", Role.COORDINATOR, Scope.CYCLE, "busy"),
        ("admissions-office", Role.OPERATIONS, Scope.OFFICE, ""),
        ("faculty:committee-of-physics", Role.CHAIR, Scope.CYCLE, "ended"),
    ):
        given = GroupRole(group=group, role=role, scope=scope, scope_id=place)
        up.office.groups.add(given, by="ops")
    up.staff(GROUPED)
    ledger = up.office.context.ledger
    ledger.see_groups(up.office.users.get(GROUPED).id, {"admissions-office"})
    ledger.note_claim(up.office.users.get(AUDITOR).id, ClaimState.MISSING)


def _look_after_the_office(up: Deployment) -> None:
    """Make units, rules for kept data with a legal hold, and a backup."""
    round_id = up.product.cycles.get("busy").round_id
    up.office.units.add("Science", round_id=round_id, parent_id=None, by="ops")
    up.office.units.add("Physics", round_id=round_id, parent_id="science", by="ops")
    up.office.units.place(
        up.office.units.move(up.product.cycles.get("fresh"), "physics"), by="ops"
    )
    up.product.retention.set_rule(round_id, KeptData.DRAFTS, 90, by="ops")
    target = HoldTarget(program="busy", applicant="A001")
    up.product.retention.place_hold(round_id, target, by="ops", reason="a complaint")
    up.product.backups.make(by="ops")


def _practise(up: Deployment) -> None:
    """Make a practice program, and a draft with two practice files, one of them marked."""
    practice = up.product.copies.practise("busy", by="ops").id
    up.product.cycles.launch(practice, by="ops")
    up.cycle("fresh", launch=False, people="busy")
    product = up.product
    for title in ("A strong file", "A file between"):
        text = "Three papers, two of them alone.\nA plan that names its risks."
        product.practice.add_file("fresh", title, text, by="ops")
    for number in (0, 1):
        marks = {"Preparation": 3.0 + number, "Promise": 2.0}
        product.practice.mark("fresh", 0, number, marks=marks, remark="clear about its risks")
    product.practice.add_note("fresh", 0, "Look at page 2 before you mark.", by="ops")
    _look_after_the_office(up)


def walk(up: Deployment) -> Iterator[tuple[Place, Page, int]]:
    """Open every page as each who comes to it; gives the page and the status of its answer."""
    further = _further(up)
    # What other tests made in the same deployment is theirs to look at.
    others = {cycle.id for cycle in up.product.cycles.list()} - set(CYCLES)
    for who, starts in _starts().items():
        with up.person(who) as context:
            page = context.new_page()
            with _watched(page) as last:
                yield from _by_links(page, who, starts, last, others)
                for place in (p for p in further if p.who == who):
                    page.goto(place.path)
                    if place.reach is not None:
                        place.reach(page)
                    settle(page)
                    yield place, page, last()


def _starts() -> dict[str, tuple[str, ...]]:
    staff = tuple(f"/{place}/{cycle}" for place in PLACES for cycle in CYCLES)
    return {
        ADMIN: ("/", "/me", "/find", "/find?q=a00", *staff),
        REVIEWER: ("/", "/inbox", "/offline", "/me"),
        NEWCOMER: ("/inbox",),
        AUDITOR: (),
        NOBODY: ("/sign-in", "/api/docs"),
    }


def _by_links(
    page: Page,
    who: str,
    starts: tuple[str, ...],
    last: Callable[[], int],
    others: set[str],
) -> Iterator[tuple[Place, Page, int]]:
    waiting, seen, shapes = list(starts), set(starts), dict[str, int]()
    opened = 0
    while waiting:
        path = waiting.pop(0)
        try:
            page.goto(path)
        except Error as error:
            if "Download is starting" not in error.message:
                raise
            continue
        settle(page)
        opened += 1
        assert opened <= MOST, "the walk does not end"
        found = page.eval_on_selector_all("a[href]:not([download])", "l => l.map(a => a.href)")
        here = urlsplit(page.url).netloc
        yield Place(who=who, path=path), page, last()
        for address in found:
            parts = urlsplit(address)
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            kind = f"{SAME.sub('*', parts.path)}?{re.sub('=[^&]*', '', parts.query)}"
            if parts.netloc != here or target in seen or _is_file(parts.path):
                continue
            if not others.isdisjoint(parts.path.split("/")):
                continue
            if shapes.get(kind, 0) >= ALIKE:
                continue
            shapes[kind] = shapes.get(kind, 0) + 1
            seen.add(target)
            waiting.append(target)


def _is_file(path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return (
        "." in name
        or name == "eml"
        or path.startswith(("/static", "/api"))
        or "/files/" in path
        or "/defence/" in path
    )


@contextmanager
def _watched(page: Page) -> Iterator[Callable[[], int]]:
    """Yield a reader of the status of the latest page that was opened in this tab."""
    statuses = [0]

    def note(response: Response) -> None:
        wanted = response.request.is_navigation_request() and response.frame == page.main_frame
        if wanted and not 300 <= response.status < 400:
            statuses.append(response.status)

    page.on("response", note)
    yield lambda: statuses[-1]
    page.remove_listener("response", note)


# Pages behind a button


def _further(up: Deployment) -> tuple[Place, ...]:
    task = up.product.tasks.code(up.tasks("busy", "R2")[0].id)
    own = up.product.tasks.code(up.tasks("busy", "R1")[0].id)
    done = next(s for s in up.product.scores.list("busy") if s.reviewer == 0)
    stored = up.product.tasks.code(done.assignment_id)
    talk = up.product.tasks.code(up.tasks("asking", "R1")[0].id)
    met = up.product.meetings.agenda("ended").places[0].application
    practice = next(one.id for one in up.product.cycles.list() if one.is_practice)
    before = len(up.ways_in(NEWCOMER))
    up.office.sign_in.mail_link(NEWCOMER, "/inbox", address="", site=up.settings.address)
    link = up.mailed(NEWCOMER, LINK, after=before)
    lost, gained = (
        "group=admissions-office&role=coordinator&where=cycle:busy",
        "group=g&role=chair",
    )
    return tuple(
        Place(who=who, path=path, status=status, reach=reach, name=name)
        for who, path, status, reach, name in (
            (ADMIN, f"/setup/groups?look=true&{lost}", 200, None, "groups-loss"),
            (ADMIN, f"/setup/groups?look=true&{gained}&where=office", 200, None, "groups-gain"),
            (ADMIN, "/setup/groups?look=true&group=g", 422, None, "groups-wrong"),
            (ADMIN, "/setup/groups", 422, _all_administrators, "groups-administrators"),
            (ADMIN, "/setup/fresh/applicants", 200, _bad_rows, "import-bad-rows"),
            (ADMIN, "/setup/fresh/applicants", 200, _good_rows, "import-good-rows"),
            (ADMIN, "/setup/fresh/applicants", 422, _press("Look at the file"), "import-nothing"),
            (ADMIN, "/setup/fresh/reviewers", 200, _good_reviewers, "import-reviewers"),
            (ADMIN, "/setup/fresh/rules", 422, _bad_rules, "rules-wrong"),
            (ADMIN, "/setup/fresh/questions", 422, _bad_answers, "questions-wrong"),
            (ADMIN, "/setup/asking/questions", 200, None, "questions-launched"),
            (ADMIN, "/setup/fresh/rubrics/review", 422, _bad_rubric, "form-wrong"),
            (ADMIN, "/setup/fresh/rubrics/review", 200, _preview_rubric, "form-preview"),
            (ADMIN, "/setup/fresh/launch", 422, _press("Launch"), "launch-unsure"),
            (ADMIN, "/setup/done/copies", 422, _no_number, "next-year-wrong"),
            (ADMIN, f"/setup/{practice}/copies", 200, None, "practice-program"),
            (ADMIN, f"/today/{practice}", 200, None, "practice-overview"),
            (ADMIN, "/setup", 422, _bad_program, "program-wrong"),
            (ADMIN, "/setup/users", 422, _bad_user, "user-wrong"),
            (ADMIN, "/me/keys", 200, _new_key, "key-shown"),
            (ADMIN, "/decide/ended", 200, _decide_otherwise, "decide-reasons"),
            (ADMIN, "/decide/ended", 422, _no_reason, "decide-no-reason"),
            (ADMIN, "/decide/busy", 422, _press("Stop asking for reviews"), "stop-no-why"),
            (ADMIN, "/decide/ended/zones/out", 200, None, "zone-out"),
            (ADMIN, f"/decide/ended/meeting/{met}", 422, _press("Waitlist"), "meeting-no-why"),
            (ADMIN, f"/decide/ended/meeting/{met}", 422, _no_words, "meeting-no-words"),
            (ADMIN, "/decide/done/offers", 422, _no_rate, "offers-no-rate"),
            (ADMIN, "/decide/done/offers", 422, _no_date, "offers-no-date"),
            (ADMIN, "/decide/done/reconsiderations", 200, None, "reconsiderations"),
            (ADMIN, "/decide/done/calibration", 200, None, "calibration"),
            (ADMIN, "/decide/done/letters", 200, None, "letters"),
            (ADMIN, "/decide/done/letters", 200, _press("Look at the letters"), "letters-look"),
            (ADMIN, "/decide/done/letters", 422, _no_letter, "letters-wrong"),
            (ADMIN, "/reviewers/busy/sheets", 200, _scores, "sheet-preview"),
            (ADMIN, "/reviewers/busy/sheets", 200, _bad_scores, "sheet-bad-rows"),
            (ADMIN, "/reviewers/busy/sheets", 422, _bad_scale, "sheet-wrong"),
            (ADMIN, "/today/asking/waiting", 422, _swap_without_why, "swap-no-why"),
            (ADMIN, "/applicants/asking/slots/proposal", 200, None, "proposal"),
            (ADMIN, "/today/nothing", 404, None, "not-found"),
            (REVIEWER, f"/tasks/{own}/decline", 422, _decline_without_why, "decline-why"),
            (REVIEWER, f"/tasks/{own}", 422, _hand_in_nothing, "review-missing"),
            (REVIEWER, f"/tasks/{own}", 200, _keys, "review-keys"),
            (REVIEWER, f"/tasks/{talk}", 200, None, "interview"),
            (REVIEWER, f"/tasks/{stored}/receipt", 200, None, "receipt"),
            (REVIEWER, f"/tasks/{stored}?correct=1", 200, None, "correct"),
            (REVIEWER, f"/tasks/{task}", 404, None, "not-theirs"),
            (REVIEWER, "/setup/users", 403, None, "forbidden"),
            (AUDITOR, "/today/done/monitoring", 200, None, "monitoring"),
            (
                AUDITOR,
                "/today/done/monitoring",
                422,
                _press("Show, and log it"),
                "monitoring-nothing",
            ),
            (NOBODY, "/sign-in/link/never-was", 404, None, "link-never-was"),
            (NOBODY, _answer_to_offer(up), 200, None, "answer-offer"),
            (NOBODY, _answer_to_date(up), 200, None, "answer-interview"),
            (NOBODY, "/answer/never-was", 404, None, "answer-over"),
            (NOBODY, "/try", 200, try_sheet, "try-answer"),
            (NOBODY, "/try", 200, _say_columns, "try-columns"),
            (NOBODY, "/try", 422, _press("Read the file"), "try-nothing"),
            (NOBODY, "/try/never-was", 404, None, "try-over"),
            (NOBODY, _link_of(up, "busy", "waiting"), 200, None, "reviews-link"),
            (NOBODY, link, 200, None, "link"),
            (NOBODY, link, 410, _use_twice, "link-used"),
            (NOBODY, "/sign-in", 200, _ask_for_link, "link-sent"),
            (NOBODY, "/sign-in", 401, _wrong_code, "code-wrong"),
            (NOBODY, "/sign-in", 401, _wrong_password, "password-wrong"),
            (NOBODY, "/sign-in", 429, _too_often, "too-often"),
        )
    )


def _link_of(up: Deployment, cycle: str, what: str) -> str:
    """Set a token on the link of a mail, as the mailer does where a mail server is connected."""
    ledger = up.product.context.ledger
    mails = [one.mail for one in ledger.cycle_mails(cycle, at_most=1000)]
    found = next(mail for mail in mails if f":{what}" in mail.id and ledger.link_of_mail(mail.id))
    link, token = ledger.link_of_mail(found.id), f"shown-{cycle}-{what}"
    assert link is not None
    if ledger.personal_link(digest_of_token(token)) is None:
        ledger.add_link_token(found.id, digest_of_token(token))
    return f"{link.leads_to.path}{token}"


def _answer_to_offer(up: Deployment) -> str:
    """Store a letter of an open offer that never leaves, and give the link in it."""
    with up.product.context.ledger.write("done") as tx:
        offer = next(one for one in tx.offers() if one.answer is OfferAnswer.WAITING)
        link = letter_link("done", 0, offer.application, offer.id)
        letter = letter_mail("A place for you", ("We offer you a place.",), link, "")
        tx.queue_mail([letter.to("a@example.com", mail_id=link.message_id)], held=True)
        tx.add_personal_links([link])
    return _link_of(up, "done", "letter:0")


def _answer_to_date(up: Deployment) -> str:
    """Return the link in an applicant's invitation to an interview."""
    return _link_of(up, "asking", "applicant")


def _no_number(page: Page) -> None:
    page.get_by_label("Name of the program").fill("Next fall")
    page.get_by_label("Years by which its dates move").fill("x")
    follow(page.get_by_role("button", name="Make next year"))


def _press(name: str) -> Callable[[Page], None]:
    return lambda page: follow(page.get_by_role("button", name=name).first)


def _upload(page: Page, text: str) -> None:
    page.locator("input[type=file]").first.set_input_files(
        {"name": "list.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    follow(page.get_by_role("button", name="Look at the file"))


def try_sheet(page: Page) -> None:
    """Have a small sheet read; again where a busy machine did not get through it in time."""
    readers = ("Ana Bauer", "Ben Okoye", "Cleo Martin", "Dan Weber")
    rows = [
        f"Candidate {number},{readers[(number + place) % 4]},{deserved + place * 7}"
        for number, deserved in ((number, number * 37 % 90) for number in range(30))
        for place in (0, 1)
    ]
    sheet = "\n".join(["Candidate,Reader,Total (0-100)", *rows])
    for _ in range(3):
        page.locator("input[type=file]").set_input_files(
            {"name": "marks-so-far.csv", "mimeType": "text/csv", "buffer": sheet.encode()}
        )
        page.locator("[name=places]").fill("8")
        page.locator("[name=reviews]").fill("10")
        follow(page.get_by_role("button", name="Read the file"))
        if not page.get_by_text("takes longer than").count():
            return


def _say_columns(page: Page) -> None:
    try_sheet(page)
    follow(page.get_by_role("link", name="Say what the columns are"))


def _bad_rows(page: Page) -> None:
    _upload(page, "id,name,email\nB1,Bea,no address\n,Nameless,n@example.com\nB1,Again,a@x.org\n")


def _good_rows(page: Page) -> None:
    _upload(page, "id,name,email,essay\nB1,Bea,b@x.org,On bridges\nB2,مريم,m@x.org,🙂\n")


def _good_reviewers(page: Page) -> None:
    _upload(page, "id,name,email,capacity:review\nR9,Rae,rae@example.org,5\n")


def _scores(page: Page) -> None:
    page.get_by_text("The file is not a sheet made here").click()
    page.locator("#scale").fill("0..5")
    _upload(page, "applicant,reviewer,kind,score\nA009,R1,review,3\nA010,R1,review,4\n")


def _bad_scores(page: Page) -> None:
    page.get_by_text("The file is not a sheet made here").click()
    page.locator("#scale").fill("0..5")
    _upload(page, "applicant,reviewer,kind,score\nnobody,R1,review,3\nA010,R1,review,high\n")


def _bad_scale(page: Page) -> None:
    page.get_by_text("The file is not a sheet made here").click()
    page.locator("#scale").fill("one to five")
    follow(page.get_by_role("button", name="Look at the file"))


def _swap_without_why(page: Page) -> None:
    follow(page.get_by_role("link", name=re.compile(r"^Swap\b")).first)
    page.eval_on_selector("main form.card", "form => { form.noValidate = true; }")
    follow(page.get_by_role("button", name="Swap and approve"))


def _bad_rules(page: Page) -> None:
    page.locator("[name='budget']").fill("a lot")
    page.locator("[name='places.0.number']").fill("-1")
    follow(page.get_by_role("button", name="Save the rules"))


def _bad_rubric(page: Page) -> None:
    page.locator("input[name$='.weight']").first.fill("heavy")
    follow(page.locator("main button.primary").first)


def _preview_rubric(page: Page) -> None:
    follow(page.get_by_role("button", name="Show what it would change").first)


def _bad_answers(page: Page) -> None:
    page.locator("[name='hours']").fill("none")
    follow(page.get_by_role("button", name="Store and go on"))


def _bad_program(page: Page) -> None:
    page.get_by_text("New program").click()
    page.get_by_label("Name", exact=True).first.fill("A program")
    page.locator("main details details summary").first.click()
    page.locator("#p-id").fill("Not An Id")
    follow(page.get_by_role("button", name="Make the program"))


def _bad_user(page: Page) -> None:
    page.evaluate("document.querySelectorAll('main details').forEach(d => { d.open = true; })")
    page.evaluate("document.querySelectorAll('main form').forEach(f => { f.noValidate = true; })")
    page.locator("main form [name=email]").first.fill("no address")
    follow(page.locator("main form:has([name=email]) button").first)


def _all_administrators(page: Page) -> None:
    page.get_by_label("Group", exact=True).fill("everyone")
    page.get_by_label("Role", exact=True).select_option("administrator")
    page.get_by_label("Where", exact=True).select_option("office")
    follow(page.get_by_role("button", name="Show who would gain the role"))
    follow(page.get_by_role("button", name="Give the group the role"))


def _new_key(page: Page) -> None:
    page.evaluate("document.querySelectorAll('main details').forEach(d => { d.open = true; })")
    page.locator("main form input[name=name]").first.fill("nightly export")
    follow(page.locator("main form:has(input[name=name]) button").first)


def _decide_otherwise(page: Page) -> None:
    follow(page.get_by_role("button", name="Prepare list for signature"))


def _no_reason(page: Page) -> None:
    _decide_otherwise(page)
    for reason in page.locator("main textarea").all():
        reason.fill("")
    follow(page.get_by_role("button", name="Prepare for signature"))


def _no_words(page: Page) -> None:
    page.get_by_text("Add a statement").click()
    follow(page.get_by_role("button", name="Add"))


def _no_rate(page: Page) -> None:
    page.get_by_text("Say how many accept", exact=True).click()
    follow(page.get_by_role("button", name="Use this rate"))


def _no_date(page: Page) -> None:
    page.locator("#make-until").fill("2020-01-01")
    follow(page.get_by_role("button", name="Record these offers"))


def _no_letter(page: Page) -> None:
    page.locator("#letters-offered-subject").fill("")
    page.locator("#letters-minutes").fill("soon")
    follow(page.get_by_role("button", name="Look at the letters"))


def _decline_without_why(page: Page) -> None:
    page.eval_on_selector("main form", "form => { form.noValidate = true; }")
    follow(page.get_by_role("button", name="Decline"))


def _hand_in_nothing(page: Page) -> None:
    follow(page.get_by_role("button", name="Submit", exact=True))
    page.wait_for_selector("#problems")


def _keys(page: Page) -> None:
    page.keyboard.press("?")


def _use_twice(page: Page) -> None:
    address = page.url
    follow(page.get_by_role("button", name="Continue as"))
    page.context.clear_cookies()
    page.goto(address)


def _ask_for_link(page: Page, email: str = "stranger@example.org") -> None:
    page.locator("#link-email").fill(email)
    follow(page.get_by_role("button", name="Mail me a sign-in link"))


def _wrong_code(page: Page) -> None:
    _ask_for_link(page, "guesser@example.org")
    page.locator("#code").fill("000000")
    follow(page.get_by_role("button", name="Sign in"))


def _wrong_password(page: Page) -> None:
    page.locator("main summary").click()
    page.locator("#email").fill("walker@example.org")
    page.locator("#password").fill(PASSWORD[::-1])
    follow(page.get_by_role("button", name="Sign in", exact=True))


def _too_often(page: Page) -> None:
    """Guess a password until no more guesses are taken."""
    for _ in range(11):
        page.goto("/sign-in")
        page.locator("main summary").click()
        page.locator("#email").fill("hurried@example.org")
        page.locator("#password").fill(PASSWORD[::-1])
        follow(page.get_by_role("button", name="Sign in", exact=True))
