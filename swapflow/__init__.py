"""swapflow decides, score by score, whom to review or interview next.

As a library it advises on marks that lie elsewhere: see `Advisor`. Nothing is loaded before it is
used, and no use of these names loads Celery, a database or the web.
"""

from importlib import import_module
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from swapflow.advice.advisor import Advisor
    from swapflow.advice.answers import MarkFigures, Ranked, Request, Standing
    from swapflow.advice.forecast import ExpectedLoss
    from swapflow.advice.kinds import Kind

__all__ = ["Advisor", "ExpectedLoss", "Kind", "MarkFigures", "Ranked", "Request", "Standing"]

_HOMES = {
    "Advisor": "swapflow.advice.advisor",
    "ExpectedLoss": "swapflow.advice.forecast",
    "Kind": "swapflow.advice.kinds",
    "MarkFigures": "swapflow.advice.answers",
    "Ranked": "swapflow.advice.answers",
    "Request": "swapflow.advice.answers",
    "Standing": "swapflow.advice.answers",
}


def __getattr__(name: str) -> object:
    """Load a name of the library when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
