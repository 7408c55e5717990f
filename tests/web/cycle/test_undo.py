"""What is pressed can be undone until its mails leave; after that it is on the record."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from swapflow.domain.cohort.applicant_answer import ApplicantSaid
from swapflow.domain.people.interview import Interview
from swapflow.domain.reviewing.score import Answer
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.engine.ports.held_acts import HeldState
from swapflow.errors import ConflictError, NotFoundError, NotReadyError
from swapflow.identity.permissions import Role
from swapflow.processes.beside.held_acts import LOOK_EVERY, held_acts
from swapflow.settings import Settings
from tests.engine.cycle_by_hand import reviewer
from tests.support.migrated import new_database
from tests.web.site import SITE_RULES, Site


MINUTES = 5
INTERVIEW = KindRules(
    name="interview", cost=3, gain=4.0, maximum=1, total=2, approval=True, requires="review"
)
TWO_KINDS = replace(SITE_RULES, kinds=(*SITE_RULES.kinds[:1], INTERVIEW), budget=60)
LINES = (SeatLine(name="all", places=1),)
SLOT = {"starts": "2031-03-10T14:00", "minutes": "45", "place": "Room 2"}


@pytest.fixture
def site(tmp_path: Path, settings: Settings) -> Iterator[Site]:
    """A site whose acts are held for some minutes."""
    database = tmp_path / "swapflow.db"
    new_database(database)
    made = Site(database, settings=settings, undo=timedelta(minutes=MINUTES))
    yield made
    made.ledger.dispose()


def asking(site: Site) -> tuple[TestClient, list[str]]:
    """A program in which interviews wait for approval, and their ids."""
    roster = [reviewer(f"R{n}", capacity={"review": None, "interview": 2}) for n in range(1, 6)]
    site.launched(rules=TWO_KINDS, roster=roster)
    for _ in range(6):
        if site.product.approvals.proposed("fall"):
            break
        for known in site.product.reviewers.list("fall"):
            for task in site.product.tasks.inbox("fall", known.external_id):
                marks: dict[str, float | None] = {
                    "Preparation": float(1 + task.application % 4),
                    "Promise": 2.0,
                }
                site.product.tasks.submit([Answer(assignment_id=task.id, marks=marks)])
        site.turn()
    waiting = [one.pull.id for one in site.product.approvals.pending("fall")]
    assert waiting
    return site.signed_in(Role.ADMINISTRATOR), waiting


def pass_minutes(site: Site, minutes: int = MINUTES, *, turn: bool = True) -> int:
    """Pass minutes on the clock, and carry out what is due then."""
    offset = (site.ledger.now() - datetime.now(UTC)).total_seconds()
    site.later(offset + minutes * 60 + 1)
    done = site.product.held_acts.carry_out_due()
    if turn:
        site.turn()
    return done


def test_an_approval_is_carried_out_after_its_minutes(site: Site) -> None:
    client, waiting = asking(site)

    sent = client.post("/today/fall/requests", data={"what": "approve", "pulls": waiting})
    head = site.product.cycles.get("fall").position
    early = site.product.held_acts.carry_out_due()

    assert (sent.status_code, early) == (303, 0)
    assert site.product.cycles.get("fall").position == head
    assert len(site.product.approvals.pending("fall")) == len(waiting)
    assert pass_minutes(site) == 1
    assert site.product.held_acts.carry_out_due() == 0
    assert not set(waiting) & {one.pull.id for one in site.product.approvals.pending("fall")}
    (act,) = site.product.held_acts.list("fall")
    assert (act.state, act.reason) == (HeldState.DONE, "")
    assert site.product.reports.verify("fall").findings == ()


def test_after_an_undo_nothing_happens_and_no_mail_leaves(site: Site) -> None:
    client, waiting = asking(site)
    client.post("/today/fall/requests", data={"what": "approve", "pulls": waiting})
    (act,) = site.product.held_acts.waiting("fall")
    mails, head = len(site.mails), site.product.cycles.get("fall").position

    undone = client.post(f"/today/fall/undo/{act.number}")
    again = client.post(f"/today/fall/undo/{act.number}")
    site.later(11)
    late = client.post(f"/today/fall/undo/{act.number}")

    assert undone.status_code == 303
    assert "took the approval of" in client.get(undone.headers["location"]).text.lower()
    # Within ten seconds it is the same act; after that there is nothing to undo.
    assert (again.status_code, late.status_code) == (303, 409)
    assert pass_minutes(site, 60) == 0
    assert len(site.mails) == mails
    assert site.product.cycles.get("fall").position == head
    assert {one.pull.id for one in site.product.approvals.pending("fall")} >= set(waiting)


def test_a_decline_keeps_its_reason_until_it_is_recorded(site: Site) -> None:
    client, waiting = asking(site)
    data = {"what": "strike", "pulls": waiting[:1], "reason": "no time this week"}

    client.post("/today/fall/requests", data=data)
    (act,) = site.product.held_acts.waiting("fall")
    assert act.reason == "no time this week"
    assert pass_minutes(site) == 1

    assert site.product.held_acts.list("fall")[0].reason == ""
    assert waiting[0] not in {one.pull.id for one in site.product.approvals.pending("fall")}


def test_a_request_that_is_held_is_not_held_twice(site: Site) -> None:
    client, waiting = asking(site)
    client.post("/today/fall/requests", data={"what": "approve", "pulls": waiting})

    with pytest.raises(NotReadyError):
        site.product.held_acts.decline("fall", waiting, by="ops", reason="too late")
    with pytest.raises(NotFoundError):
        site.product.held_acts.undo("fall", 99, by="ops")
    # A page from before has nothing left to tick.
    assert not any(f'value="{one}"' in client.get("/today/fall/waiting").text for one in waiting)


def test_what_cannot_be_done_any_more_is_refused_and_says_why(site: Site) -> None:
    client, waiting = asking(site)
    client.post("/today/fall/requests", data={"what": "approve", "pulls": waiting})
    site.product.approvals.strike("fall", waiting, by="a program", reason="too expensive")

    assert pass_minutes(site) == 1

    (act,) = site.product.held_acts.list("fall")
    assert act.state is HeldState.REFUSED
    assert act.why is not None
    assert act.why.code == "held_requests_gone"
    assert "waited for approval any more" in client.get("/today/fall/activity").text


def test_a_reminder_waits_and_an_undone_one_writes_no_mail(site: Site) -> None:
    site.launched()
    site.later(40 * 86_400)
    client = site.signed_in(Role.ADMINISTRATOR)

    def reminders() -> int:
        return sum(":nudge:" in mail.mail.id for mail in site.product.outbox.mails("fall"))

    assert client.post("/today/fall/remind").status_code == 303
    (act,) = site.product.held_acts.waiting("fall")
    with pytest.raises(ConflictError):
        site.product.held_acts.remind("fall", by="ops")
    site.product.held_acts.undo("fall", act.number, by="ops")
    # A turn would take late requests back, and with them who is late.
    assert pass_minutes(site, turn=False) == 0
    assert reminders() == 0

    site.product.held_acts.remind("fall", by="ops")
    assert pass_minutes(site) == 1
    assert reminders() == act.count > 0


@pytest.fixture
def meeting(site: Site) -> Callable[[], Interview | None]:
    """A program whose one request is a panel; reads its date."""
    panel = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=2, quorum=2)
    site.launched(
        rules=replace(SITE_RULES, kinds=(panel,), lines=LINES, blind=False), applicants=2
    )
    (pull, *_) = [one.pull.id for one in site.product.reviewers.interview_requests("fall")]

    def date() -> Interview | None:
        found = site.product.reviewers.interview_requests("fall")
        return next(one.interview for one in found if one.pull.id == pull)

    return date


def invitations(site: Site) -> list[str]:
    """Who was told of a date."""
    return [mail.to for mail in site.mails if ":slot:" in mail.id]


def guest(site: Site) -> str:
    """The address of the applicant whose date is set."""
    (one, *_) = site.product.reviewers.interview_requests("fall")
    return next(
        a.email for a in site.ledger.applications("fall") if a.number == one.pull.application
    )


def test_a_date_is_taken_at_once_and_its_mails_wait(
    site: Site, meeting: Callable[[], Interview | None]
) -> None:
    client = site.signed_in(Role.OPERATIONS)
    (one, *_) = site.product.reviewers.interview_requests("fall")

    client.post("/applicants/fall/slots", data=SLOT | {"pull": one.pull.id})
    first = meeting()
    assert first is not None
    assert first.stands
    assert len(one.reviewers) == 2
    # Theirs, and the applicant's.
    assert site.product.outbox.count("fall").get("held") == 2 + 1
    site.turn()
    assert not invitations(site)
    assert pass_minutes(site) == 1
    assert "held" not in site.product.outbox.count("fall")
    assert sorted(invitations(site)) == sorted([*(r.email for r in one.reviewers), guest(site)])


def test_an_undone_date_is_as_it_was_and_nobody_is_told(
    site: Site, meeting: Callable[[], Interview | None]
) -> None:
    client = site.signed_in(Role.OPERATIONS)
    (one, *_) = site.product.reviewers.interview_requests("fall")
    client.post("/applicants/fall/slots", data=SLOT | {"pull": one.pull.id})
    (act,) = site.product.held_acts.waiting("fall")

    client.post(f"/today/fall/undo/{act.number}")
    pass_minutes(site)

    put_back = meeting()
    assert put_back is not None
    assert not put_back.stands
    assert not invitations(site)
    assert "held" not in site.product.outbox.count("fall")
    # Nothing of it is left that a later date could set free.
    client.post(
        "/applicants/fall/slots",
        data=SLOT | {"pull": one.pull.id, "starts": "2031-03-11T14:00", "revision": "2-"},
    )
    pass_minutes(site)
    told = [mail for mail in site.mails if ":slot:" in mail.id]
    assert sorted(mail.to for mail in told) == sorted(
        [*(r.email for r in one.reviewers), guest(site)]
    )
    assert all("DTSTART:20310311" in mail.calendar for mail in told)


def slot_form(client: TestClient, pull: str, day: int, revision: str = "") -> None:
    """Send the form of a date."""
    data = SLOT | {"pull": pull, "starts": f"2031-03-{day}T14:00"}
    sent = client.post("/applicants/fall/slots", data=data | {"revision": revision})
    assert sent.status_code == 303, sent.text


def applicants_links(site: Site) -> list[str]:
    """The links in the applicant's invitations, oldest first."""
    mails = [mail for mail in site.mails if mail.to == guest(site) and mail.calendar]
    return re.findall(r"/answer/\S+", "\n".join(mail.text for mail in mails))


