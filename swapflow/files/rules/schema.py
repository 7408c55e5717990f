"""The shape of a rules file: which tables and settings there are, and of which type.

Only shape is checked here; what the settings mean for each other is in `rules_checks`. A setting
of the wrong type is reported and then replaced by one that does no further harm, so that one
reading finds all the problems of a file.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ValidationError

from swapflow.domain.drawn_check import DrawnCheck
from swapflow.domain.free_days import FreeDays
from swapflow.domain.objective import GroupQuota, GroupTarget, Objective, SpreadOver
from swapflow.domain.rules import (
    AutomaticReview,
    Criterion,
    DispatchMode,
    Estimates,
    Floor,
    FloorFor,
    KindRules,
    Purpose,
    ReviewerFigures,
    Rubric,
    RuleName,
    Rules,
    SeatLine,
    SignInPolicy,
)
from swapflow.files.rules.problem import RulesProblem
from swapflow.files.rules.schema_errors import broken_tables, mended_tables, rules_problem
from swapflow.files.rules.schema_tables import (
    AutomaticTable,
    DrawnCheckTable,
    KindTable,
    ObjectiveTable,
    RubricTable,
    RulesTable,
    Toml,
)


ANYWHERE_ON_EARTH = "Etc/GMT+12"
"""What "AoE" means: a day ends when it has ended everywhere."""


def shape(raw: Mapping[str, Toml]) -> tuple[Rules, list[RulesProblem], set[str]]:
    """Return the rules that a parsed TOML file spells, and what is wrong with its shape.

    Returns:
        The rules (with harmless replacements where a setting could not be read), the problems, and
        the tables of which an item or a name could not be read.
    """
    try:
        table = RulesTable.model_validate(raw)
    except ValidationError as error:
        details = error.errors()
        found = [rules_problem(raw, detail) for detail in details]
        broken = broken_tables(details)
        table = RulesTable.model_validate(mended_tables(raw, details))
    else:
        found, broken = [], set()
    moments: dict[str, datetime | None] = {}
    for name, value in (
        ("applications_close", table.applications_close),
        ("deadline", table.deadline),
    ):
        moments[name] = None
        try:
            moments[name] = _moment(value, table.zone)
        except ValueError as error:
            found.append(
                RulesProblem(
                    place=name, value=str(value), reason=str(error), cure="Write another hour"
                )
            )
    return _rules(table, moments), found, broken


def zone_name(text: str) -> str:
    """Return the zone's name in the zone database; "AoE" is anywhere on Earth."""
    return ANYWHERE_ON_EARTH if text.casefold() == "aoe" else text


def _rules(table: RulesTable, moments: Mapping[str, datetime | None]) -> Rules:
    advanced = table.advanced
    return Rules(
        version=table.version,
        purpose=Purpose(table.purpose),
        lines=tuple(
            SeatLine(name=line.name, places=line.number, funded=line.funded)
            for line in table.places
        ),
        kinds=tuple(_kind(kind) for kind in table.kinds),
        rubrics=tuple(_rubric(rubric) for rubric in table.rubrics),
        floors=tuple(
            Floor(kind=floor.kind, count=floor.count, who=FloorFor(floor.who))
            for floor in table.floors
        ),
        budget=table.budget,
        reserve=table.reserve,
        rule=RuleName(table.rule),
        objective=_objective(table.objective),
        quotas=tuple(GroupQuota(**quota.model_dump()) for quota in table.quotas),
        targets=tuple(GroupTarget(**target.model_dump()) for target in table.targets),
        fewest=table.fewest,
        bar=table.bar,
        delta=advanced.delta,
        epsilon=advanced.epsilon,
        sigma=advanced.sigma,
        rho=advanced.rho,
        policy=advanced.policy,
        certificate=advanced.certificate,
        severity=advanced.severity,
        kind_offsets=advanced.kind_offsets,
        kind_overlap=advanced.kind_overlap,
        join_reviewers=advanced.join_reviewers,
        practice_marks=advanced.practice_marks,
        estimates=Estimates(advanced.estimates),
        settled=advanced.settled,
        too_close=advanced.too_close,
        drawn_check=None if table.drawn_check is None else _drawn_check(table.drawn_check),
        max_applicants=advanced.max_applicants,
        dispatch=DispatchMode(advanced.dispatch),
        batch=advanced.batch,
        out=advanced.out,
        taper=advanced.taper,
        packet=table.packet,
        attempts=advanced.attempts,
        blind=table.blind,
        applications_close=moments["applications_close"],
        deadline=moments["deadline"],
        zone=zone_name(table.zone),
        free_days=_free_days(table),
        language=table.language,
        notice=table.notice,
        confidential=tuple(table.confidential),
        explanation_days=table.explanation_days,
        automatic=_automatic(table.automatic),
        signatures=table.signatures,
        group_outcomes=table.group_outcomes,
        sign_in=SignInPolicy(table.sign_in),
        session_days=table.session_days,
        confirm_answers=table.confirm_answers,
        reviewer_figures=(
            None if table.reviewer_figures is None else ReviewerFigures(table.reviewer_figures)
        ),
        seed=advanced.seed,
    )


def _free_days(table: RulesTable) -> FreeDays | None:
    if not (table.holidays or table.closed):
        return None
    # Codes are printed in capitals; people also type them small, and with an underline.
    region = table.holidays.strip().upper().replace("_", "-")
    return FreeDays(region=region, closed=tuple(table.closed))


def _objective(table: ObjectiveTable) -> Objective:
    return Objective(
        name=table.name,
        attribute=table.attribute,
        spread=tuple(SpreadOver(**one.model_dump()) for one in table.spread),
        legal_basis=table.legal_basis,
    )


def _kind(kind: KindTable) -> KindRules:
    quorum = kind.seats if kind.quorum is None else kind.quorum
    questions = tuple(kind.questions)
    return KindRules(**{**kind.model_dump(), "quorum": quorum, "questions": questions})


def _rubric(rubric: RubricTable) -> Rubric:
    return Rubric(
        kind=rubric.kind,
        version=rubric.version,
        criteria=tuple(
            Criterion(
                name=criterion.name,
                weight=criterion.weight,
                marks=tuple((mark.mark, mark.means) for mark in criterion.marks),
            )
            for criterion in rubric.criteria
        ),
    )


def _drawn_check(table: DrawnCheckTable) -> DrawnCheck:
    return DrawnCheck(share=table.share, least=table.least)


def _automatic(table: AutomaticTable | None) -> AutomaticReview | None:
    if table is None:
        return None
    return AutomaticReview(purpose=table.purpose, approver=table.approver, date=table.date)


def _moment(value: datetime | date | None, zone: str) -> datetime | None:
    """Read a deadline: a day means its end, a time without an offset is in the rules' zone.

    An hour that the clocks repeat means its second pass, which is the kinder deadline.

    Raises:
        ValueError: If the clocks skip that hour.
    """
    if value is None:
        return None
    if not isinstance(value, datetime):
        value = datetime.combine(value, time(23, 59, 59))
    if value.tzinfo is not None:
        return value.astimezone(UTC)
    try:
        info = ZoneInfo(zone_name(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return value.replace(tzinfo=UTC)  # the zone itself is reported by `rules_checks`
    moment = value.replace(tzinfo=info, fold=1).astimezone(UTC)
    if moment.astimezone(info).replace(tzinfo=None) != value:
        raise ValueError(f"the clocks in {zone} skip this hour")
    return moment
