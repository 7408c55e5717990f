"""What may be asked for, and the rules that it makes."""

from collections.abc import Sequence
from dataclasses import dataclass

from swapflow.domain.ids import KIND_NAME
from swapflow.domain.objective import Objective
from swapflow.domain.rules import Floor, FloorFor, KindRules, RuleName, Rules, SeatLine
from swapflow.errors import InvalidInputError


MOST_MORE = 12
"""Reviews of a kind that an applicant may get beyond the most that one has, where no limit is
named: enough for every comparison, and few enough to be asked for."""


@dataclass(frozen=True, slots=True)
class ReviewKind:
    """A way to learn more about an applicant.

    The first kind is the measure: a kind of gain 6 tells as much as six of the first.

    Attributes:
        name: Small letters, such as "review".
        cost: In any unit, a whole number: reviews, minutes.
        gain: What one tells, in reviews of the first kind.
        floor: How many every applicant gets before further ones; 0 for none.
        most: Most of them for one applicant; None for as many as are of use.
        requires: A kind that must have been given first; "" for none.
        scale: Worst and best mark; None where each mark says it, or lies in 0 to 1.
    """

    name: str = "review"
    cost: int = 1
    gain: float = 1.0
    floor: int = 0
    most: int | None = None
    requires: str = ""
    scale: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Refuse what no rule can work with."""
        if not KIND_NAME.fullmatch(self.name):
            raise InvalidInputError("advice_kind_name", name=self.name)
        if self.cost < 1 or not 0 < self.gain < float("inf") or self.floor < 0:
            raise InvalidInputError("advice_kind_numbers", name=self.name)


def rules_of(
    kinds: Sequence[ReviewKind],
    *,
    places: int,
    rule: str = "budget",
    objective: str = "top-k",
    over: str = "",
    sigma: float | None = None,
    seed: int = 0,
) -> Rules:
    """Write the rules of advice that has no rules file.

    Args:
        kinds: What may be asked for, the measure first.
        places: How many are chosen.
        rule: "budget", "certified" or "paper".
        objective: "top-k", or "diverse" for a list that spreads over the groups of an attribute.
        over: That attribute.
        sigma: Spread of one mark, which `certified` and `paper` need.
        seed: Decides ties.

    Raises:
        InvalidInputError: If a name is none of these, or they do not fit together.
    """
    if rule not in set(RuleName):
        raise InvalidInputError(
            "advice_rule_unknown", rule=rule, rules=[r.value for r in RuleName]
        )
    if objective not in {"top-k", "diverse"} or (objective == "diverse") != bool(over):
        raise InvalidInputError("advice_objective", objective=objective)
    names = [kind.name for kind in kinds]
    unknown = [kind.requires for kind in kinds if kind.requires and kind.requires not in names]
    if not kinds or len(set(names)) < len(names) or unknown:
        raise InvalidInputError("advice_kinds", kinds=names)
    if places < 1:
        raise InvalidInputError("advice_places", places=places)
    if sigma is None and RuleName(rule) is not RuleName.BUDGET:
        raise InvalidInputError("rule_needs_sigma", rule=rule)
    return Rules(
        version=1,
        lines=(SeatLine(name="all", places=places),),
        kinds=tuple(
            KindRules(
                name=kind.name,
                cost=kind.cost,
                gain=kind.gain,
                maximum=kind.most or 0,
                requires=kind.requires,
                window_days=0,
            )
            for kind in kinds
        ),
        floors=tuple(
            Floor(kind=kind.name, count=kind.floor, who=FloorFor.ALL)
            for kind in kinds
            if kind.floor
        ),
        budget=0,
        reserve=0.0,
        rule=RuleName(rule),
        objective=Objective(name=objective, attribute=over),
        sigma=sigma,
        packet=1_000,
        blind=False,
        seed=seed,
    )
