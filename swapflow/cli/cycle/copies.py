"""`swapflow cycle practise`, `mark-automatically`, `throw-away` and `next-year`."""

from typing import Annotated

import typer

from swapflow.cli.options import AsJson, By, CycleId, product
from swapflow.cli.output import many, report


def register(app: typer.Typer) -> None:
    """Add the commands to the group `cycle`."""
    app.command("practise")(practise)
    app.command("mark-automatically")(mark_automatically)
    app.command("throw-away")(throw_away)
    app.command("next-year")(next_year)


def practise(
    cycle: CycleId,
    by: By,
    applicants: Annotated[
        int, typer.Option(min=0, help="How many to invent; 0 for the usual number.")
    ] = 0,
    automatic: Annotated[
        bool, typer.Option("--automatic", help="Automatic reviewers answer for the whole roster.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make a practice program: same rules and roster, invented applicants; nothing leaves it."""
    made = product().copies.practise(cycle, by=by, applicants=applicants, automatic=automatic)
    report(
        {"cycle": made.id, "name": made.name, "practice_of": cycle, "by": by},
        f"practice program {made.id} is made",
        f"next: swapflow cycle launch {made.id}",
        f"afterwards: swapflow cycle throw-away {made.id}",
        as_json=as_json,
    )


def mark_automatically(cycle: CycleId, as_json: AsJson = False) -> None:
    """Have automatic reviewers answer the open reviews of a practice program."""
    count = product().copies.fill(cycle)
    report(
        {"cycle": cycle, "reviews": count},
        f"{many(count, 'open review')} marked, each shown as automatic",
        as_json=as_json,
    )


def throw_away(cycle: CycleId, by: By, as_json: AsJson = False) -> None:
    """Throw a practice program away with everything in it; a real program is refused."""
    from swapflow.bootstrap import office

    swapflow = product()
    contents = swapflow.copies.contents(cycle)
    swapflow.copies.throw_away(cycle)
    office().audit_log.record(by, "threw away a practice program", cycle_id=cycle, about=cycle)
    report(
        {
            "cycle": cycle,
            "applicants": contents.applicants,
            "reviews": contents.reviews,
            "mails": contents.mails,
            "by": by,
        },
        f"practice program {cycle} is gone, with {many(contents.applicants, 'applicant')}, "
        f"{many(contents.reviews, 'review')} and {many(contents.mails, 'mail')} that never left",
        as_json=as_json,
    )


def next_year(
    cycle: CycleId,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Id of the new program.")],
    round_id: Annotated[str, typer.Option("--round", metavar="ROUND", help="Its round.")],
    by: By,
    name: Annotated[str, typer.Option(metavar="TEXT", help="The program's name in full.")] = "",
    years: Annotated[
        int, typer.Option(min=0, max=5, help="Years by which dates move; 0 leaves them out.")
    ] = 1,
    roster: Annotated[bool, typer.Option(help="Take over the active reviewers.")] = True,
    rights: Annotated[
        bool, typer.Option(help="Take over the rights that people have in it alone.")
    ] = True,
    columns: Annotated[bool, typer.Option(help="Take over which columns reviewers see.")] = True,
    letters: Annotated[bool, typer.Option(help="Take over the texts of letters.")] = True,
    as_json: AsJson = False,
) -> None:
    """Make next year's program: rules, score forms, questions, and what you choose."""
    from swapflow.engine.copies.next_year import Taken

    made = product().copies.next_year(
        cycle,
        new,
        round_id=round_id,
        name=name,
        by=by,
        taken=Taken(roster=roster, rights=rights, columns=columns, letters=letters, years=years),
    )
    report(
        {"cycle": made.id, "round": made.round_id, "made_from": cycle, "by": by},
        f"program {made.id} is made from {cycle}; it is in draft",
        f"look at its rules: swapflow cycle rules {made.id}",
        f"next: swapflow applications import {made.id} applicants.csv",
        as_json=as_json,
    )
