"""What an advisor keeps between its answers: what it was told, and the round made of it."""

from collections.abc import Mapping
from dataclasses import replace

from swapflow.advice import answering
from swapflow.advice.collected import AskedRequest, Collected
from swapflow.advice.kinds import MOST_MORE
from swapflow.advice.marked_round import MarkedRound
from swapflow.bandit.estimation.crossed_model import Fitted
from swapflow.bandit.situation import StopReason
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.domain.rules import Rules
from swapflow.errors import InvalidInputError


class AdvisedRound:
    """The rules, everything that was told, and the round that they make."""

    def _start_under(self, rules: Rules, scales: Mapping[str, MarkScale]) -> None:
        # An approval is a person's: the office gives it or not.
        kinds = tuple(replace(kind, approval=False) for kind in rules.kinds)
        self.rules = replace(rules, kinds=kinds)
        self.stop: StopReason | None = None
        """Why the rule would stop asking, as of the last `ask`; None where it would not."""
        self.blocked: tuple[str, ...] = ()
        """Why requests that were wanted found no reviewer, as of the last `ask`."""
        self._scales = dict(scales)
        self._told = Collected()
        self._fit: tuple[int, Fitted] | None = None
        self._shown: tuple[int, MarkedRound] | None = None

    @property
    def out(self) -> tuple[AskedRequest, ...]:
        """The requests that are out."""
        return tuple(self._told.asked)

    def add_request(self, applicant: str, *, kind: str = "", reviewer: str = "") -> None:
        """Add a request that is out, which was not asked for here; its mark ends it."""
        self._told.ask(
            AskedRequest(
                applicant=applicant,
                kind=self._known_kind(kind),
                reviewers=(reviewer,) if reviewer else (),
            )
        )

    def _known_kind(self, kind: str) -> str:
        known = [one.name for one in self.rules.kinds]
        if kind and kind not in known:
            raise InvalidInputError("advice_kind_unknown", kind=kind, kinds=known)
        return kind or known[0]

    def _scale(self, kind: str, scale: tuple[float, float] | None) -> MarkScale:
        if scale is not None:
            if scale[0] == scale[1]:
                raise InvalidInputError("not_a_scale", text=f"{scale[0]:g}..{scale[1]:g}")
            return MarkScale(worst=scale[0], best=scale[1])
        return self._scales.get(kind, MarkScale(worst=0.0, best=1.0))

    def _looked_at(self) -> MarkedRound:
        """Return the round of what was told so far, which nothing may change."""
        if self._shown is None or self._shown[0] != self._told.changes:
            self._shown = self._told.changes, self._marked()
        return self._shown[1]

    def _fitted(self, marked: MarkedRound | None = None) -> Fitted:
        """Return the parameters of the model, fitted to the marks that there are, once."""
        if self._fit is None or self._fit[0] != self._told.version:
            fitted = answering.fit(marked or self._looked_at())
            self._fit = self._told.version, fitted
        return self._fit[1]

    def _marked(self) -> MarkedRound:
        """Make the round of what was told so far."""
        applicants = len(self._told.applicants)
        if applicants <= self.rules.cohort_size:
            raise InvalidInputError(
                "demo_decides_nothing", places=self.rules.cohort_size, applicants=applicants
            )
        most = self._told.most_given()
        kinds = tuple(
            kind if kind.maximum else replace(kind, maximum=most[kind.name] + MOST_MORE)
            for kind in self.rules.kinds
        )
        rules = replace(self.rules, kinds=kinds)
        return MarkedRound(rules, self._told.facts(rules))
