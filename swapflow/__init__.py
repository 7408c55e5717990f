"""swapflow decides, score by score, whom to review or interview next.

As a library it advises on marks that lie elsewhere: see `Advisor`. Nothing is loaded before it is
used, and no use of these names loads Celery, a database or the web.
"""

from importlib import import_module
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from swapflow.advice.advisor import Advisor
    from swapflow.advice.answers import ListStanding, MarkFigures, Ranked, Request
    from swapflow.advice.forecast import ExpectedLoss
    from swapflow.advice.kinds import ReviewKind as Kind

__all__ = ["Advisor", "ExpectedLoss", "Kind", "ListStanding", "MarkFigures", "Ranked", "Request"]

_HOMES = {
    "Advisor": "swapflow.advice.advisor",
    "ExpectedLoss": "swapflow.advice.forecast",
    "Kind": "swapflow.advice.kinds",
    "MarkFigures": "swapflow.advice.answers",
    "Ranked": "swapflow.advice.answers",
    "Request": "swapflow.advice.answers",
    "ListStanding": "swapflow.advice.answers",
}


_OTHERWISE = {"Kind": "ReviewKind"}
"""Names that are shorter here than at home, where another class has the short one."""


def __getattr__(name: str) -> object:
    """Load a name of the library when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), _OTHERWISE.get(name, name))


def __dir__() -> list[str]:
    return sorted(__all__)
