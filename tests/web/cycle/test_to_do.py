"""What waits for a person is on their Today, in their mail of the day and in the API."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from swapflow.domain.reviewing.assignment import Assignment
from swapflow.domain.rules import KindRules, SeatLine
from swapflow.engine.pending.things import PendingCode
from swapflow.identity.account import Account
from swapflow.identity.pending_rights import RIGHT_FOR
from swapflow.identity.permissions import RIGHTS, Role
from swapflow.messages import TEXTS
from swapflow.processes.beside.to_do_mails import DIGESTS_EVERY, SIGNERS_EVERY, to_do_mails
from tests.support.statement_count import statements_run
from tests.web.cohort.fixed_cohorts import chair, digest, ended, sign
from tests.web.site import ADDRESS, SITE_RULES, Site


PANEL = KindRules(name="review", cost=1, gain=1.0, maximum=1, seats=2, quorum=2)
SLOT = {"starts": "2031-03-10T14:00", "minutes": "45", "place": "Room 2"}
NOON = 12


def codes(site: Site, account: Account) -> list[str]:
    """Return what waits for an account, over all programs."""
    principal = site.office.context.principal_of(account)
    return [thing.code.value for thing in site.office.to_do.of(principal, site.product.pending)]


def meetings(site: Site) -> Assignment:
    """A program whose one kind is a panel, with its requests out."""
    lines = (SeatLine(name="all", places=1),)
    rules = replace(SITE_RULES, kinds=(PANEL,), lines=lines, blind=False)
    site.launched(rules=rules, applicants=2, roster=4)
    return site.assigned()[1]


def at_noon(site: Site) -> None:
    """Set the clock to noon of tomorrow."""
    now = site.ledger.now()
    noon = (now + timedelta(days=1)).replace(hour=NOON, minute=0)
    site.later((noon - now).total_seconds())


def mail_the_day(site: Site) -> int:
    """Queue the mails of the day and send them."""
    queued = site.office.to_do.mail_digests(site.product.pending, site=ADDRESS, hour=7)
    site.turn()
    return queued


def test_every_code_has_its_sentence_its_button_and_its_right() -> None:
    for code in PendingCode:
        assert {f"pending_{code.value}", f"pending_{code.value}_action"} <= set(TEXTS)
    assert set(RIGHT_FOR) == set(PendingCode) - {PendingCode.OWN_REVIEWS}
    # A person can do each: a thing that waits for no role waits for ever.
    assert set(RIGHT_FOR.values()) <= frozenset().union(*RIGHTS.values())


def test_signers_get_a_mail_and_a_line_until_they_have_signed(site: Site) -> None:
    path = ended(site, signatures=2)
    one, two = chair(site, "one"), chair(site, "two")
    site.account("ops@example.org")
    staff = site.signed_in(Role.OPERATIONS)
    staff.post(f"{path}/prepare")
    site.mails.clear()

    queued = [site.office.to_do.mail_signers(site.product.pending, site=ADDRESS) for _ in range(2)]
    site.turn()

    assert queued == [2, 0]
    assert {mail.to for mail in site.mails} == {"one@example.org", "two@example.org"}
    assert all("waits for your signature" in mail.subject for mail in site.mails)
    assert all(f"{ADDRESS}{path}" in mail.text for mail in site.mails)
    for client in (one, two):
        assert "waits for your signature" in client.get("/today/fall/waiting").text
    assert "waits for your signature" not in staff.get("/today/fall/waiting").text
    assert sign(one) == 303
    assert "waits for your signature" not in one.get("/today/fall/waiting").text
    assert "waits for your signature" in two.get("/today/fall/waiting").text
    assert digest(two)


def test_a_look_for_signatures_costs_one_statement_however_many_programs_rest(site: Site) -> None:
    site.launched()
    site.launched("spring")

    with statements_run(site.ledger) as run:
        site.office.to_do.mail_signers(site.product.pending, site=ADDRESS)

    assert len(run) == 1, run


def test_another_decision_is_another_mail(site: Site) -> None:
    path = ended(site)
    client = chair(site)
    client.post(f"{path}/prepare")
    assert site.office.to_do.mail_signers(site.product.pending, site=ADDRESS) == 1
    client.post(f"{path}/take-back", data={"digest": digest(client)})
    assert site.office.to_do.mail_signers(site.product.pending, site=ADDRESS) == 0
    # The digest of what is signed names who prepared it.
    chair(site, "two").post(f"{path}/prepare")
    assert site.office.to_do.mail_signers(site.product.pending, site=ADDRESS) == 2


def test_interviews_without_a_date_and_no_shows_are_on_today(site: Site) -> None:
    assignment = meetings(site)
    staff = site.signed_in(Role.OPERATIONS)
    account = site.account("operations@example.org")

    assert "undated_interviews" in codes(site, account)
    assert "2 interviews have no date" in staff.get("/today/fall/waiting").text
    assert re.search(r"\d interviews due, ", staff.get("/today").text)
    staff.post("/applicants/fall/slots", data=SLOT | {"pull": assignment.pull_id})
    assert "1 interview has no date" in staff.get("/today/fall/waiting").text
    site.product.tasks.no_show(assignment.id, by="r1", note="")
    page = staff.get("/today/fall/waiting").text
    assert "1 applicant did not come to an interview" in page
    assert "no_shows" in codes(site, account)
    form = staff.get("/applicants/fall/slots").text.split(f'value="{assignment.pull_id}"')[1]
    shown = re.search(r'name="revision" value="([^"]+)"', form)
    assert shown is not None
    again = SLOT | {"pull": assignment.pull_id, "starts": "2031-03-11T14:00"}
    sent = staff.post("/applicants/fall/slots", data=again | {"revision": shown[1]})
    assert sent.status_code == 303
    assert "no_shows" not in codes(site, account)


def test_the_mail_of_the_day_lists_what_waits_and_names_no_applicant(site: Site) -> None:
    meetings(site)
    site.signed_in(Role.OPERATIONS)
    site.signed_in(Role.OBSERVER)
    site.turn()
    at_noon(site)
    site.mails.clear()

    first, second = mail_the_day(site), mail_the_day(site)

    assert (first, second) == (1, 0)
    (mail,) = [mail for mail in site.mails if mail.id.startswith("to-do:")]
    assert mail.to == "operations@example.org"
    assert "have no date" in mail.text
    assert "MS fall" in mail.text
    assert f"{ADDRESS}/today" in mail.text
    assert "Applicant" not in mail.text
    site.later((site.ledger.now() - datetime.now(UTC) + timedelta(days=1)).total_seconds())
    assert mail_the_day(site) == 1


def test_nothing_waits_so_nothing_is_written_and_not_before_its_hour(site: Site) -> None:
    site.signed_in(Role.OPERATIONS)
    at_noon(site)
    assert mail_the_day(site) == 0

    meetings(site)
    queued = site.office.to_do.mail_digests(site.product.pending, site=ADDRESS, hour=23)
    assert queued == 0


def test_the_api_and_the_list_of_programs_hold_the_same_things(site: Site) -> None:
    meetings(site)
    site.launched("spring", launch=False)
    staff = site.signed_in(Role.OPERATIONS)
    account = site.account("operations@example.org")

    shown = staff.get("/today").text
    listed = staff.get("/api/v1/me/to-do").json()

    assert [one["code"] for one in listed] == codes(site, account)
    assert listed
    for one in listed:
        assert one["text"][1:] in shown
        assert one["link"].removeprefix(site.product.address) in shown
    observer = site.signed_in(Role.OBSERVER)
    assert observer.get("/api/v1/me/to-do").json() == []


def test_reviews_of_ones_own_are_among_them(site: Site) -> None:
    site.launched()
    client, _ = site.assigned()
    (own, *others) = client.get("/api/v1/me/to-do").json()

    assert others == []
    assert own["code"] == "own_reviews"
    assert own["params"]["count"] > 0
    assert own["link"].endswith("/inbox")


def test_a_damaged_or_undecided_program_has_its_line(site: Site) -> None:
    ended(site)
    staff, account = chair(site), site.account("chair@example.org")

    assert codes(site, account) == ["decide"]
    assert staff.get("/today/fall").status_code == 200


@pytest.mark.parametrize("hour", [-1, 0])
def test_the_coordinator_looks_now_and_then(site: Site, hour: int) -> None:
    path = ended(site)
    client = chair(site)
    now = [0.0]
    mails = [*to_do_mails(site.product, site.office, hour=hour, clock=lambda: now[0])]

    for look in mails:
        look()
    client.post(f"{path}/prepare")
    for look in mails:
        look()
    site.turn()
    asked = [mail for mail in site.mails if ":sign:" in mail.id]
    now[0] += SIGNERS_EVERY
    for look in mails:
        look()
    site.turn()

    assert asked == []
    assert len([mail for mail in site.mails if ":sign:" in mail.id]) == 1
    digests = [mail for mail in site.mails if mail.id.startswith("to-do:")]
    assert len(digests) == (0 if hour < 0 else 1)
    assert DIGESTS_EVERY > SIGNERS_EVERY


def test_the_late_are_reminded_from_to_do_and_its_line_is_gone(site: Site) -> None:
    site.launched()
    site.later(40 * 86_400)
    staff = site.signed_in(Role.OPERATIONS)
    page = staff.get("/today").text
    assert re.search(r'action="/today/fall/remind".*?Remind \d', page, re.DOTALL)

    sent = staff.post("/today/fall/remind", data={"back": "home"})

    assert (sent.status_code, sent.headers["location"]) == (303, "/today")
    assert 'action="/today/fall/remind"' not in staff.get("/today").text


def test_to_do_says_that_nothing_needs_a_person_and_shows_each_program(site: Site) -> None:
    site.launched()
    page = site.signed_in(Role.OBSERVER).get("/today").text

    assert "Nothing needs you" in page
    assert page.count("<article") == 1
    assert 'href="/today/fall">MS fall</a>' in page
    assert "Reviews so far" in page


def test_system_health_is_for_who_runs_a_program(site: Site) -> None:
    site.launched()
    page = site.signed_in(Role.ADMINISTRATOR).get("/setup/system").text

    assert "✓ answers" in page
    assert "✓ at work" in page
    leader, led = next(iter(site.product.cycles.leaders().items()))
    assert led == ["fall"]
    assert f'{leader}</span>: leads 1 program (<a href="/today/fall">MS fall</a>)' in page
    assert site.signed_in(Role.CHAIR).get("/setup/system").status_code == 403
