"""Ask and tell: marks go in, and out come the next requests, the ranking and what more brings."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from swapflow.advice import answering
from swapflow.advice.advised_round import AdvisedRound
from swapflow.advice.answers import ListStanding, MarkFigures, Ranked, Request
from swapflow.advice.collected import AskedRequest, ToldMark, ToldReviewer
from swapflow.advice.forecast import ExpectedLoss
from swapflow.advice.kinds import ReviewKind, rules_of
from swapflow.advice.next_requests import choose
from swapflow.advice.saved import of_text, text_of
from swapflow.domain.reviewing.mark_scale import MarkScale
from swapflow.domain.rules import RuleName, Rules
from swapflow.errors import InvalidInputError


class Advisor(AdvisedRound):
    """Chooses who should be read next, by whom, and whether it is still worth it.

    What it answers is a function of what it was told: no clock, no hidden state. Its decisions are
    those of a program under the same rules, made by the same functions; a program fits its model
    again when its marks have grown by a tenth, an advisor whenever it is asked.

    Not safe to share between threads.
    """

    def __init__(
        self,
        *,
        places: int,
        kinds: Sequence[ReviewKind] = (ReviewKind(),),
        rule: str = "budget",
        objective: str = "top-k",
        over: str = "",
        sigma: float | None = None,
        seed: int = 0,
    ) -> None:
        """Make an advisor that knows nobody yet.

        Args:
            places: How many applicants are chosen.
            kinds: What may be asked for; the first is the measure of the others.
            rule: "budget" (the most for the time), "certified" or "paper".
            objective: "top-k", or "diverse" for a list that spreads over groups.
            over: The attribute whose groups "diverse" spreads over.
            sigma: Spread of one mark, from 0 to 1, which "certified" and "paper" need.
            seed: Decides ties.

        Raises:
            InvalidInputError: If these do not fit together.
        """
        self._start_under(
            rules_of(
                kinds,
                places=places,
                rule=rule,
                objective=objective,
                over=over,
                sigma=sigma,
                seed=seed,
            ),
            {
                kind.name: MarkScale(worst=kind.scale[0], best=kind.scale[1])
                for kind in kinds
                if kind.scale
            },
        )

    @classmethod
    def under(cls, rules: Rules, scales: Mapping[str, MarkScale] | None = None) -> Self:
        """Make an advisor under the rules of a program; its budget and dates do not count.

        Args:
            rules: As a rules file has them.
            scales: Scale of the marks of each kind that has one.
        """
        own = cls.__new__(cls)
        own._start_under(rules, scales or {})  # noqa: SLF001 - its own
        return own

    # Tell

    def tell(
        self,
        applicant: str,
        *,
        mark: float,
        reviewer: str = "",
        kind: str = "",
        scale: tuple[float, float] | None = None,
        **values: str,
    ) -> None:
        """Tell a mark. Another by the same reviewer, of the same kind, takes its place.

        Args:
            applicant: The office's id.
            mark: On its scale.
            reviewer: Who gave it; "" where that is not known.
            kind: Of which kind; the first by default.
            scale: Worst and best mark, such as (1, 5), or (5, 1) where 1 is the best; by default
                the kind's own, else marks lie in 0 to 1.
            **values: Attributes of the applicant, for "diverse" and quotas.

        Raises:
            InvalidInputError: If there is no such kind, or the mark lies outside the scale.
        """
        kind = self._known_kind(kind)
        on = self._scale(kind, scale)
        if not on.holds(mark):
            raise InvalidInputError(
                "advice_mark_outside", applicant=applicant, mark=mark, scale=str(on)
            )
        self._told.add_applicant(applicant, values)
        self._told.tell(
            ToldMark(applicant=applicant, reviewer=reviewer, kind=kind, utility=on.utility(mark))
        )

    def tell_rows(self, rows: Iterable[Mapping[str, object]]) -> None:
        """Tell many marks: rows with the names of `tell`, as any table gives them.

        Raises:
            InvalidInputError: As `tell`; or a row lacks applicant or mark.
        """
        for number, row in enumerate(rows, start=1):
            missing = [name for name in ("applicant", "mark") if row.get(name) in {None, ""}]
            if missing:
                raise InvalidInputError("advice_row_lacks", row=number, names=missing)
            scale = row.get("scale")
            self.tell(
                str(row["applicant"]),
                mark=float(str(row["mark"])),
                reviewer=str(row.get("reviewer") or ""),
                kind=str(row.get("kind") or ""),
                scale=scale if isinstance(scale, tuple) else None,
                **{name: str(row[name]) for name in self.rules.attributes if row.get(name)},
            )

    def add_applicant(self, applicant: str, **values: str) -> None:
        """Add an applicant without a mark, or attributes of one who is there."""
        self._told.add_applicant(applicant, values)

    def add_reviewer(
        self,
        reviewer: str,
        *,
        limits: Mapping[str, int | None] | None = None,
        packet: int | None = None,
        topics: Sequence[str] = (),
        conflicts: Sequence[str] = (),
        away: bool = False,
    ) -> None:
        """Add a reviewer, or say more of one.

        Args:
            reviewer: The id.
            limits: Most reviews by kind, those given included, None for any number; a kind that
                is missing is not asked. By default the kinds that the reviewer has given.
            packet: Most open requests at once.
            topics: What the reviewer knows; an applicant's attribute "topic" goes to them first.
            conflicts: Applicants whom the reviewer must not read.
            away: Whether the reviewer gets no request now.
        """
        self._told.describe_reviewer(
            ToldReviewer(
                id=reviewer,
                capacity=None if limits is None else dict(limits),
                packet=packet,
                topics=tuple(topics),
                conflicts=tuple(conflicts),
                away=away,
            )
        )

    # Ask

    def ask(self, count: int, *, budget: float | None = None) -> tuple[Request, ...]:
        """Choose the next requests and remember that they are out.

        Args:
            count: The most requests.
            budget: Most cost of them together, in the unit of the kinds; None for no limit.

        Returns:
            Fewer where the rule would stop (`stop` says why), or where nobody can be asked.

        Raises:
            InvalidInputError: If there are not more applicants than places.
        """
        marked = self._marked()
        before = answering.look(marked, self._fitted(marked))
        most = max(kind.cost for kind in marked.rules.kinds) * count
        chosen = choose(
            marked,
            count=count,
            cost=most if budget is None else int(budget),
            fitted=before.fitted if marked.rules.rule is RuleName.BUDGET else None,
        )
        self.stop = answering.stop_told(before, chosen)
        self.blocked = tuple(why.value for why in chosen.blocked)
        requests = answering.requests(marked, before, chosen)
        for one, pull in zip(requests, chosen.pulls, strict=True):
            readers = [marked.facts.readers[r] for r in pull.pull.reviewers]
            self._told.ask(
                AskedRequest(
                    applicant=one.applicant,
                    kind=one.kind,
                    reviewers=tuple(reader.id for reader in readers if not reader.unnamed),
                )
            )
        return requests

    def ranking(self) -> tuple[Ranked, ...]:
        """Return everyone with place, range and likelihood, best first."""
        return self.standing().ranking

    def likely(self) -> dict[str, float]:
        """Return the probability, by the model, of each applicant to be among the best."""
        return {one.applicant: one.likely for one in self.ranking()}

    def standing(self) -> ListStanding:
        """Return the list as it is now: ranking, cut, and how many are too close to call."""
        return answering.standing(self._looked_at(), self._fitted())

    def marks(self) -> MarkFigures:
        """Return how the marks look: spread, severity, agreement."""
        return answering.figures(self._looked_at(), self._fitted())

    def expected_loss(self, *, more: int | None = None) -> ExpectedLoss:
        """Return what the list is expected to lack now, after the requests out, and after more.

        In points of 100 a place.

        Args:
            more: How many further requests "after twice" counts; as many as are out by default.
        """
        return answering.expected_loss(self._looked_at(), fitted=self._fitted(), more=more)

    # Keep

    def save(self, path: str | Path) -> None:
        """Write everything that was told and asked to a JSON file.

        Raises:
            InvalidInputError: If it cannot be written there.
        """
        # Imported here: it brings what writes workbooks, which is a third of the loading.
        from swapflow.files.exports.writers import write_file  # noqa: PLC0415 - see above

        content = text_of(self.rules, self._scales, self._told)
        write_file(Path(path), (json.dumps(content, indent=1, ensure_ascii=False)).encode())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read an advisor that was saved; it answers as the one that was.

        Raises:
            InvalidInputError: If there is no such file, or it is none.
        """
        rules, scales, told = of_text(Path(path))
        own = cls.under(rules, scales)
        own._told = told  # noqa: SLF001 - its own
        return own
