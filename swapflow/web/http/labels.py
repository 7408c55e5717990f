"""Words that are stored in English and shown in any language, each marked once for translators.

Pages show one of these with `_(word)`; a word that is not among them is shown as it is stored.
"""

from swapflow.i18n.languages import later


CYCLE_STATUS = (
    later("draft"),
    later("running"),
    later("paused"),
    later("proposed"),
    later("ended"),
    later("finalized"),
)
"""Where a program stands (`CycleStatus`)."""

APPLICATION_STATUS = (
    later("incomplete"),
    later("held"),
    later("ready"),
    later("withdrawn"),
    later("ineligible"),
    later("merged"),
)
"""Where an application stands (`ApplicationStatus`)."""

REQUEST_STATUS = (
    later("proposed"),
    later("open"),
    later("closed"),
    later("cancelled"),
)
"""Where a request stands (`PullStatus`)."""

ASSIGNMENT_STATUS = (
    later("queued"),
    later("delivered"),
    later("opened"),
    later("scored"),
    later("declined"),
    later("expired"),
    later("cancelled"),
)
"""Where a request to one reviewer stands (`AssignmentStatus`)."""

TEMPLATES = (later("admissions"), later("hiring"), later("fellowship"))
"""Rules to start from."""

STANDING = (later("in"), later("too close"), later("out"))
"""Where an applicant stands to the list."""

STOPS = (
    later(
        "The marks received so far separate the list from every alternative, within the stated "
        "tolerance and under the stated assumptions."
    ),
    later("Further reviews were no longer expected to change the list by a stated amount."),
    later("The budget was used up."),
    later("The deadline had come."),
    later("Nobody was left who could be asked about those still too close to call."),
    later("Staff ended the round."),
)
"""Why asking has ended: the sentences of `STOP_SENTENCES`."""

OBSTACLES = (
    later("no reviewer takes this kind; import one, or change the rules"),
    later("every reviewer of this kind is in conflict or was asked before; add a reviewer"),
    later("reviewers without conflict have no capacity left; raise it or add a reviewer"),
    later("reviewers without conflict are away; wait, or change their absences"),
    later("reviewers without conflict have a full packet; wait for their answers"),
)
"""Why a request cannot go out (`Obstacle`)."""

MEETING = (later("in"), later("out"), later("waitlist"), later("discuss"))
"""What a meeting says about an applicant (`Word`)."""

ANSWERS = (later("accepted"), later("declined"), later("no answer"), later("waiting"))
"""What became of an offer (`OfferAnswer`)."""

LIMITS = (
    later("{title}: {held} chosen, {wants} wanted"),
    later("at least {minimum} and {more}"),
    later("at most {maximum} and {more}"),
    later("at least {minimum}"),
    later("at most {maximum}"),
    later("at least {share} of the list"),
    later("at most {share} of the list"),
    later("any number"),
)
"""How a list stands to a limit on a group (`GroupLimit`)."""

GIVEN_WAY = (
    later("raise the places from {places} to {more}, or pin fewer applicants in"),
    later("fill {filled} of the {places} places"),
    later("lower the minimum of {name} from {before} to {held}"),
    later("lower the minimum of {name} from {before} to {held} (a share of {share})"),
    later("raise the maximum of {name} from {before} to {held}"),
    later("raise the maximum of {name} from {before} to {held} (a share of {share})"),
    later("lower the smallest share of {name} from {before} to {after}"),
    later("raise the largest share of {name} from {before} to {after}"),
)
"""What would have to change where no list keeps to every limit (`feasible`)."""

PROMISES = (
    later(
        "Under the stated assumptions (independent marks, spread {sigma}, comparable reviewers) "
        "the proposed list's score is within {loss} of the highest obtainable, with probability "
        "{confidence}. This is about marks, not merit."
    ),
    later("{sigma}, estimated from this round"),
    later("For this objective the stop is a heuristic and proves nothing."),
    later(
        "The rule in force promises no bound on its own; the number above is the most that the "
        "list could still gain under the stated assumptions. This is about marks, not merit."
    ),
    later(
        "The rule {rule} promises no bound on its own; the number above is the most that the "
        "list could still gain under the stated assumptions. This is about marks, not merit."
    ),
    later("The round is still running."),
)
"""What is promised of a list: sentences of the method sheet."""

STEPS = (later("rules"), later("rubrics"), later("applicants"), later("reviewers"))
"""Where a launch is held up (`Step`)."""

UNITS = (later("minutes"), later("hours"), later("reviews"))
"""What a budget counts, where the office uses one of these words."""

MORE = (later("{list} and {n} more"), later("{n} more groups"))
"""How a list ends of which only the beginning is shown."""

BAD_ROW = (
    later("line {line}, column {column}, value {value}"),
    later("line {line}, column {column}"),
    later("line {line}, value {value}"),
    later("line {line}"),
    later("the file, column {column}, value {value}"),
    later("the file, column {column}"),
)
"""Where something is wrong in a file (`BadRow`)."""
