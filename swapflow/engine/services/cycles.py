"""Rounds and cycles: from rules to launch, and the switches.

The coordinator, which few processes are, is loaded when one is built.
"""

# ruff: noqa: PLC0415 - see above

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from swapflow.domain.cycle import Cycle, Round
from swapflow.domain.ids import CYCLE_ID, is_practice_id
from swapflow.domain.people.application import NewApplication
from swapflow.domain.rules import Rules
from swapflow.engine.coordination.quarantine import OnFault, unreported
from swapflow.engine.intake.erased_people import forget_erasures
from swapflow.engine.lifecycle import switches
from swapflow.engine.lifecycle.launch import (
    Launchable,
    LaunchProblem,
    launch,
    launch_problems,
    launchable,
)
from swapflow.engine.lifecycle.launch_preview import Preview, preview
from swapflow.engine.lifecycle.promises import (
    Promises,
    held_by_approvals,
    promises,
    take_from_reserve,
)
from swapflow.engine.lifecycle.rule_changes import change_rules, check_rules
from swapflow.engine.lifecycle.rules_effect import RulesEffect, planned_effect, recorded_effect
from swapflow.engine.ports.records import RulesVersion
from swapflow.engine.scoring.rubric_versions import RubricChange, changed_since
from swapflow.engine.services.context import ServiceContext
from swapflow.errors import ConflictError, InvalidInputError, NotFoundError
from swapflow.messages import Message