def undo_last(site: Site, client: TestClient) -> None:
    act = max(site.product.held_acts.waiting("fall"), key=lambda one: one.number)
    assert client.post(f"/today/fall/undo/{act.number}").status_code == 303


def test_after_an_undone_first_date_the_next_one_is_no_new_date(
    site: Site, meeting: Callable[[], Interview | None]
) -> None:
    client = site.signed_in(Role.OPERATIONS)
    (one, *_) = site.product.reviewers.interview_requests("fall")
    slot_form(client, one.pull.id, 10)
    undo_last(site, client)

    slot_form(client, one.pull.id, 11, "2-")
    pass_minutes(site)

    subjects = [mail.subject for mail in site.mails if ":slot:" in mail.id]
    assert len(subjects) == 3
    assert not [s for s in subjects if "New date" in s or "moved" in s]


def test_after_an_undone_move_the_applicants_link_and_answer_are_those_of_the_old_date(
    site: Site, meeting: Callable[[], Interview | None]
) -> None:
    client = site.signed_in(Role.OPERATIONS)
    (one, *_) = site.product.reviewers.interview_requests("fall")
    slot_form(client, one.pull.id, 10)
    pass_minutes(site)
    (link,) = applicants_links(site)
    number = next(
        a.external_id for a in site.ledger.applications("fall") if a.email == guest(site)
    )
    outside = site.anonymous()
    assert outside.post(link, data={"number": number, "answer": "coming"}).status_code == 303

    slot_form(client, one.pull.id, 11, "1")
    undo_last(site, client)
    pass_minutes(site)

    page = outside.get(link)
    assert page.status_code == 200
    assert "You said that you will come." in page.text
    (asked, *_) = site.product.reviewers.interview_requests("fall")
    assert asked.answer is not None
    assert asked.answer.answer is ApplicantSaid.COMING
    # They can still say that they cannot come, and a later date has a link of its own.
    assert outside.post(link, data={"number": number, "answer": "cannot come"}).status_code == 303
    back = meeting()
    assert back is not None
    assert not back.stands
    slot_form(client, one.pull.id, 12, back.revision)
    pass_minutes(site)
    assert outside.get(link).status_code == 404
    assert outside.get(applicants_links(site)[-1]).status_code == 200


