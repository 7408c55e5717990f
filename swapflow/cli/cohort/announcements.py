"""`swapflow letters`: applicants are told what was decided; held for a while before they leave."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from swapflow.cli.help import CommandGroup
from swapflow.cli.options import AsJson, By, CycleId, Digest, product
from swapflow.cli.output import Listing, day, many, report
from swapflow.errors import InvalidInputError, NotFoundError


if TYPE_CHECKING:
    from swapflow.domain.cohort.announcement import Announcement, Group, Wording
    from swapflow.engine.offers.announcements import AnnouncementDraft

app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    help="Letters that tell applicants what was decided; they wait a while before they leave.",
)

Words = Annotated[
    Path,
    typer.Option(
        "--words", metavar="FILE", help="What each group is told; `swapflow letters words` begins."
    ),
]
Waitlist = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help=(
            "How many of the waitlist are told that they are on it; the others are not. All "
            "if left out."
        ),
    ),
]


_HOW = """\
# {name}, {program} and {until} are put in for each letter. A paragraph that names
# {until} is left out where an offer has no date.
"""


@app.command("words")
def words(cycle: CycleId, as_json: AsJson = False) -> None:
    """Print words to start from, as a file to edit; groups that are deleted are not written to."""
    usual = product().announcements.usual_wording(cycle)
    wording = {_key(group): words for group, words in usual.items()}
    parts = [_HOW]
    for name, words in wording.items():
        subject, text = (
            value.replace("\\", "\\\\").replace('"', '\\"')
            for value in (words.subject, words.text)
        )
        parts.append(f'[{name}]\nsubject = "{subject}"\ntext = """\n{text}\n"""\n')
    report(
        {name: {"subject": words.subject, "text": words.text} for name, words in wording.items()},
        "\n".join(parts).rstrip(),
        as_json=as_json,
    )


@app.command("look")
def look(cycle: CycleId, file: Words, waitlist: Waitlist = None, as_json: AsJson = False) -> None:
    """Show who would get which letter; stores nothing."""
    draft = product().announcements.draft(cycle, _read(file), waitlist=waitlist)
    samples = draft.samples()
    report(
        {"cycle": cycle, **_content(draft)},
        Listing(
            headers=("applicant", "name", "to", "told"),
            rows=tuple((a.external_id, a.name, a.address, a.group.value) for a in draft.letters),
            empty="no letter to send: all have been told or have no address",
        ),
        *(
            f"\nto {letter.address}, {group.value}:\n{letter.subject}\n\n"
            + "\n\n".join(letter.parts)
            for group, letter in samples.items()
        ),
        *_warnings(draft),
        as_json=as_json,
    )


@app.command("send")
def send(
    cycle: CycleId,
    file: Words,
    by: By,
    waitlist: Waitlist = None,
    hold: Annotated[
        int,
        typer.Option(
            metavar="MINUTES", min=0, help="Minutes to undo before sending; 0 sends at once."
        ),
    ] = 30,
    seen: Annotated[
        str,
        typer.Option(metavar="DIGEST", help="Of what `look --json` showed; nothing else is sent."),
    ] = "",
    digest: Digest = "",
    as_json: AsJson = False,
) -> None:
    """Write the letters; they leave when the time to take them back is over."""
    swapflow = product()
    draft = swapflow.announcements.send(
        cycle,
        _read(file),
        by=by,
        waitlist=waitlist,
        hold=timedelta(minutes=hold),
        seen=digest or seen,
    )
    made = swapflow.announcements.list(cycle)[-1]
    zone = swapflow.cycles.rules(cycle).zone
    report(
        {"cycle": cycle, **_content(draft), "leaves_at": made.leaves_at.isoformat(), "by": by},
        f"{many(len(draft.letters), 'letter')} written; they leave "
        + (
            f"at {day(made.leaves_at, zone)}, and until then "
            f"`swapflow letters take-back {cycle}` undoes them"
            if hold
            else "now"
        ),
        *_warnings(draft),
        as_json=as_json,
    )


@app.command("show")
def show(cycle: CycleId, as_json: AsJson = False) -> None:
    """Show what applicants were told, and where each letter is."""
    swapflow = product()
    names = {a.number: a.external_id for a in swapflow.applicants.list(cycle)}
    zone = swapflow.cycles.rules(cycle).zone
    announcements = swapflow.announcements.list(cycle)
    report(
        {
            "cycle": cycle,
            "announcements": [
                {
                    "version": one.version,
                    "by": one.by,
                    "leaves_at": one.leaves_at.isoformat(),
                    "taken_back_by": one.taken_back_by,
                    "letters": [
                        {
                            "applicant": names[letter.application],
                            "told": letter.group.value,
                            "state": letter.state.value,
                            "detail": letter.detail,
                        }
                        for letter in one.letters
                    ],
                }
                for one in announcements
            ],
        },
        Listing(
            headers=("applicant", "told", "where", "why", "by", "leaves"),
            rows=tuple(
                (
                    names[letter.application],
                    letter.group.value,
                    letter.state.value,
                    letter.detail,
                    one.by,
                    day(one.leaves_at, zone),
                )
                for one in announcements
                for letter in one.letters
            ),
            empty="no letter has been sent yet",
        ),
        as_json=as_json,
    )


@app.command("take-back")
def take_back(cycle: CycleId, by: By, as_json: AsJson = False) -> None:
    """Undo the letters that have not left, and the offers that they tell of."""
    taken: Announcement = product().announcements.take_back(cycle, by=by)
    report(
        {"cycle": cycle, "letters": len(taken.letters), "by": by},
        f"{many(len(taken.letters), 'letter')} undone, and the offers they tell of: "
        "it is as if nothing had been offered",
        as_json=as_json,
    )


def _read(file: Path) -> "dict[Group, Wording]":
    from swapflow.domain.cohort.announcement import Group, Wording
    from swapflow.untrusted.toml_text import load_toml

    if not file.exists():
        raise NotFoundError("wording_file_missing", file=file)
    try:
        content = load_toml(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError("wording_file_unreadable", file=file, problem=error) from error
    groups = {_key(group): group for group in Group}
    wording = {}
    for name, given in content.items():
        if name not in groups:
            raise InvalidInputError("wording_group_unknown", file=file, group=name, groups=groups)
        if not isinstance(given, dict) or set(given) != {"subject", "text"}:
            raise InvalidInputError("wording_group_settings", file=file, group=name)
        if not all(isinstance(value, str) for value in given.values()):
            raise InvalidInputError("wording_group_not_texts", file=file, group=name)
        wording[groups[name]] = Wording(subject=given["subject"], text=given["text"])
    if not wording:
        raise InvalidInputError("wording_file_empty", file=file, groups=groups)
    return wording


def _key(group: "Group") -> str:
    return group.value.replace(" ", "_")


def _content(draft: "AnnouncementDraft") -> dict[str, object]:
    return {
        "letters": [
            {
                "applicant": a.external_id,
                "told": a.group.value,
                "to": a.address,
                "subject": a.subject,
                "paragraphs": list(a.parts),
            }
            for a in draft.letters
        ],
        "without_address": [a.external_id for a in draft.unreachable],
        "chosen_without_offer": len(draft.unoffered),
        "digest": draft.digest,
    }


def _warnings(draft: "AnnouncementDraft") -> list[str]:
    said = []
    if draft.unreachable:
        names = ", ".join(a.external_id for a in draft.unreachable[:10])
        more = "" if len(draft.unreachable) <= 10 else " …"  # noqa: PLR2004 - a line's worth
        said.append(
            f"{many(len(draft.unreachable), 'applicant')} without a mail address: tell them "
            f"yourself ({names}{more})"
        )
    if draft.unoffered:
        said.append(
            f"{len(draft.unoffered)} of those chosen have no offer yet, so no letter tells them; "
            "`swapflow offers make` comes first"
        )
    return said
