"""The routes of an application, as its own table has them."""

import re
from collections.abc import Collection, Iterator
from itertools import product
from typing import Any

from starlette.routing import Mount

from tests.web.site import Site


ENDLESS = {"GET /today/{cycle_id}/events"}
"""A stream, which never ends for a person who may see it."""


def routes_of(routes: list[Any]) -> Iterator[Any]:
    """Iterate over the routes of an application, those of included routers too."""
    for route in routes:
        if hasattr(route, "effective_candidates"):
            yield from routes_of(route.effective_candidates())
        elif not isinstance(route, Mount):
            yield route


ELSEWHERE = {"POST /sign-out", "POST /me/devices/end"}
"""They end the session that walks."""

FORMS = ("html", "json", "pdf", "zip")
FILES = ("all.zip", "cohort.csv", "scores.csv", "record.json")


def addresses(
    site: Site, methods: set[str], *, tasks: Collection[str], numbers: Collection[int], **ids: str
) -> Iterator[tuple[str, str, str]]:
    """Yield method, route and address of every route about the program `fall`.

    Args:
        site: Its application's table names the routes.
        methods: Of these.
        tasks: Codes of tasks, for routes with one.
        numbers: Of applicants and others, for routes with one.
        ids: What else stands in addresses, by its name in the route.
    """
    mails = site.product.outbox.mails("fall", at_most=1)
    known = {"cycle_id": "fall", "kind": "review", "version": "1", "position": "0", **ids}
    known |= {"mail_id": mails[0].mail.id if mails else "0"}
    several: dict[str, Collection[str]] = {
        "task": tasks,
        "number": [str(number) for number in numbers],
        "application": [str(number) for number in numbers],
        "form": FORMS,
        "name": FILES,
    }
    for route in routes_of(site.app.routes):
        places = re.findall(r"{(\w+)}", route.path_format)
        for method in sorted(route.methods & methods):
            named = f"{method} {route.path_format}"
            if named in ELSEWHERE | ENDLESS or "/sign-in" in named:
                continue
            choices = [several.get(place, [known.get(place, "0")]) for place in places]
            for chosen in product(*choices):
                filled = dict(zip(places, chosen, strict=True))
                yield method, named, route.path_format.format(**filled)
