"""Which routes of a program a reviewer with another role may use until asking ends.

What stands in none of these tables is closed to a person with a seat on the program's roster: a
new route shows nothing of applicants before its door is chosen. Routes without a program in their
address, and those of one's own reviews, do not ask here.
"""

from enum import Enum


class Door(Enum):
    """What a route lets a reviewer with another role see.

    FREE: It shows nothing of applicants.
    LISTED: It shows applicants, and leaves out itself whom they may not see.
    SEEN: It is about one applicant, whom they may see.
    NAMED: It tells who one applicant is.
    CLOSED: Whatever is not named here: it shows applicants as a whole.
    """

    FREE = "free"
    LISTED = "listed"
    SEEN = "seen"
    NAMED = "named"
    CLOSED = "closed"


_PAGES: dict[Door, tuple[str, ...]] = {
    Door.FREE: (
        "GET /setup/{cycle_id}",
        "GET /setup/{cycle_id}/unit",
        "POST /setup/{cycle_id}/unit",
        "GET /setup/{cycle_id}/questions",
        "POST /setup/{cycle_id}/questions",
        "POST /setup/{cycle_id}/questions/forecast",
        "GET /setup/{cycle_id}/rules.toml",
        "GET /setup/{cycle_id}/rubrics",
        "GET /setup/{cycle_id}/copies",
        "POST /setup/{cycle_id}/copies/practice",
        "POST /setup/{cycle_id}/copies/next-year",
        "POST /setup/{cycle_id}/automatic-reviews",
        "POST /setup/{cycle_id}/throw-away",
        "GET /setup/{cycle_id}/practice",
        "POST /setup/{cycle_id}/practice",
        "POST /setup/{cycle_id}/practice/{file}/notes",
        "GET /setup/{cycle_id}/rubrics/{kind}",
        "GET /setup/{cycle_id}/reviewers",
        "GET /today/{cycle_id}/events",
        "GET /today/{cycle_id}/data",
        "GET /today/{cycle_id}/data.csv",
        "POST /today/{cycle_id}/reserve",
        "POST /today/{cycle_id}/mail/{mail_id}/again",
        "POST /today/{cycle_id}/mail/{mail_id}/settled",
        "GET /reviewers/{cycle_id}",
        "POST /applicants/{cycle_id}/{number}/open",
    ),
    Door.LISTED: (
        "GET /setup/{cycle_id}/rules",
        "POST /setup/{cycle_id}/rules",
        "POST /setup/{cycle_id}/rules/file",
        "POST /setup/{cycle_id}/rubrics/{kind}",
        "GET /setup/{cycle_id}/launch",
        "POST /setup/{cycle_id}/launch",
        "GET /today/{cycle_id}",
        "GET /today/{cycle_id}/mail",
        "POST /today/{cycle_id}/mail/again",
        "GET /today/{cycle_id}/waiting",
        "GET /today/{cycle_id}/evidence",
        "GET /today/{cycle_id}/activity",
        "POST /today/{cycle_id}/undo/{number}",
        "POST /today/{cycle_id}/remind",
        "POST /today/{cycle_id}/requests",
        "POST /today/{cycle_id}/{what}",
        "GET /applicants/{cycle_id}",
        "GET /applicants/{cycle_id}/table.csv",
        "POST /applicants/{cycle_id}/ticked",
        "GET /applicants/{cycle_id}/{number}",
        "GET /reviewers/{cycle_id}/{number}",
        "POST /reviewers/{cycle_id}/{number}/erase",
        "POST /reviewers/{cycle_id}/{number}/void",
        "POST /reviewers/{cycle_id}/{number}/reviews/void",
        "POST /reviewers/{cycle_id}/{number}/reviews/restore",
        "POST /reviewers/{cycle_id}/{number}/reviews/lift",
        "POST /reviewers/{cycle_id}/{number}/{what}",
    ),
    Door.SEEN: (
        "POST /applicants/{cycle_id}/{number}/status",
        "POST /applicants/{cycle_id}/{number}/ask",
        "POST /applicants/{cycle_id}/{number}/ask/undo",
        "POST /applicants/{cycle_id}/{number}/pin",
        "POST /applicants/{cycle_id}/{number}/conflict",
        "POST /applicants/{cycle_id}/{number}/conflict/remove",
        "POST /applicants/{cycle_id}/{number}/conflict/waive",
    ),
    Door.NAMED: (
        "POST /applicants/{cycle_id}/{number}/contact",
        "POST /applicants/{cycle_id}/{number}/erase",
        "POST /applicants/{cycle_id}/{number}/personal-data",
        "GET /applicants/{cycle_id}/files/{application}/{position}",
        "GET /applicants/{cycle_id}/{number}/card/{form}",
    ),
}

