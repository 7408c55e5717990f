"""What every page is handed: the product, the office, the settings."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from swapflow.engine.services import Swapflow
from swapflow.identity.permissions import Scope
from swapflow.identity.services import Office
from swapflow.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class AppContext:
    """The app context that one web process serves from; it hangs on the application."""

    product: Swapflow
    office: Office
    settings: Settings


def app_context(request: Request) -> AppContext:
    """Return the app context that a request is served from."""
    app = request.app.state.app
    assert isinstance(app, AppContext)
    return app


def known_places(product: Swapflow, office: Office) -> Mapping[Scope, Collection[str]]:
    """Return the ids of all places that a role may reach, by what kind of place they are."""
    return {
        Scope.OFFICE: {""},
        Scope.ROUND: {one.id for one in product.cycles.rounds()},
        Scope.UNIT: office.units.all().units.keys(),
        Scope.CYCLE: {one.id for one in product.cycles.list()},
    }


# Coroutines, though they wait for nothing: a plain function would be handed to another thread,
# which costs more than all that they do.


async def _product(request: Request) -> Swapflow:
    return app_context(request).product


async def _office(request: Request) -> Office:
    return app_context(request).office


async def _settings(request: Request) -> Settings:
    return app_context(request).settings


Product = Annotated[Swapflow, Depends(_product)]
TheOffice = Annotated[Office, Depends(_office)]
TheSettings = Annotated[Settings, Depends(_settings)]
