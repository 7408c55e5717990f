"""The defence file of a decision in plain words (HTML, tagged PDF) and for programs (JSON).

One file is about a program's whole list, one about one applicant. The same record gives the same
bytes: nothing in them is of the moment at which they are made.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime

from swapflow.domain.rules_text import to_text
from swapflow.engine.audit.defended_decision import ApplicantDefence, Defence
from swapflow.files.exports.decision_card import card_parts
from swapflow.files.exports.defence.answers import answers, overridden
from swapflow.files.exports.defence.parts import (
    check_of_those_out,
    method_parts,
    notice_part,
    outcomes_part,
    reconsideration_sums_part,
    reconsiderations_part,
    reconsidered_sums,
    replay_part,
    rules_part,
    zones_part,
)
from swapflow.files.exports.document import DocumentPart, PrintedDocument
from swapflow.files.exports.marks_in_words import withheld_in_words
from swapflow.files.exports.method_sheet import NOT_MERIT
from swapflow.files.exports.sheets import method_json
from swapflow.i18n.formatting import moment
from swapflow.i18n.languages import gettext, gettext_noop


NOT_ADVICE = gettext_noop(
    "This file says what is on record. It is not legal advice, and it does not say whether a "
    "decision was lawful."
)


# For programs


def defence_json(made: Defence, more: Mapping[str, object] | None = None) -> bytes:
    """Return a program's defence file under stable keys; scores lie between 0 and 1.

    Args:
        made: The file.
        more: What a reader in another role has besides, by its key.
    """
    return _json(_program(made) | dict(more or {}))


def applicant_defence_json(made: ApplicantDefence) -> bytes:
    """Return an applicant's defence file under stable keys, without the other applicants."""
    program = _program(made.program)
    del program["outcomes"]
    program["reconsidered"] = reconsidered_sums(made.program)
    content = asdict(made) | {"program": program}
    return _json(content)


def _program(made: Defence) -> dict[str, object]:
    content = asdict(made)
    content["sheet"] = json.loads(method_json(made.sheet))
    content["first"] = json.loads(to_text(made.first))
    content["rules"] = json.loads(to_text(made.rules))
    content["notice"] = made.rules.notice
    content["replay"]["passed"] = made.replay.passed
    content["drawn_check"] = str(made.sheet.drawn) or None
    return content


def _json(content: object) -> bytes:
    text = json.dumps(_finite(content), ensure_ascii=False, indent=1, default=_spelled)
    return (text + "\n").encode()


def _finite(value: object) -> object:
    """Replace numbers that JSON cannot write by null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _spelled(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime | date) else str(value)


# In words


def defence_document(made: Defence, more: Sequence[DocumentPart] = ()) -> PrintedDocument:
    """Write a program's defence file in the reader's language.

    Args:
        made: The file.
        more: Parts that a reader in another role has besides, after the reviews by zone.
    """
    return PrintedDocument(
        title=gettext("Defence file"),
        about=f"{made.cycle_name} ({made.cycle})",
        lead=(
            gettext(
                "How the places of this program were decided: list version %(version)s, %(all)s "
                "applicants, %(otherwise)s of them decided otherwise than proposed."
            )
            % {
                "version": made.version,
                "all": len(made.outcomes),
                "otherwise": overridden(made.outcomes),
            },
            f"{gettext(NOT_MERIT)} {gettext(NOT_ADVICE)}",
        ),
        parts=(
            notice_part(made),
            rules_part(made),
            zones_part(made),
            *more,
            check_of_those_out(made),
            outcomes_part(made),
            reconsiderations_part(made),
            replay_part(made),
            *method_parts(made),
        ),
        foot=_foot(made),
    )


def applicant_defence_document(made: ApplicantDefence) -> PrintedDocument:
    """Write the defence file of the decision about one applicant in the reader's language."""
    card, program = made.card, made.program
    lead = [
        gettext(
            "This file answers what a written appeal asks about one decision. The questions come "
            "first; what they rest on follows."
        ),
        f"{gettext(NOT_MERIT)} {gettext(NOT_ADVICE)}",
    ]
    lead += withheld_in_words(made.withheld)
    # The card's last part is the method in short, and here the whole method follows.
    *about, _ = card_parts(card)
    return PrintedDocument(
        title=gettext("Defence file"),
        about=f"{card.name or card.applicant} ({card.applicant}), {card.cycle_name}",
        lead=tuple(lead),
        parts=(
            *answers(made),
            *about,
            notice_part(program),
            rules_part(program),
            zones_part(program),
            check_of_those_out(program),
            reconsideration_sums_part(program),
            replay_part(program),
            *method_parts(program),
        ),
        foot=_foot(program),
    )


def _foot(made: Defence) -> str:
    return gettext(
        "Made from events 1 to %(seq)s of program %(program)s, the last of %(when)s, list version "
        "%(version)s. The same record gives the same file, byte for byte."
    ) % {
        "seq": made.seq,
        "program": made.cycle,
        "when": moment(made.at),
        "version": made.version,
    }
