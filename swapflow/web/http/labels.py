"""Words that are stored in English and shown in any language, each marked once for translators.

Pages show one of these with `_(word)`; a word that is not among them is shown as it is stored.
"""

import math
from dataclasses import dataclass

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.selection.reviewer_severity import SeverityEstimates
from swapflow.i18n.languages import gettext_noop


CYCLE_STATUS = (
    gettext_noop("draft"),
    gettext_noop("running"),
    gettext_noop("paused"),
    gettext_noop("proposed"),
    gettext_noop("ended"),
    gettext_noop("finalized"),
)
"""Words for a program's status (`CycleStatus`)."""

PHASES = {
    CycleStatus.DRAFT: gettext_noop("being set up"),
    CycleStatus.RUNNING: gettext_noop("asking for reviews"),
    CycleStatus.PAUSED: gettext_noop("paused"),
    CycleStatus.PROPOSED: gettext_noop("ready to stop"),
    CycleStatus.ENDED: gettext_noop("to be decided"),
    CycleStatus.FINALIZED: gettext_noop("final"),
}
"""What a program is busy with, as pages say it."""

APPLICATION_STATUS = (
    gettext_noop("incomplete"),
    gettext_noop("held"),
    gettext_noop("ready"),
    gettext_noop("withdrawn"),
    gettext_noop("ineligible"),
    gettext_noop("merged"),
)
"""Words for an application's status (`ApplicationStatus`)."""

REQUEST_STATUS = (
    gettext_noop("proposed"),
    gettext_noop("open"),
    gettext_noop("closed"),
    gettext_noop("cancelled"),
)
"""Words for a request's status (`PullStatus`)."""

ASSIGNMENT_STATUS = (
    gettext_noop("queued"),
    gettext_noop("delivered"),
    gettext_noop("opened"),
    gettext_noop("scored"),
    gettext_noop("declined"),
    gettext_noop("no-show"),
    gettext_noop("taken back"),
    gettext_noop("expired"),
    gettext_noop("cancelled"),
)
"""Words for the status of a request to one reviewer (`AssignmentStatus`)."""

TEMPLATES = (gettext_noop("admissions"), gettext_noop("hiring"), gettext_noop("fellowship"))
"""Rules to start from."""

STANDING = (gettext_noop("in"), gettext_noop("too close"), gettext_noop("out"))
"""Words for an applicant's place in or out of the list."""

STOPS = (
    gettext_noop(
        "The marks received so far separate the list from every alternative, within the stated "
        "tolerance and under the stated assumptions."
    ),
    gettext_noop("Further reviews were no longer expected to change the list by a stated amount."),
    gettext_noop(
        "What is left of the reviewer time is kept for requests of staff, or is too little for "
        "another review."
    ),
    gettext_noop("The budget was used up."),
    gettext_noop("The deadline had come."),
    gettext_noop("Nobody was left who could be asked about those still too close to call."),
    gettext_noop("Staff ended the round."),
)
"""Why asking has ended: the sentences of `read_models/proposal.py`."""

OBSTACLES = (
    gettext_noop("no reviewer takes this kind; import one, or change the rules"),
    gettext_noop("every reviewer of this kind is in conflict or was asked before; add a reviewer"),
    gettext_noop("reviewers without conflict have no capacity left; raise it or add a reviewer"),
    gettext_noop("reviewers without conflict are away; wait, or change their absences"),
    gettext_noop("reviewers without conflict have a full packet; wait for their answers"),
)
"""Why a request cannot go out (`Obstacle`)."""

MEETING = (
    gettext_noop("in"),
    gettext_noop("out"),
    gettext_noop("waitlist"),
    gettext_noop("discuss"),
)
"""What a meeting says about an applicant (`Word`)."""

ANSWERS = (
    gettext_noop("accepted"),
    gettext_noop("declined"),
    gettext_noop("no answer"),
    gettext_noop("waiting"),
)
"""What became of an offer (`OfferAnswer`)."""

LIMITS = (
    gettext_noop("{title}: {held} chosen, {wants} wanted"),
    gettext_noop("at least {minimum} and {more}"),
    gettext_noop("at most {maximum} and {more}"),
    gettext_noop("at least {minimum}"),
    gettext_noop("at most {maximum}"),
    gettext_noop("at least {share} of the list"),
    gettext_noop("at most {share} of the list"),
    gettext_noop("any number"),
)
"""Words for how a list meets a limit on a group (`GroupLimit`)."""

