"""People and rights, the audit log, and the mails of a program."""

from swapflow.engine.ports.records import Mail
from swapflow.identity.permissions import Grant, Role, Scope
from tests.web.site import Site


def mail(mail_id: str, **changes: str) -> Mail:
    values = {
        "to": "r1@example.org",
        "subject": "Reviews wait",
        "text": "Two reviews wait for you.",
        "html": "<p style='color:red'>Two reviews wait for you.<script>alert(1)</script></p>",
        "calendar": "",
        "state": "queued",
    }
    return Mail(id=mail_id, **{**values, **changes})


def with_mail(site: Site, *ids: str) -> None:
    site.launched("fall", launch=False)
    with site.ledger.write("fall") as tx:
        tx.queue_mail([mail(one) for one in ids])


def test_an_administrator_invites_somebody_into_a_role_and_a_mail_goes_out(site: Site) -> None:
    site.launched("fall", launch=False)
    client = site.signed_in(Role.ADMINISTRATOR)

    invited = client.post(
        "/setup/users",
        data={"email": "Eve@Example.org", "name": "Eve", "role": "chair", "where": "cycle:fall"},
    )
    site.turn()

    assert invited.status_code == 303, invited.text
    eve = site.office.users.get("eve@example.org")
    assert site.office.context.ledger.grants(eve.id) == (
        Grant(account=eve.id, role=Role.CHAIR, scope=Scope.CYCLE, scope_id="fall"),
    )
    assert [sent.to for sent in site.mails] == ["eve@example.org"]
    assert "Eve" in client.get("/setup/users").text


def test_bad_invitations_are_refused_beside_the_field_and_make_nobody(site: Site) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)
    good = {"email": "x@example.org", "name": "X", "role": "chair", "where": "office"}

    for name, bad in (
        ("email", "no address"),
        ("name", "a\x07b"),
        ("role", "emperor"),
        ("where", "cycle:nowhere"),
        ("name", "x" * 1000),
    ):
        refused = client.post("/setup/users", data={**good, name: bad})
        assert refused.status_code == 422, name
        assert 'aria-invalid="true"' in refused.text, name
    assert [u.account.email for u in site.office.users.list()] == ["administrator@example.org"]


def test_roles_are_given_and_taken_and_it_stands_in_the_audit_log(site: Site) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)
    bob = site.account("bob@example.org")
    role = {"role": "observer", "where": "office"}

    client.post(f"/setup/users/{bob.id}/grants", data=role)
    given = site.office.context.ledger.grants(bob.id)
    client.post(f"/setup/users/{bob.id}/grants/remove", data=role)

    assert [grant.role for grant in given] == [Role.OBSERVER]
    assert site.office.context.ledger.grants(bob.id) == ()
    log = client.get("/setup/audit").text
    assert log.count("bob@example.org") >= 2
    assert "administrator@example.org" in log


def test_the_last_administrator_stays_one(site: Site) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)
    me = site.office.users.get("administrator@example.org")
    role = {"role": "administrator", "where": "office"}

    taken = client.post(f"/setup/users/{me.id}/grants/remove", data=role)
    closed = client.post(f"/setup/users/{me.id}/close")

    assert (taken.status_code, closed.status_code) == (422, 422)
    assert site.office.context.ledger.grants(me.id) != ()
    assert site.office.users.get(me.email).active


def test_a_closed_account_is_signed_out_at_once(site: Site) -> None:
    client = site.signed_in(Role.ADMINISTRATOR)
    other = site.signed_in(Role.OPERATIONS)
    account = site.office.users.get("operations@example.org")
    assert other.get("/setup").status_code == 200

    client.post(f"/setup/users/{account.id}/close")

    assert other.get("/setup").status_code == 303
    client.post(f"/setup/users/{account.id}/open")
    assert site.office.users.get(account.email).active


def test_only_administrators_manage_people(site: Site) -> None:
    for role in (Role.OPERATIONS, Role.CHAIR, Role.COMPLIANCE):
        client = site.signed_in(role)
        assert client.get("/setup/users").status_code == 403
        assert client.post("/setup/users", data={"email": "x@example.org"}).status_code == 403


