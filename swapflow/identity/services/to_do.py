"""What waits for a person, over all programs, and the mails that tell of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from swapflow.engine.notifications.mail_text import probe_mail, signature_mail, to_do_mail
from swapflow.engine.pending.things import PendingThing
from swapflow.engine.ports.records import MailRecord
from swapflow.engine.services.pending import PendingService
from swapflow.i18n.languages import use_language
from swapflow.i18n.translation import translate
from swapflow.identity.account import Account
from swapflow.identity.pending_rights import RIGHT_FOR, things_of
from swapflow.identity.principal import Principal
from swapflow.identity.services.context import IdentityContext


_DOES = frozenset(RIGHT_FOR.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ToDoService:
    """What waits for a person, and the mails that tell of it."""

    context: IdentityContext

    def of(self, principal: Principal, pending: PendingService) -> tuple[PendingThing, ...]:
        """List what waits for a person, over all programs; their own reviews last."""
        mine = [
            cycle.id
            for cycle in pending.cycles()
            if principal.rights(cycle_id=cycle.id, round_id=cycle.round_id) & _DOES
        ]
        return self._of(principal, pending, {one: pending.in_cycle(one) for one in mine})

    def in_program(
        self, principal: Principal, cycle_id: str, pending: PendingService
    ) -> tuple[PendingThing, ...]:
        """List what waits for a person in one program, and their own reviews there."""
        seats = [seat for seat in principal.seats if seat[0] == cycle_id]
        return (
            *things_of(principal, (*pending.in_office(), *pending.in_cycle(cycle_id))),
            *pending.own_reviews(seats),
        )

    def _of(
        self,
        principal: Principal,
        pending: PendingService,
        known: Mapping[str, tuple[PendingThing, ...]],
    ) -> tuple[PendingThing, ...]:
        things = (*pending.in_office(), *(thing for found in known.values() for thing in found))
        return (*things_of(principal, things), *pending.own_reviews(principal.seats))

    def mail_signers(self, pending: PendingService, *, site: str) -> int:
        """Queue a mail to each person who may sign what is prepared; return how many.

        Its id names what is signed and the person: each is asked once for one decision.
        """
        queued = 0
        waiting = pending.signatures()
        people = self._staff() if waiting else ()
        for thing in waiting:
            with use_language():  # of the deployment, not of the person who prepared it
                mails = [
                    signature_mail(thing.program, link=f"{site}{thing.path}").to(
                        one.account.email,
                        mail_id=f"{thing.cycle_id}:sign:{thing.key[:16]}:{one.account.id}",
                    )
                    for one in people
                    if things_of(one, [thing])
                ]
            queued += pending.queue_mails(thing.cycle_id, mails)
        return queued

    def mail_digests(self, pending: PendingService, *, site: str, hour: int) -> int:
        """Queue the day's mail to each person of staff for whom something waits.

        At most one a day, from `hour` on in the zone of the newest round; its id names the day.

        Returns:
            Mails that were queued.
        """
        now = self.context.ledger.now().astimezone(ZoneInfo(pending.zone()))
        if now.hour < hour:
            return 0
        staff = [one for one in self._staff() if not self._is_mailed(one.account, now)]
        if not staff:
            return 0
        with use_language():  # a thing may name a day
            known = {cycle.id: pending.in_cycle(cycle.id) for cycle in pending.cycles()}
        queued = 0
        for one in staff:
            things = self._of(one, pending, known)
            if not things:
                continue
            with use_language():
                lines = [(thing.program, str(translate(thing.message))) for thing in things]
                letter = to_do_mail(lines, link=f"{site}/today")
            mail = letter.to(one.account.email, mail_id=_mail_id(one.account, now))
            queued += self.context.ledger.queue_mail(mail)
        return queued

    def send_probe(self, account: Account, *, now: datetime) -> bool:
        """Queue a test mail to a person; False where one of this minute is there."""
        mail_id = f"{_probes_of(account)}{now:%Y-%m-%dT%H:%M}"
        return self.context.ledger.queue_mail(probe_mail().to(account.email, mail_id=mail_id))

    def last_probe(self, account: Account) -> MailRecord | None:
        """Return the last test mail to a person, and what became of it."""
        return self.context.ledger.latest_mail(_probes_of(account))

    def _staff(self) -> tuple[Principal, ...]:
        """Read everybody who may do something anywhere."""
        named = {grant.account for grant in self.context.ledger.grants()}
        return tuple(
            self.context.principal_of(account)
            for account in self.context.ledger.accounts()
            if account.active and account.id in named
        )

    def _is_mailed(self, account: Account, now: datetime) -> bool:
        return self.context.ledger.knows_mail(_mail_id(account, now))


def _probes_of(account: Account) -> str:
    return f"probe:{account.id}:"


def _mail_id(account: Account, now: datetime) -> str:
    return f"to-do:{account.id}:{now:%Y-%m-%d}"
