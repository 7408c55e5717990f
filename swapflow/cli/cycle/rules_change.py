"""`swapflow cycle rules --set`: rules of a file put in force, or tried."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from swapflow.cli.options import seat_of
from swapflow.cli.output import many, report
from swapflow.errors import InvalidInputError


if TYPE_CHECKING:
    from swapflow.domain.rules import Rules
    from swapflow.engine.lifecycle.rules_effect import RulesEffect
    from swapflow.engine.services import Swapflow


_UNTOLD = frozenset({"places", "named"})


def set_rules(
    swapflow: "Swapflow",
    cycle: str,
    file: Path,
    *,
    by: str,
    reason: str,
    check: bool,
    as_json: bool,
) -> None:
    """Put the rules of a file in force, or say what they would change."""
    if not check and not reason.strip():
        raise InvalidInputError("rules_reason_missing_option")
    read = read_rules_of(file)
    before = version = swapflow.cycles.get(cycle).rules_version
    if check:
        swapflow.cycles.check_rules(cycle, read)
        effect, said = swapflow.cycles.rules_effect(cycle, read), "nothing was changed"
    else:
        version = swapflow.cycles.change_rules(cycle, read, by=by, reason=reason).version
        effect = swapflow.cycles.effect_of_version(cycle, version)
        said = f"rules version {version} is in force"
    if seat_of(cycle, by) is not None:
        effect = effect.nameless()
    told = [] if version == before and not check else _effect_lines(effect, done=not check)
    report(
        {"cycle": cycle, "rules_version": version, "changed": version != before}
        | {name: value for name, value in asdict(effect).items() if name not in _UNTOLD},
        said,
        *told,
        as_json=as_json,
    )


def _effect_lines(effect: "RulesEffect", *, done: bool) -> list[str]:
    """Tell what a change of the rules does, or did, to scores and to the list."""
    lines = []
    if effect.scores:
        moved = "got another value" if done else "would get another value"
        lines.append(f"{many(effect.moved, 'score')} of {effect.scores} given as marks {moved}")
    if effect.unreadable:
        lines.append(
            f"{many(effect.unreadable, 'score')} cannot be read by the new form, so that the "
            "change is refused"
        )
    for ids, does, did in (
        (effect.entering, "would come onto the list", "came onto the list"),
        (effect.leaving, "would leave it", "left it"),
    ):
        if ids:
            lines.append(f"by the scores of this moment {', '.join(ids)} {did if done else does}")
    if not effect.named:
        lines.append("who enters or leaves the list is closed to you until asking ends")
    elif effect.places != (0, 0) and not effect.changes_list:
        lines.append("by the scores of this moment the list stays as it is")
    return lines


def read_rules_of(file: Path) -> "Rules":
    """Read the rules of a file."""
    from swapflow.files.rules.rules_file import read_rules

    return read_rules(file)