GIVEN_WAY = (
    gettext_noop("raise the places from {places} to {more}, or pin fewer applicants in"),
    gettext_noop("fill {filled} of the {places} places"),
    gettext_noop("lower the minimum of {name} from {before} to {held}"),
    gettext_noop("lower the minimum of {name} from {before} to {held} (a share of {share})"),
    gettext_noop("raise the maximum of {name} from {before} to {held}"),
    gettext_noop("raise the maximum of {name} from {before} to {held} (a share of {share})"),
    gettext_noop("lower the smallest share of {name} from {before} to {after}"),
    gettext_noop("raise the largest share of {name} from {before} to {after}"),
)
"""What would have to change where no list keeps to every limit (`feasible`)."""

PROMISES = (
    gettext_noop(
        "Under the stated assumptions (independent marks, spread {sigma}, comparable reviewers) "
        "the proposed list's score is within {loss} of the highest obtainable, with probability "
        "{confidence}. This is about marks, not merit."
    ),
    gettext_noop("{sigma}, estimated from this program"),
    gettext_noop("For this objective the stop is a heuristic and proves nothing."),
    gettext_noop(
        "The rule in force promises nothing on its own; the number above is the most that "
        "the list could still gain under the stated assumptions. This is about marks, not "
        "merit."
    ),
    gettext_noop(
        "The rule {rule} promises nothing on its own; the number above is the most that "
        "the list could still gain under the stated assumptions. This is about marks, not "
        "merit."
    ),
    gettext_noop("The round is still running."),
)
"""What is promised of a list: sentences of the method sheet."""

STEPS = (
    gettext_noop("rules"),
    gettext_noop("rubrics"),
    gettext_noop("applicants"),
    gettext_noop("reviewers"),
)
"""Where a launch is held up (`Step`)."""

UNITS = (gettext_noop("minutes"), gettext_noop("hours"), gettext_noop("reviews"))
"""What a budget counts, where the office uses one of these words."""

MORE = (gettext_noop("{list} and {n} more"), gettext_noop("{n} more groups"))
"""How a list ends of which only the beginning is shown."""

BAD_ROW = (
    gettext_noop("line {line}, column {column}, value {value}"),
    gettext_noop("line {line}, column {column}"),
    gettext_noop("line {line}, value {value}"),
    gettext_noop("line {line}"),
    gettext_noop("the file, column {column}, value {value}"),
    gettext_noop("the file, column {column}"),
)
"""Where something is wrong in a file (`BadRow`)."""

NOT_COUNTED = (
    gettext_noop("its reviewer's score of this application counts already"),
    gettext_noop("came after the cohort was fixed"),
    gettext_noop("came late, and the budget had no room for it"),
    gettext_noop("came after its request was withdrawn"),
    gettext_noop("nobody asked for it; staff may admit it"),
    gettext_noop("changed after others' marks were seen"),
    gettext_noop("voided"),
)
"""Why a score does not count (`NotCounted`)."""

CLEAR = 2.0
"""A severity of this many standard errors is called by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityView:
    """How a reviewer judges, in points of 100 and in words."""

    points: float
    error: float
    apart: float | None
    shared: int

    @property
    def shown(self) -> str:
        """Format the points with their sign and error: "+3 ± 2"."""
        points = round(self.points)
        sign = "+" if points > 0 else "−" if points < 0 else ""
        return f"{sign}{abs(points)} ± {self.error:.0f}"

    @property
    def words(self) -> str:
        """Return whether the reviewer marks high or low, as far as that is clear."""
        if abs(self.points) < CLEAR * self.error:
            return gettext_noop("like the others")
        return gettext_noop("marks high") if self.points > 0 else gettext_noop("marks low")


def severity_view_of(severity: SeverityEstimates, number: int) -> SeverityView | None:
    """Return how a reviewer judges; None before the first score that counts."""
    if number >= severity.severity.size or math.isnan(severity.severity[number]):
        return None
    shared = int(severity.shared[number])
    return SeverityView(
        points=100 * float(severity.severity[number]),
        error=100 * float(severity.error[number]),
        apart=100 * float(severity.apart[number]) if shared else None,
        shared=shared,
    )
