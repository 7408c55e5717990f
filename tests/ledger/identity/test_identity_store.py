"""What the office's record promises, on every kind of database."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import Engine, event

from swapflow.domain.people.reviewer import NewReviewer
from swapflow.domain.rules import SignInPolicy
from swapflow.engine.ports.records import Mail
from swapflow.errors import InvalidInputError, UnavailableError
from swapflow.identity.account import (
    Account,
    Method,
    RevokedAccess,
    Session,
    SignIn,
    SignInRequirement,
)
from swapflow.identity.api_keys import digest_of, make_token
from swapflow.identity.permissions import Grant, Role, Scope
from swapflow.ledger.identity.identity_store import SqlIdentityStore
from swapflow.ledger.sql_ledger import SqlLedger
from tests.ledger.examples import RULES
from tests.support.waiting import CAP, wait_until


def account(ledger: SqlLedger, email: str = "boss@example.org", **changes: object) -> Account:
    values = {
        "id": email.partition("@")[0],
        "email": email,
        "name": "",
        "password": "",
        "subject": "",
        "active": True,
        "created_at": ledger.now(),
        "last_seen_at": None,
    }
    made = Account(**values | changes)  # type: ignore[arg-type]  # tests name fields
    ledger.office().add_account(made)
    return made


def session(ledger: SqlLedger, digest: str, who: Account, *, days: float = 1) -> Session:
    now = ledger.now()
    made = Session(
        digest=digest,
        account_id=who.id,
        method=Method.LINK,
        agent="",
        created_at=now,
        last_seen_at=now,
        expires_at=now + timedelta(days=days),
    )
    ledger.office().add_session(made)
    return made


def sign_in(
    ledger: SqlLedger, digest: str, *, minutes: int = 60, email: str = "r1@example.org"
) -> SignIn:
    now = ledger.now()
    made = SignIn(
        digest=digest,
        email=email,
        code="c",
        next="/inbox",
        created_at=now,
        expires_at=now + timedelta(minutes=minutes),
        used_at=None,
        tries=0,
    )
    mail = Mail(
        id=f"sign-in:{digest}", to=made.email, subject="Your way in", text="secret words",
        html="<p>secret words</p>", calendar="", state="queued",
    )  # fmt: skip
    ledger.office().add_sign_in(made, mail)
    return made


def test_an_account_is_read_as_it_was_written_and_its_address_is_its_own(
    ledger: SqlLedger,
) -> None:
    office, made = ledger.office(), account(ledger)

    assert office.account(made.id) == office.account_of(" BOSS@example.org") == made
    with pytest.raises(InvalidInputError, match="already"):
        account(ledger, id="another")
    office.set_password(made.id, "p")
    assert office.link_subject(made.id, "i#1")
    assert office.account_with_subject("i#1") == replace(made, password="p", subject="i#1")
    assert office.account_with_subject("") is None


def test_a_name_at_the_provider_belongs_to_one_account_and_stays(ledger: SqlLedger) -> None:
    office, one, two = ledger.office(), account(ledger), account(ledger, "two@example.org")
    office.close_account(one.id)

    assert office.link_subject(one.id, "i#1")
    assert office.link_subject(one.id, "i#1")
    assert not office.link_subject(one.id, "i#2")
    assert not office.link_subject(two.id, "i#1")

    # Linking an account that is being closed does not open it again.
    assert office.account(one.id) == replace(one, subject="i#1", active=False)
    assert office.account(two.id) == two


def test_a_session_ends_with_its_time_its_account_or_its_digest(ledger: SqlLedger) -> None:
    office, who = ledger.office(), account(ledger)
    kept = session(ledger, "one", who)
    session(ledger, "two", who)
    session(ledger, "short", who, days=0.01)
    seen = office.session("one")
    assert seen is not None
    assert seen[0] == kept
    assert seen[1] == replace(who, last_seen_at=seen[1].last_seen_at)
    assert seen[1].last_seen_at is not None, "who signs in was seen"

    ledger.set_clock_offset(3600)
    assert office.session("short") is None
    assert {s.digest for s in office.sessions(who.id)} == {"one", "two"}
    assert office.end_sessions(who.id, but="one") == 2
    office.end_session("one")
    assert office.session("one") is None
    session(ledger, "last", who)
    office.close_account(who.id)
    office.open_account(who.id)
    assert office.session("last") is None


def test_a_use_is_recorded_soon_and_its_account_was_seen(ledger: SqlLedger) -> None:
    office, who = ledger.office(), account(ledger)
    session(ledger, "one", who)
    key, token = make_token(who, name="k", scopes=("read",), days=1, ledger=office)
    ledger.set_clock_offset(600)
    now = ledger.now()

    office.touch_session("one")
    office.touch_token(token.id)

    def recorded() -> bool:
        used, by_key = office.session("one"), office.token(digest_of(key))
        assert used is not None
        assert by_key is not None
        seen = [used[0].last_seen_at, used[1].last_seen_at, by_key[0].last_used_at]
        return all(moment is not None and moment >= now for moment in seen)

    wait_until(recorded, what="the use")


def test_many_uses_share_a_commit_and_one_that_is_refused_ends_nothing(
    ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    office, who = ledger.office(), account(ledger)
    for number in range(5):
        session(ledger, f"s{number}", who)
    ledger.set_clock_offset(600)
    now = ledger.now()
    batches, commits = office._last_uses._batches, list[object]()

    def touch_all() -> None:
        batches._writing = True  # as while the thread writes
        for number in range(5):
            office.touch_session(f"s{number}")
        batches._writer.submit(batches._write_all)
        wait_until(lambda: not batches._writing, what="the batch")

    def refuse() -> None:
        raise UnavailableError("another process writes")

    with monkeypatch.context() as busy:
        busy.setattr(ledger._database, "touching", refuse)
        touch_all()
    assert all(one.last_seen_at < now for one in office.sessions(who.id))

    note = commits.append  # each look at it makes another object, which could not be removed
    event.listen(Engine, "commit", note)
    touch_all()
    event.remove(Engine, "commit", note)

    assert len(commits) == 1
    assert all(one.last_seen_at >= now for one in office.sessions(who.id))


def test_a_way_in_is_stored_with_its_mail_and_spent_once(ledger: SqlLedger) -> None:
    office, made = ledger.office(), sign_in(ledger, "d")

    assert office.sign_in("d") == office.latest_sign_in("R1@example.org") == made
    assert [mail.id for mail in ledger.mails(at_most=9)] == ["sign-in:d"]
    assert office.use_sign_in("d")
    assert not office.use_sign_in("d")
    assert [office.count_wrong_code("d") for _ in range(3)] == [1, 2, 3]


def test_whoever_is_shut_out_keeps_no_session_key_or_link_and_nobody_else_loses_one(
    ledger: SqlLedger,
) -> None:
    office, who, other = ledger.office(), account(ledger), account(ledger, "other@example.org")
    for digest, owner in (("one", who), ("two", who), ("theirs", other)):
        session(ledger, digest, owner)
    key, _ = make_token(who, name="k", scopes=("read",), days=1, ledger=office)
    sign_in(ledger, "d", email=who.email)
    sign_in(ledger, "e", email=other.email)

    assert office.shut_out(who) == RevokedAccess(sessions=2, keys=1, links=1)

    assert office.sessions(who.id) == ()
    assert office.token(digest_of(key)) is None
    assert [kept.revoked_at is None for kept in office.tokens(who.id)] == [False]
    assert not office.use_sign_in("d")
    assert office.session("theirs") is not None
    assert office.use_sign_in("e")
    assert office.shut_out(who) == RevokedAccess(sessions=0, keys=0, links=0)


def test_a_way_in_cannot_be_spent_after_its_time(ledger: SqlLedger) -> None:
    sign_in(ledger, "d", minutes=10)

    ledger.set_clock_offset(601)

    assert not ledger.office().use_sign_in("d")


def test_many_clicks_at_once_spend_a_way_in_once(
    shared_url: str, opened: Callable[[str], SqlLedger]
) -> None:
    ledger = opened(shared_url)
    sign_in(ledger, "d")
    offices: list[SqlIdentityStore] = [opened(shared_url).office() for _ in range(4)]

    with ThreadPoolExecutor(4) as pool:
        spent = list(pool.map(lambda office: office.use_sign_in("d"), offices * 3))

    assert spent.count(True) == 1


def test_a_sent_way_in_keeps_no_words_and_other_mails_keep_theirs(ledger: SqlLedger) -> None:
    sign_in(ledger, "d")
    kept = Mail(
        id="fall:x", to="a@b.c", subject="s", text="kept", html="", calendar="", state="queued"
    )
    with ledger.write("fall") as tx:
        tx.queue_mail([kept])

    for name in ("sign-in:d", "fall:x"):
        claimed = ledger.claim_mail(name)
        assert claimed is not None
        assert claimed.text
        ledger.mark_mail(name, "sent")

    # Put back into the queue by hand, so that they can be read once more.
    words = {}
    for name in ("sign-in:d", "fall:x"):
        ledger.mark_mail(name, "queued")
        again = ledger.claim_mail(name)
        words[name] = (again.text, again.html) if again else None
    assert words == {"sign-in:d": ("", ""), "fall:x": ("kept", "")}


def test_seats_are_those_of_active_roster_entries_in_any_spelling(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        r1, r2 = tx.add_reviewers(
            [
                NewReviewer(external_id="R1", email="Ann@Example.org", capacity={"review": None}),
                NewReviewer(external_id="R2", email="ben@example.org", capacity={"review": None}),
            ]
        )
        tx.change_reviewer(replace(r2, active=False))

    office = ledger.office()
    assert office.seats("ann@example.ORG") == (("fall", r1.number),)
    assert office.seats("ben@example.org") == ()


def test_a_grant_is_kept_once_and_taken_away_once(ledger: SqlLedger) -> None:
    office = ledger.office()
    grant = Grant(account="boss", role=Role.CHAIR, scope=Scope.CYCLE, scope_id="fall")

    office.add_grant(grant, by="ops")
    office.add_grant(grant, by="ops")

    assert office.grants("boss") == office.grants() == (grant,)
    assert office.grants("other") == ()
    assert office.remove_grant(grant)
    assert not office.remove_grant(grant)


def administrator(who: Account) -> Grant:
    return Grant(account=who.id, role=Role.ADMINISTRATOR, scope=Scope.OFFICE)


def test_the_last_administrator_is_neither_closed_nor_stripped(ledger: SqlLedger) -> None:
    office, one, two = ledger.office(), account(ledger), account(ledger, "two@example.org")
    grants = {who.id: administrator(who) for who in (one, two)}
    for grant in grants.values():
        office.add_grant(grant, by="ops")
    office.close_account(two.id)

    with pytest.raises(InvalidInputError, match=r"boss@example\.org is the last administrator"):
        office.close_account(one.id)
    with pytest.raises(InvalidInputError, match="last administrator"):
        office.remove_grant(grants[one.id])

    office.open_account(two.id)
    assert office.remove_grant(grants[one.id])
    assert office.grants() == (grants[two.id],)


@pytest.mark.parametrize("ways", [("close", "close"), ("strip", "strip"), ("close", "strip")])
def test_two_administrators_who_remove_each_other_at_once_leave_one(
    shared_url: str, opened: Callable[[str], SqlLedger], ways: tuple[str, str]
) -> None:
    ledger = opened(shared_url)
    office = ledger.office()
    people = [account(ledger, f"{n}@example.org") for n in ("a", "b")]
    offices = [opened(shared_url).office() for _ in people]

    for _ in range(10):
        for who in people:
            office.open_account(who.id)
            office.add_grant(administrator(who), by="ops")
        start = Barrier(2)

        def remove(mine: SqlIdentityStore, who: Account, way: str, start: Barrier = start) -> str:
            start.wait(CAP)
            try:
                if way == "close":
                    mine.close_account(who.id)
                else:
                    mine.remove_grant(administrator(who))
            except InvalidInputError as error:
                return str(error)
            return ""

        with ThreadPoolExecutor(2) as pool:
            said = sorted(pool.map(remove, offices, people, ways))

        assert said[0] == ""
        assert "is the last administrator" in said[1]


def test_doors_say_what_the_rules_in_force_ask(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        strict = replace(RULES, version=2, sign_in=SignInPolicy.PROVIDER, session_days=0.5)
        tx.set_rules(strict, by="ops", reason="")

    assert ledger.office().sign_in_requirements() == (
        SignInRequirement(
            cycle_id="fall", round_id="2027", sign_in=SignInPolicy.PROVIDER, session_days=0.5
        ),
    )