_CYCLE = "/cycles/{cycle_id}"  # as the router of the API has it, without its prefix

_API: dict[Door, tuple[str, ...]] = {
    Door.FREE: (
        f"GET {_CYCLE}",
        f"GET {_CYCLE}/unit",
        f"PUT {_CYCLE}/unit",
        f"GET {_CYCLE}/rules",
        f"POST {_CYCLE}/practice-programs",
        f"POST {_CYCLE}/automatic-reviews",
        f"POST {_CYCLE}/throw-away",
        f"POST {_CYCLE}/next-year",
        f"GET {_CYCLE}/practice",
        f"POST {_CYCLE}/practice",
        f"POST {_CYCLE}/practice/{{file}}/notes",
        f"POST {_CYCLE}/extension",
        f"POST {_CYCLE}/pause",
        f"POST {_CYCLE}/resume",
        f"POST {_CYCLE}/stop",
        f"GET {_CYCLE}/reviewers",
        f"POST {_CYCLE}/reviewers",
        f"GET {_CYCLE}/reviewers/{{number}}",
        f"DELETE {_CYCLE}/reviewers/{{number}}",
        f"POST {_CYCLE}/reviewers/{{number}}/absences",
        f"POST {_CYCLE}/reviewers/{{number}}/absences/remove",
        f"POST {_CYCLE}/reviewers/{{number}}/nudge",
        f"POST {_CYCLE}/reviewers/{{number}}/release",
        f"POST {_CYCLE}/reviewers/{{number}}/return",
        f"POST {_CYCLE}/reviewers/{{number}}/take-back",
        f"POST {_CYCLE}/conflicts",
        f"POST {_CYCLE}/conflicts/remove",
        f"POST {_CYCLE}/bars/lift",
        f"PUT {_CYCLE}/panels",
        f"POST {_CYCLE}/mails/again",
        f"POST {_CYCLE}/mails/{{mail_id}}/again",
        f"POST {_CYCLE}/mails/{{mail_id}}/settled",
        f"POST {_CYCLE}/applicants/{{number}}/opening",
    ),
    Door.LISTED: (
        f"GET {_CYCLE}/launch-preview",
        f"POST {_CYCLE}/launch",
        f"PUT {_CYCLE}/rules",
        f"GET {_CYCLE}/progress",
        f"GET {_CYCLE}/mails",
        f"GET {_CYCLE}/promises",
        f"POST {_CYCLE}/reserve",
        f"GET {_CYCLE}/applicants",
        f"GET {_CYCLE}/applicants/{{number}}",
        f"GET {_CYCLE}/scores",
    ),
    Door.SEEN: (
        f"POST {_CYCLE}/applicants/{{number}}/requests",
        f"PUT {_CYCLE}/applicants/{{number}}/pin",
    ),
    Door.NAMED: (
        f"GET {_CYCLE}/applicants/{{number}}/explanation",
        f"POST {_CYCLE}/applicants/{{number}}/status",
        f"POST {_CYCLE}/applicants/{{number}}/contact",
        f"DELETE {_CYCLE}/applicants/{{number}}",
        f"GET {_CYCLE}/applicants/{{number}}/documents",
        f"GET {_CYCLE}/applicants/{{number}}/documents/{{position}}",
        f"GET {_CYCLE}/applicants/{{number}}/card/{{form}}",
        f"GET {_CYCLE}/applicants/{{number}}/personal-data/{{form}}",
    ),
}

DOORS: dict[str, Door] = {
    route: door for table in (_PAGES, _API) for door, routes in table.items() for route in routes
}
"""The door of each route that is not closed, as "METHOD /path"."""


def door_of(method: str, path: str) -> Door:
    """Return the door of a route, by its path as the application's table of routes has it."""
    return DOORS.get(f"{method} {path}", Door.CLOSED)