def test_a_date_does_not_come_back_to_an_hour_that_another_interview_has(site: Site) -> None:
    panel = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=2, quorum=2)
    site.launched(
        rules=replace(SITE_RULES, kinds=(panel,), lines=LINES, blind=False),
        applicants=2,
        roster=[reviewer("R1"), reviewer("R2")],
    )
    client = site.signed_in(Role.OPERATIONS)
    one, other = site.product.reviewers.interview_requests("fall")
    slot_form(client, one.pull.id, 10)
    pass_minutes(site)
    slot_form(client, one.pull.id, 11, "1")
    (act,) = site.product.held_acts.waiting("fall")
    slot_form(client, other.pull.id, 10)

    refused = client.post(f"/today/fall/undo/{act.number}")

    assert refused.status_code == 409
    assert "R1" in refused.text
    starts = {
        found.pull.id: found.interview.starts_at.day
        for found in site.product.reviewers.interview_requests("fall")
        if found.interview is not None
    }
    assert starts == {one.pull.id: 11, other.pull.id: 10}


def test_a_date_taken_back_before_its_mails_left_is_told_to_nobody(
    site: Site, meeting: Callable[[], Interview | None]
) -> None:
    client = site.signed_in(Role.OPERATIONS)
    (one, *_) = site.product.reviewers.interview_requests("fall")
    slot_form(client, one.pull.id, 10)

    site.product.reviewers.cancel_slot("fall", one.pull.id, by="ops")
    pass_minutes(site)

    assert not invitations(site)