if TYPE_CHECKING:
    from swapflow.engine.coordination.background_fit import FitBeside
    from swapflow.engine.coordination.coordinator import Coordinator


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleService:
    """Rounds and cycles: from rules to launch, and the switches."""

    context: ServiceContext

    def coordinator(
        self,
        holder: str = "",
        *,
        on_fault: OnFault = unreported,
        fit_beside: "FitBeside | None" = None,
    ) -> "Coordinator":
        """Build a coordinator; several may run at once.

        Args:
            holder: Its name in the lease; made up when empty.
            on_fault: Told of every cycle that it sets aside.
            fit_beside: Where long fits are made; None makes them in its turns.
        """
        from swapflow.engine.coordination.coordinator import Coordinator

        return Coordinator(
            ledger=self.context.ledger,
            state=self.context.state,
            dispatcher=self.context.dispatcher,
            doorbell=self.context.doorbell,
            lease_seconds=self.context.lease_seconds,
            move_seconds=self.context.move_seconds,
            resend_seconds=self.context.resend_seconds,
            address=self.context.address,
            holder=holder,
            events=self.context.events,
            on_fault=on_fault,
            fit_beside=fit_beside,
        )

    def leaders(self) -> dict[str, list[str]]:
        """Read the cycles that each coordinator leads, by its name; none for one that waits."""
        return self.context.ledger.heads(lease_seconds=self.context.lease_seconds).led()

    def new_round(
        self, round_id: str, *, name: str, unit: str = "minutes", zone: str = "UTC"
    ) -> None:
        """Create a round."""
        _check_id(round_id, "round")
        made = Round(id=round_id, name=name or round_id, unit=unit, zone=zone)
        self.context.ledger.create_round(made)

    def rounds(self) -> tuple[Round, ...]:
        """List the rounds."""
        return self.context.ledger.rounds()

    def erasures(self, round_id: str) -> int:
        """Return how many erasures of a round are remembered."""
        return len(self.context.ledger.erasures(round_id))

    def forget_erasures(self, round_id: str) -> int:
        """Forget whom a round erased: key and digests go for good. Return how many they were of.

        Raises:
            NotFoundError: If there is no such round.
            ConflictError: If a legal hold keeps anything of the round.
        """
        if round_id not in {known.id for known in self.context.ledger.rounds()}:
            raise NotFoundError("round_not_found", round=round_id)
        # The digests tell that a person was erased, which a court may ask.
        for hold in self.context.ledger.legal_holds(round_id):
            if hold.lasts:
                raise ConflictError(
                    "erasing_on_legal_hold",
                    by=hold.by,
                    reason=hold.reason,
                    hold=hold.id,
                    round=round_id,
                )
        return forget_erasures(
            round_id, ledger=self.context.ledger, keys=self.context.erasure_keys
        )

    def new(
        self,
        cycle_id: str,
        *,
        round_id: str,
        rules: Rules,
        by: str,
        name: str = "",
        unit: str = "",
    ) -> None:
        """Create a cycle in draft, under rules that were checked when they were read.

        It belongs to a unit of the round from the beginning, if one is named.
        """
        _check_id(cycle_id, "cycle")
        if round_id not in {known.id for known in self.context.ledger.rounds()}:
            raise NotFoundError("round_not_found_make_it", round=round_id)
        self.context.ledger.create_cycle(
            cycle_id, round_id=round_id, name=name or cycle_id, rules=rules, by=by, unit=unit
        )

    def check_new(self, cycle_id: str) -> None:
        """Check that a cycle of this id can be made.

        Raises:
            InvalidInputError: If it is no id, or one that is in use.
        """
        _check_id(cycle_id, "cycle")
        if cycle_id in {cycle.id for cycle in self.context.ledger.cycles()}:
            raise InvalidInputError("cycle_exists", cycle=cycle_id)

    def list(self) -> tuple[Cycle, ...]:
        """List the cycles; one whose row is damaged is left out, and the doctor names it."""
        from swapflow.engine.coordination.turns import readable_cycles

        return readable_cycles(self.context.ledger)

    def get(self, cycle_id: str) -> Cycle:
        """Read one cycle's row."""
        return self.context.ledger.cycle(cycle_id)

    def rules(self, cycle_id: str) -> Rules:
        """Read the rules in force."""
        return self.context.ledger.rules(cycle_id)

    def change_rules(
        self, cycle_id: str, rules: Rules, *, by: str, reason: str, made_from: str = ""
    ) -> Rules:
        """Put a new version of the rules in force."""
        changed = change_rules(
            cycle_id,
            rules,
            by=by,
            reason=reason,
            made_from=made_from,
            ledger=self.context.ledger,
            provider=self.context.provider,
        )
        return self.context.ring_after(cycle_id, changed)

    def check_rules(self, cycle_id: str, rules: Rules) -> None:
        """Check whether a cycle's rules could be changed to these; writes nothing."""
        check_rules(cycle_id, rules, ledger=self.context.ledger)

    def launchable(self, cycle_id: str) -> Launchable:
        """Read what a launch rests on, with its digest."""
        return launchable(cycle_id, ledger=self.context.ledger)

    def launch(self, cycle_id: str, *, by: str, shown: str = "", nameless: bool = False) -> None:
        """Start a cycle; with a digest, only as it was shown.

        What prevents it is told without applicants' ids if `nameless`.
        """
        launch(
            cycle_id,
            by=by,
            shown=shown,
            nameless=nameless,
            ledger=self.context.ledger,
            provider=self.context.provider,
        )
        self.context.doorbell.ring(cycle_id)

    def launch_problems(self, cycle_id: str) -> tuple[LaunchProblem, ...]:
        """List everything that would prevent a launch now."""
        return launch_problems(
            cycle_id,
            ledger=self.context.ledger,
            provider=self.context.provider,
            snapshots=self.context.snapshots,
        )

    def preview(self, cycle_id: str) -> Preview:
        """Compute the consequences of launching a cycle now."""
        found = preview(
            cycle_id,
            ledger=self.context.ledger,
            provider=self.context.provider,
            snapshots=self.context.snapshots,
        )
        if self.context.mail_leaves:
            return found
        return replace(found, warnings=(Message("launch_without_mail"), *found.warnings))

    def rules_history(self, cycle_id: str) -> tuple[RulesVersion, ...]:
        """Read every version of a cycle's rules, newest first."""
        return self.context.ledger.rules_history(cycle_id)

    def rubric_changes(self, cycle_id: str) -> Sequence[RubricChange]:
        """List the rubrics that were changed after people were first asked."""
        history = self.context.ledger.rules_history(cycle_id)
        return changed_since(history, self.context.ledger.process_health(cycle_id).begun_at)

    def promises(self, cycle_id: str, coming: Sequence[NewApplication] = ()) -> Promises | None:
        """Compute what is promised and not asked for, those of a list included."""
        return promises(
            cycle_id, coming=coming, ledger=self.context.ledger, snapshots=self.context.snapshots
        )

    def take_from_reserve(
        self, cycle_id: str, *, by: str, reason: str, shown: int | None = None
    ) -> int:
        """Pay promised reviews from what is kept for requests of staff; return how much."""
        taken = take_from_reserve(
            cycle_id,
            by=by,
            reason=reason,
            shown=shown,
            ledger=self.context.ledger,
            snapshots=self.context.snapshots,
        )
        return self.context.ring_after(cycle_id, taken)

    def held_by_approvals(self, cycle_id: str) -> Message | None:
        """Return what tells that decisions wait for approvals; None if they do not."""
        return held_by_approvals(
            cycle_id, ledger=self.context.ledger, snapshots=self.context.snapshots
        )

    def rules_effect(self, cycle_id: str, rules: Rules) -> RulesEffect:
        """Compute what other rules would do to scores and list; changes nothing."""
        return planned_effect(cycle_id, rules, ledger=self.context.ledger)

    def effect_of_version(self, cycle_id: str, version: int) -> RulesEffect:
        """Read what a version of the rules did to scores and list when it came into force."""
        return recorded_effect(cycle_id, version, ledger=self.context.ledger)

    def pause(self, cycle_id: str, *, by: str, reason: str = "") -> None:
        """Stop sending and expiring for a while."""
        switches.pause(cycle_id, by=by, reason=reason, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def resume(self, cycle_id: str, *, by: str, reason: str = "") -> None:
        """Resume after a pause or against a proposed stop."""
        switches.resume(cycle_id, by=by, reason=reason, ledger=self.context.ledger)
        self.context.doorbell.ring(cycle_id)

    def hold(self, cycle_id: str, *, by: str, reason: str, release: bool = False) -> None:
        """Put erasure on hold, or release the hold."""
        switches.hold(cycle_id, by=by, reason=reason, release=release, ledger=self.context.ledger)

    def stop(self, cycle_id: str, *, by: str, reason: str = "") -> int:
        """End asking; return how many requests were cancelled."""
        cancelled = switches.stop(cycle_id, by=by, reason=reason, ledger=self.context.ledger)
        return self.context.ring_after(cycle_id, cancelled)

    def now(self) -> datetime:
        """Return the product's time: the database's, aware UTC."""
        return self.context.ledger.now()


def _check_id(name: str, noun: str) -> None:
    if not CYCLE_ID.fullmatch(name) or is_practice_id(name):
        raise InvalidInputError("name_not_allowed", name=name, noun=noun)