def test_the_audit_log_is_read_page_by_page_and_by_those_who_may(site: Site) -> None:
    site.launched("fall", launch=False)
    site.launched("other", launch=False)
    for number in range(120):
        site.office.audit_log.record("ops@example.org", f"deed {number:03d}", cycle_id="fall")
    site.office.audit_log.record("ops@example.org", "elsewhere", cycle_id="other")
    client = site.signed_in(Role.COMPLIANCE, cycle="fall")

    first = client.get("/today/fall/audit").text
    older = first.split('href="/today/fall/audit?before=')[1].split('"')[0]
    second = client.get(f"/today/fall/audit?before={older}").text

    assert "deed 119" in first
    assert "deed 069" not in first
    assert "deed 069" in second
    assert "elsewhere" not in first + second
    assert client.get("/today/other/audit").status_code == 404
    assert client.get("/setup/audit").status_code == 403
    assert (
        site.signed_in(Role.COORDINATOR, cycle="fall").get("/today/fall/audit").status_code == 403
    )


def test_mails_of_a_program_are_listed_by_state_and_looked_at(site: Site) -> None:
    with_mail(site, "fall:one", "fall:two")
    site.ledger.mark_mail("fall:two", "failed", detail="no such mailbox")
    client = site.signed_in(Role.OPERATIONS)

    every = client.get("/today/fall/mail").text
    failed = client.get("/today/fall/mail?state=failed").text
    one = client.get("/today/fall/mail/fall%3Aone").text

    assert every.count("Reviews wait<") == 2
    assert failed.count("Reviews wait<") == 1
    assert "no such mailbox" in failed
    assert "Two reviews wait for you." in one
    assert 'sandbox src="/today/fall/mail/fall%3Aone/html"' in one


def test_a_mails_html_is_shown_in_a_frame_that_can_do_nothing(site: Site) -> None:
    with_mail(site, "fall:one")

    framed = site.signed_in(Role.OPERATIONS).get("/today/fall/mail/fall:one/html")

    policy = framed.headers["content-security-policy"]
    assert "sandbox;" in policy
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_a_mail_is_downloaded_as_its_reader_gets_it(site: Site) -> None:
    with_mail(site, "fall:one")

    file = site.signed_in(Role.OPERATIONS).get("/today/fall/mail/fall:one/eml")

    assert file.headers["content-type"] == "message/rfc822"
    assert "To: r1@example.org" in file.text


def test_only_a_mail_that_failed_is_sent_again(site: Site) -> None:
    with_mail(site, "fall:one", "fall:two")
    site.ledger.mark_mail("fall:one", "failed", detail="mailbox full")
    site.ledger.mark_mail("fall:two", "sent")
    client = site.signed_in(Role.OPERATIONS)

    again = client.post("/today/fall/mail/fall:one/again")
    sent = client.post("/today/fall/mail/fall:two/again")
    site.turn()

    assert (again.status_code, sent.status_code) == (303, 422)
    assert [m.id for m in site.mails] == ["fall:one"]


def test_after_a_day_without_a_mail_server_all_that_failed_goes_out_with_one_press(
    site: Site,
) -> None:
    with_mail(site, "fall:one", "fall:two", "fall:three")
    for mail in ("fall:one", "fall:two"):
        site.ledger.mark_mail(mail, "failed", detail="the server did not answer")
    site.ledger.mark_mail("fall:three", "sent")
    client = site.signed_in(Role.OPERATIONS)

    assert "Send 2 mails again that did not leave" in client.get("/today/fall/mail").text
    pressed = client.post("/today/fall/mail/again")
    site.turn()
    site.later(11)  # sooner, it would be the same press
    twice = client.post("/today/fall/mail/again")

    assert (pressed.status_code, twice.status_code) == (303, 422)
    assert "Every mail has left or is on its way" in twice.text
    assert sorted(m.id for m in site.mails) == ["fall:one", "fall:two"]
    assert "did not leave" not in client.get("/today/fall/mail").text


def test_a_sign_in_mail_and_another_programs_mail_are_not_shown(site: Site) -> None:
    with_mail(site, "fall:one")
    site.launched("other", launch=False)
    site.office.users.invite("x@example.org", name="", by="test", site="http://testserver")
    client = site.signed_in(Role.OPERATIONS)

    assert "x@example.org" not in client.get("/today/fall/mail").text
    for address in ("fall:one", "fall:nothing"):
        assert client.get(f"/today/other/mail/{address}").status_code == 404
    assert site.signed_in(Role.CHAIR).get("/today/fall/mail").status_code == 403