def test_a_date_that_comes_back_before_it_was_told_is_told_then(
    site: Site, meeting: Callable[[], Interview | None]
) -> None:
    client = site.signed_in(Role.OPERATIONS)
    (one, *_) = site.product.reviewers.interview_requests("fall")
    slot_form(client, one.pull.id, 10)
    slot_form(client, one.pull.id, 11, "1")
    undo_last(site, client)
    pass_minutes(site)

    told = [mail for mail in site.mails if ":slot:" in mail.id]
    assert sorted(mail.to for mail in told) == sorted(
        [*(r.email for r in one.reviewers), guest(site)]
    )
    assert all("DTSTART:20310310" in mail.calendar for mail in told)
    assert site.anonymous().get(applicants_links(site)[-1]).status_code == 200


def test_the_applicants_link_opens_only_once_its_mail_has_left(
    site: Site, meeting: Callable[[], Interview | None]
) -> None:
    client = site.signed_in(Role.OPERATIONS)
    (one, *_) = site.product.reviewers.interview_requests("fall")
    client.post("/applicants/fall/slots", data=SLOT | {"pull": one.pull.id})
    pass_minutes(site)

    (mail,) = [mail for mail in site.mails if mail.to == guest(site) and mail.calendar]
    (link,) = set(re.findall(r"/answer/\S+", mail.text))

    assert meeting() is not None
    assert "Monday 10 March 2031" in site.anonymous().get(link).text


def test_the_coordinators_process_looks_every_few_seconds(site: Site) -> None:
    client, waiting = asking(site)
    client.post("/today/fall/requests", data={"what": "approve", "pulls": waiting})
    now = [0.0]
    acts = held_acts(site.product, clock=lambda: now[0])

    acts()
    site.later(MINUTES * 60 + 1)
    acts()
    assert site.product.held_acts.waiting("fall")
    now[0] += LOOK_EVERY
    acts()
    assert site.product.held_acts.waiting("fall") == ()
