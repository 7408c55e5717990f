"""What staff prepare and look up: on every kind of database."""

from dataclasses import replace

import pytest

from swapflow.engine.ports.records import Mail, PreparedDecision
from swapflow.errors import NotFoundError
from swapflow.ledger.sql_ledger import SqlLedger


def prepared(digest: str) -> PreparedDecision:
    return PreparedDecision(
        what="decision", digest=digest, body={"changes": [], "waiver": "é"}, by="ops"
    )


def mail(mail_id: str) -> Mail:
    return Mail(id=mail_id, to="a@b", subject="s", text="t", html="", calendar="", state="queued")


def test_signatures_are_kept_in_order_and_once_each(ledger: SqlLedger) -> None:
    ledger.prepare("fall", prepared("d"))

    signed = [ledger.sign_prepared("fall", "d", by=name) for name in ("one", "two", "one")]

    stored = ledger.prepared("fall")
    assert signed == [True, True, True]
    assert stored == replace(
        prepared("d"), at=stored.at if stored else None, signed=("one", "two")
    )


def test_what_is_prepared_anew_has_no_signature_and_refuses_the_old_digest(
    ledger: SqlLedger,
) -> None:
    ledger.prepare("fall", prepared("old"))
    ledger.sign_prepared("fall", "old", by="one")

    ledger.prepare("fall", prepared("new"))

    stored = ledger.prepared("fall")
    assert not ledger.sign_prepared("fall", "old", by="two")
    assert stored is not None
    assert (stored.digest, stored.signed) == ("new", ())


def test_what_is_taken_back_is_gone(ledger: SqlLedger) -> None:
    ledger.prepare("fall", prepared("d"))
    ledger.sign_prepared("fall", "d", by="one")

    assert ledger.drop_prepared("fall")
    assert not ledger.drop_prepared("fall")
    assert ledger.prepared("fall") is None
    assert not ledger.sign_prepared("fall", "d", by="two")


def test_a_cycle_that_is_not_there_has_nothing_prepared(ledger: SqlLedger) -> None:
    with pytest.raises(NotFoundError):
        ledger.prepare("spring", prepared("d"))
    with pytest.raises(NotFoundError):
        ledger.rules_history("spring")


def test_every_version_of_the_rules_is_kept_with_its_reason(ledger: SqlLedger) -> None:
    old = ledger.rules("fall")
    with ledger.write("fall") as tx:
        tx.set_rules(replace(old, version=2, budget=old.budget + 1), by="eve", reason="more")

    history = ledger.rules_history("fall")

    assert [(v.rules.version, v.rules.budget, v.by, v.reason) for v in history] == [
        (2, old.budget + 1, "eve", "more"),
        (1, old.budget, "ops", history[1].reason),
    ]


def test_mails_of_a_cycle_are_paged_counted_and_queued_again(ledger: SqlLedger) -> None:
    with ledger.write("fall") as tx:
        tx.queue_mail([mail(f"fall:{n}") for n in range(5)])
    ledger.mark_mail("fall:3", "failed", detail="full")

    pages = [
        [r.mail.id for r in ledger.cycle_mails("fall", skip=skip, at_most=3)] for skip in (0, 3)
    ]
    (failed,) = ledger.cycle_mails("fall", state="failed")

    assert sorted(pages[0] + pages[1]) == [f"fall:{n}" for n in range(5)]
    assert (failed.mail.id, failed.detail) == ("fall:3", "full")
    assert ledger.count_mails("fall") == {"queued": 4, "failed": 1}
    assert ledger.queue_again("fall", "fall:3")
    assert not ledger.queue_again("fall", "fall:3")
    assert not ledger.queue_again("other", "fall:3")
    for number in (1, 2):
        ledger.mark_mail(f"fall:{number}", "failed", detail="full")
    assert [ledger.queue_all_again(cycle) for cycle in ("other", "fall", "fall")] == [0, 2, 0]
    assert ledger.count_mails("fall") == {"queued": 5}
    with pytest.raises(NotFoundError):
        ledger.cycle_mail("fall", "fall:9")
