"""`swapflow cycle calibration`: how reviewers and kinds mark, and what adjusting changes."""

import json
import os
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.options import AsJson, By, CycleId, Reason, product
from swapflow.cli.output import Listing, hundred, many, report, to_text
from swapflow.errors import ForbiddenError, InvalidInputError


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapflow.domain.interval import Interval
    from swapflow.engine.read_models.calibration import Calibration
    from swapflow.engine.read_models.estimate_comparison import ComparedCandidate
    from swapflow.engine.read_models.reviewer_agreement import Agreement
    from swapflow.engine.services import Swapflow


class Use(StrEnum):
    """What a list can be made by."""

    RAW = "raw"
    ADJUSTED = "adjusted"
    RULE = "rule"


def register(app: typer.Typer) -> None:
    """Add the command to the group `cycle`."""
    app.command("calibration")(calibration)


def calibration(
    cycle: CycleId,
    by: By,
    use: Annotated[
        Use | None,
        typer.Option(
            help="Have the list made by raw or adjusted estimates, or as the rule has it again."
        ),
    ] = None,
    reason: Reason = "",
    severity: Annotated[
        bool,
        typer.Option(
            "--severity",
            help=(
                "Show how high each reviewer marks too; --by is the mail address of an "
                "account with the role calibration. The look is logged."
            ),
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show agreement and whom adjusting would move; --use changes the list."""
    # Matrices of a few hundred rows: threads that wait for each other cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    swapflow = product()
    if use is not None:
        _choose(swapflow, cycle, use, by=by, reason=reason, as_json=as_json)
        return
    if reason:
        raise InvalidInputError("estimates_reason_without_choice")
    seen = swapflow.reports.told_calibration(cycle)
    names = _Names(swapflow, cycle)
    if severity:
        seen = _with_severities(swapflow, seen, cycle, by=by)
    report(_json(seen, names), *_plain(seen, names, cycle), as_json=as_json)


def _choose(
    swapflow: "Swapflow", cycle: str, use: Use, *, by: str, reason: str, as_json: bool
) -> None:
    from swapflow.domain.rules import ESTIMATES, Estimates

    if not reason.strip():
        raise InvalidInputError("estimates_reason_missing_option")
    wanted = Estimates(use.value)
    changed = swapflow.cohort.choose_estimates(cycle, wanted, by=by, reason=reason)
    report(
        {"cycle": cycle, "estimates": use.value, "rules_version": changed.version, "by": by},
        f"the list is made by {ESTIMATES[wanted]} (rules version {changed.version}); signatures "
        "given so far are void",
        as_json=as_json,
    )


def _with_severities(
    swapflow: "Swapflow", seen: "Calibration", cycle: str, *, by: str
) -> "Calibration":
    """Write down who looks, and add how severe reviewers are."""
    from dataclasses import replace

    from swapflow.bootstrap import office
    from swapflow.identity.permissions import Right, rights_in

    swapflow.reports.require_figures(cycle)
    accounts = office()
    known = next(
        (one for one in accounts.users.list() if one.account.email == by.strip().lower()), None
    )
    round_id = swapflow.cycles.get(cycle).round_id
    grants = known.grants if known and known.account.active else ()
    if Right.SEE_SEVERITY not in rights_in(grants, cycle_id=cycle, round_id=round_id):
        raise ForbiddenError("severity_not_by_command", by=by)
    accounts.audit_log.record(
        by, "figures about reviewers read", cycle_id=cycle, about="how severe"
    )
    judges = swapflow.reports.severities(cycle)
    return replace(seen, measured=replace(seen.measured, judges=judges))


class _Names:
    """What people and kinds of a cycle are called."""

    def __init__(self, swapflow: "Swapflow", cycle: str) -> None:
        self.terms = swapflow.reports.figure_terms(cycle)
        self.applicants: Mapping[int, str] = {
            a.number: a.external_id or "erased" for a in swapflow.reports.named(cycle)
        }
        self.reviewers: Mapping[int, str] = {
            r.number: r.external_id or "erased" for r in swapflow.reviewers.list(cycle)
        }
        self.kinds: Sequence[str] = [kind.name for kind in swapflow.cycles.rules(cycle).kinds]

    def judge(self, number: int) -> str:
        """Name a reviewer beside figures: by a random number, unless the rules have it named."""
        return self.reviewers[number] if self.terms.named else f"reviewer {number}"

    def judges(self, seen: "Calibration") -> dict[str, str]:
        """Name the reviewers of the figures; beside random numbers no name of the roster."""
        known = self.reviewers if self.terms.named else [j.reviewer for j in seen.measured.judges]
        return {str(number): self.judge(number) for number in known}

    def groups(self, groups: "Sequence[Sequence[int]]") -> list[list[str]]:
        """Name the reviewers of groups."""
        return [[self.reviewers[number] for number in group] for group in groups]


def _json(seen: "Calibration", names: _Names) -> dict[str, object]:
    content: dict[str, object] = json.loads(to_text(asdict(seen)))
    return content | {
        "groups": names.groups(seen.groups),
        "apart": names.groups(seen.apart),
        "reviewers": names.judges(seen),
        "applicants": {str(number): name for number, name in names.applicants.items()},
        "kinds": list(names.kinds),
        "changes": [
            {
                "estimates": other.value,
                "comes_in": [names.applicants[r.application] for r in seen.comes_in(other)],
                "goes_out": [names.applicants[r.application] for r in seen.goes_out(other)],
            }
            for other in seen.others
        ],
    }


def _plain(seen: "Calibration", names: _Names, cycle: str) -> "list[str | Listing]":
    return [
        *_connection(seen, names),
        *_severities(seen, names),
        *_offsets(seen, names),
        *_agreement(seen, names),
        *_changes(seen, names, cycle),
    ]


def _connection(seen: "Calibration", names: _Names) -> list[str]:
    # Reviewers without a mark yet are only in the second: one group so far may still be several.
    held = seen.groups if len(seen.groups) > 1 else seen.apart
    if len(held) > 1:
        until = (
            "and nothing that may still come changes that"
            if len(seen.apart) > 1
            else "so far; reviews that are still to come may join them"
        )
        head = (
            f"! {len(held)} groups of reviewers cannot be compared with each other: they share no "
            f"applicant, {until}"
        )
        return [head, *(f"  - {', '.join(group)}" for group in names.groups(held))]
    if not seen.groups:
        return ["no reviewer has given a score that counts"]
    people = many(len(seen.groups[0]), "reviewer")
    return [f"{people} gave scores, and all can be compared, directly or through others"]


def _severities(seen: "Calibration", names: _Names) -> "list[str | Listing]":
    from swapflow.engine.read_models.calibration import Lack

    measured = seen.measured
    said = {
        Lack.NO_SCORES: "there is no score yet",
        Lack.FEW_REPEATS: (
            "too few applicants have a second score, so nothing tells a reviewer who marks "
            "low from a weak applicant"
        ),
        Lack.ALL_ALIKE: "all marks are the same, so nothing can be told apart",
    }
    if measured.lack is not Lack.NOTHING:
        return [said[measured.lack]]
    unknown = [
        f"how high reviewers mark {names.kinds[kind]}s: not known, hardly any reviewer gave two"
        for kind in measured.unnamed
    ]
    if not measured.judges and names.terms.apart:
        hidden = (
            "how high each reviewer marks: for accounts with the role calibration, by --severity"
            if names.terms.told
            else "how high each reviewer marks: gone, 90 days after the list was final"
            if names.terms.ended
            else "how high each reviewer marks: the rules tell no figures about reviewers"
        )
        return [*unknown, hidden]
    return [
        *unknown,
        "\nReviewers, in points of 100 above the others (pulled to 0 where there are few scores):",
        Listing(
            headers=("reviewer", "kind", "scores", "severity", "95 % interval"),
            rows=tuple(
                (
                    names.judge(one.reviewer),
                    names.kinds[one.kind],
                    one.marks,
                    f"{100 * one.severity.value:+.1f}",
                    _between(one.severity),
                )
                for one in measured.judges
            ),
            empty="no reviewer is known well enough",
        ),
    ]


def _offsets(seen: "Calibration", names: _Names) -> list[str]:
    lines = []
    for one in seen.measured.offsets:
        against = f"{names.kinds[one.kind]} against {names.kinds[seen.measured.first]}"
        if one.offset is None:
            lines.append(f"{against}: not known, only {one.both} have both")
            continue
        lines.append(
            f"{against}: {100 * one.offset.value:+.1f} points ({_between(one.offset)}), "
            f"{many(one.both, 'applicant')} with both"
            + (
                "; an assumption: too few got the other one by chance"
                if one.assumed
                else f"; measured by {many(one.by_chance, 'applicant')} who got it by chance"
            )
        )
    return lines


def _agreement(seen: "Calibration", names: _Names) -> "list[str | Listing]":
    if not seen.measured.agreement:
        return []
    return [
        "\nAgreement, with 95 % intervals:",
        Listing(
            headers=("kind", "ICC of one", "ICC of the mean", "alpha", "weighted kappa"),
            rows=tuple(
                (names.kinds[kind], *_figures(one)) for kind, one in seen.measured.agreement
            ),
        ),
    ]


def _figures(one: "Agreement") -> tuple[str | None, ...]:
    return tuple(
        None if f is None else f"{f.value:.2f} ({f.low:.2f} to {f.high:.2f})"
        for f in (one.icc, one.icc_mean, one.alpha, one.kappa)
    )


def _changes(seen: "Calibration", names: _Names, cycle: str) -> "list[str | Listing]":
    from swapflow.domain.rules import ESTIMATES

    if not seen.rows:
        return []
    parts: list[str | Listing] = [f"\nThe list is made by {ESTIMATES[seen.in_force]}."]
    for other in seen.others:
        moved = [
            *(("comes in", row) for row in seen.comes_in(other)),
            *(("goes out", row) for row in seen.goes_out(other)),
        ]
        parts.append(f"By {ESTIMATES[other]}:")
        parts.append(
            Listing(
                headers=("applicant", "", "raw", "adjusted", "difference"),
                rows=tuple(_moved(way, row, names) for way, row in moved),
                empty="the list would stay as it is",
            )
        )
        parts.append(
            f"ask for it: swapflow cycle calibration {cycle} --use {other.value} --reason …"
        )
    return parts


def _moved(way: str, row: "ComparedCandidate", names: _Names) -> tuple[object, ...]:
    return (
        names.applicants[row.application],
        way,
        f"{hundred(row.raw)} ± {hundred(row.raw_margin)}",
        f"{hundred(row.adjusted)} ± {hundred(row.adjusted_margin)}",
        f"{100 * (row.adjusted - row.raw):+.1f}",
    )


def _between(one: "Interval") -> str:
    return f"{100 * one.low:+.1f} to {100 * one.high:+.1f}"
