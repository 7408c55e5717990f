"""`swapflow round retention` and its neighbours: what is kept for how long, and legal holds."""

from datetime import datetime
from typing import Annotated

import typer

from swapflow.cli.options import AsJson, By, Must, product
from swapflow.cli.output import Listing, many, report
from swapflow.domain.people.kept_data import KeptData


RoundId = Annotated[str, typer.Argument(metavar="ROUND", help="The round.")]


def register(rounds: typer.Typer) -> None:
    """Add commands to `swapflow round`."""
    rounds.command("retention")(retention)
    rounds.command("keep")(keep)
    rounds.command("hold")(hold)
    rounds.command("lift")(lift)
    rounds.command("delete-due")(delete_due)


def retention(round_id: RoundId, as_json: AsJson = False) -> None:
    """Tell what is deleted when, what was deleted, and which legal holds last."""
    service = product().retention
    foreseen, deleted = service.preview(round_id), service.deletions(round_id)
    holds = [hold for hold in service.holds(round_id) if hold.lasts]
    report(
        {
            "round": round_id,
            "kinds": [
                {
                    "kind": one.kind.value,
                    "days": one.days,
                    "goes_at": _iso(one.goes_at),
                    "count": one.count,
                    "set_by": one.set_by,
                    "held": one.held,
                }
                for one in foreseen
            ],
            "deleted": [
                {
                    "kind": one.kind.value,
                    "program": one.cycle_id,
                    "count": one.count,
                    "days": one.days,
                    "set_by": one.set_by,
                    "at": _iso(one.at),
                }
                for one in deleted
            ],
            "holds": [
                {
                    "hold": one.id,
                    "program": one.cycle_id,
                    "person": service.person_held(one),
                    "reason": one.reason,
                    "by": one.by,
                    "at": _iso(one.at),
                }
                for one in holds
            ],
        },
        Listing(
            headers=("kind", "days after the end", "goes on", "rows or files now", "legal hold"),
            rows=tuple(
                (
                    one.kind.value,
                    "kept" if one.days is None else str(one.days),
                    "" if one.goes_at is None else f"{one.goes_at:%Y-%m-%d}",
                    str(one.count),
                    "yes" if one.held else "",
                )
                for one in foreseen
            ),
            empty="",
        ),
        *(f"hold {one.id} by {one.by}: {one.reason}" for one in holds),
        *(
            f"{one.at:%Y-%m-%d}: {one.count} rows or files of "
            f"{one.kind.value} deleted by the rule of {one.set_by}"
            for one in deleted
        ),
        as_json=as_json,
    )


def keep(
    round_id: RoundId,
    kind: Annotated[KeptData, typer.Argument(metavar="KIND", help="What the rule deletes.")],
    by: By,
    days: Annotated[
        int | None,
        typer.Option(help="Days after the round ended; nothing is deleted when not given."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Set how long a round keeps drafts, reviews, figures, monitoring data, mails or backups."""
    from swapflow.bootstrap import office

    product().retention.set_rule(round_id, kind, days, by=by)
    rule = "kept" if days is None else f"{days} days"
    office().audit_log.record(
        by, "set a retention rule", about=round_id, detail=f"{kind.value}: {rule}"
    )
    said = (
        "are not deleted by a rule"
        if days is None
        else f"are deleted {many(days, 'day')} after the last list is final"
    )
    report(
        {"round": round_id, "kind": kind.value, "days": days, "by": by},
        f"{round_id}: {kind.value} {said}",
        as_json=as_json,
    )


def hold(
    round_id: RoundId,
    by: By,
    reason: Must,
    program: Annotated[
        str,
        typer.Option(metavar="CYCLE", help="One program; everything in the round if not given."),
    ] = "",
    applicant: Annotated[
        str, typer.Option(metavar="ID", help="One applicant of that program.")
    ] = "",
    reviewer: Annotated[
        str, typer.Option(metavar="ID", help="One reviewer of that program.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Place a legal hold: nothing of the round, program or person is deleted or erased."""
    from swapflow.bootstrap import office
    from swapflow.engine.lifecycle.retention import HoldTarget

    number = product().retention.place_hold(
        round_id,
        HoldTarget(program=program, applicant=applicant, reviewer=reviewer),
        by=by,
        reason=reason,
    )
    office().audit_log.record(
        by, "placed a legal hold", cycle_id=program or None, about=f"{round_id}, hold {number}"
    )
    report(
        {"round": round_id, "hold": number, "by": by},
        f'hold {number} is placed; swapflow round lift {round_id} {number} --reason "…" ends it',
        as_json=as_json,
    )


def lift(
    round_id: RoundId,
    number: Annotated[int, typer.Argument(metavar="HOLD", help="The hold's number.")],
    by: By,
    reason: Must,
    as_json: AsJson = False,
) -> None:
    """Lift a legal hold; rules and people can delete again."""
    from swapflow.bootstrap import office

    product().retention.lift_hold(round_id, number, by=by, reason=reason)
    office().audit_log.record(by, "lifted a legal hold", about=f"{round_id}, hold {number}")
    report(
        {"round": round_id, "hold": number, "lifted_by": by},
        f"hold {number} is lifted",
        as_json=as_json,
    )


def delete_due(by: By, as_json: AsJson = False) -> None:
    """Delete now what the rules keep no longer; the coordinator does it each night."""
    from swapflow.bootstrap import office

    deleted = product().retention.delete_due()
    for one in deleted:
        office().audit_log.record(
            by,
            "deleted by a retention rule",
            cycle_id=one.cycle_id or None,
            about=one.kind.value,
            detail=f"{one.count} rows or files",
        )
    report(
        {
            "deleted": [
                {"kind": one.kind.value, "program": one.cycle_id, "count": one.count}
                for one in deleted
            ]
        },
        f"{sum(one.count for one in deleted)} rows or files deleted",
        as_json=as_json,
    )


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
