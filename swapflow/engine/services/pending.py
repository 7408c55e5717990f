"""What waits for people, over all cycles."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from swapflow.domain.cycle import Cycle
from swapflow.engine.coordination.turns import readable_cycles
from swapflow.engine.notifications.reviewer_mail import waiting_for
from swapflow.engine.pending.gather import Surroundings, pending_things, signature
from swapflow.engine.pending.standing import ProgramStanding, standing_of
from swapflow.engine.pending.things import PendingCode, PendingThing
from swapflow.engine.ports.records import Mail
from swapflow.engine.read_models.dashboard import Dashboard
from swapflow.engine.read_models.progress import current_dashboard
from swapflow.engine.services.backups import BackupService
from swapflow.engine.services.context import ServiceContext
from swapflow.errors import DamagedRecordError, UnavailableError


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingService:
    """What waits for people, over all cycles."""

    context: ServiceContext

    def cycles(self) -> tuple[Cycle, ...]:
        """List the cycles in which something may wait: real work alone, nothing of practice."""
        return tuple(one for one in readable_cycles(self.context.ledger) if not one.is_practice)

    def zone(self) -> str:
        """Return the time zone of the newest round; UTC without one."""
        rounds = self.context.ledger.rounds()
        return rounds[-1].zone if rounds else "UTC"

    def in_office(self) -> tuple[PendingThing, ...]:
        """List what waits outside of any cycle."""
        things = []
        # Before mail: without a mail server work goes on, without a backup it may be lost.
        if days := BackupService(context=self.context).overdue_days():
            things.append(_of_office(PendingCode.BACK_UP, "/setup/backups", count=days))
        if not self.context.mail_leaves:
            things.append(_of_office(PendingCode.CONNECT_MAIL, "/setup/system"))
        return tuple(things)

    def own_reviews(self, seats: Collection[tuple[str, int]]) -> Iterator[PendingThing]:
        """List the reviews that wait for a reviewer with these seats, one thing a cycle."""
        now = self.context.ledger.now()
        cycles = {cycle.id: cycle for cycle in self.cycles()}
        for cycle_id, number in seats:
            waiting = waiting_for(cycle_id, number, ledger=self.context.ledger)
            if not waiting or cycle_id not in cycles:
                continue
            late = sum(one.due_at is not None and one.due_at < now for one in waiting)
            yield PendingThing(
                code=PendingCode.OWN_REVIEWS,
                cycle_id=cycle_id,
                round_id=cycles[cycle_id].round_id,
                program=cycles[cycle_id].name,
                params={"count": len(waiting), "late": late},
                path="/inbox",
            )

    def standing(self, cycle: Cycle, dashboard: Dashboard) -> ProgramStanding:
        """Return where a program is on its way; its dashboard has been read already."""
        return standing_of(cycle, dashboard, ledger=self.context.ledger)

    def coming(self, cycle_id: str, since: datetime) -> tuple[tuple[datetime, int, int], ...]:
        """Count open reviews by the moment at which they are due, from `since` on, and kind."""
        return self.context.ledger.due_from(cycle_id, since)

    def received_since(self, cycle_id: str, since: datetime) -> tuple[int, datetime | None]:
        """Count the reviews that came in since a moment, with when the last one did."""
        return self.context.ledger.received_since(cycle_id, since)

    def signatures(self) -> tuple[PendingThing, ...]:
        """List what waits for signatures, in all cycles; nothing else is read."""
        # Asked every half minute: where nothing waits, no program is read.
        waiting, found = self.context.ledger.cycles_to_sign(), []
        for cycle in self.cycles() if waiting else ():
            prepared = self.context.ledger.prepared(cycle.id) if cycle.id in waiting else None
            if prepared is not None:
                found.append(signature(cycle, prepared))
        return tuple(found)

    def queue_mails(self, cycle_id: str, mails: Collection[Mail]) -> int:
        """Queue a cycle's mails that are not known yet; return how many."""
        known = self.context.ledger.known_mails([mail.id for mail in mails]) if mails else set()
        new = [mail for mail in mails if mail.id not in known]
        if new:
            with self.context.ledger.write(cycle_id) as tx:
                tx.queue_mail(new)
            self.context.doorbell.ring(cycle_id)
        return len(new)

    def in_cycle(self, cycle_id: str) -> tuple[PendingThing, ...]:
        """List what waits in a cycle, for anybody; that of a damaged one is that it is damaged."""
        try:
            return self._in_cycle(cycle_id)
        except DamagedRecordError:
            return tuple(
                PendingThing(
                    code=PendingCode.SET_ASIDE,
                    cycle_id=cycle.id,
                    round_id=cycle.round_id,
                    program=cycle.name,
                    path="/setup/system",
                )
                for cycle in readable_cycles(self.context.ledger)
                if cycle.id == cycle_id
            )

    def _in_cycle(self, cycle_id: str) -> tuple[PendingThing, ...]:
        context = self.context
        dashboard, _ = current_dashboard(
            cycle_id,
            ledger=context.ledger,
            state=context.state,
            snapshots=context.snapshots,
            cache=context.dashboards,
        )
        live, set_aside = True, False
        try:
            context.state.position("")
            set_aside = cycle_id in context.state.quarantined()
        except UnavailableError:
            live = False
        return pending_things(
            cycle_id,
            Surroundings(
                dashboard=dashboard,
                mail_leaves=context.mail_leaves,
                live=live,
                set_aside=set_aside,
            ),
            ledger=context.ledger,
        )


def _of_office(code: PendingCode, path: str, **params: int) -> PendingThing:
    return PendingThing(code=code, cycle_id="", round_id="", program="", params=params, path=path)
