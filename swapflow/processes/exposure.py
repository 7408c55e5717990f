"""What a deployment lets in or shows that it should not: closed by `up`, told by `doctor`."""

import glob
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from swapflow.domain.cycle import CycleStatus
from swapflow.engine.ports.health_facts import RedisFacts
from swapflow.engine.services import Swapflow
from swapflow.identity.services import Office
from swapflow.settings import Settings


MOST_NAMES = 5
"""Names in one sentence: a list that fits a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """One thing that should be closed, or that was closed and that something still needs.

    Attributes:
        check: What was looked at, in a few words.
        is_fault: Whether something stands still because of it.
    """

    check: str
    says: str
    cure: str
    is_fault: bool = False


def keep_private() -> None:
    """Have whatever this process and its children write be its user's alone."""
    os.umask(0o077)


def close_to_others(settings: Settings) -> list[Path]:
    """Take what lies in the data folder away from every other user of this machine.

    A folder that was there before swapflow may be open to all, and so may what an earlier version
    wrote into it.

    Returns:
        What others can still reach, for it belongs to another user.
    """
    left = []
    for path in _held(settings):
        try:
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & 0o077:
                path.chmod(stat.S_IMODE(mode) & ~0o077)
        except FileNotFoundError:
            continue
        except OSError:
            left.append(path)
    return left


def open_data(settings: Settings) -> Iterator[Exposure]:
    """Name what every user of this machine can read or change in the data folder."""
    database = settings.sqlite_file
    found = [str(path) for path in _reachable(settings.data_dir) if path != database]
    if found:
        yield Exposure(
            check="privacy of the data folder",
            says=f"every user of this machine can get at {listed(found)}",
            cure=f"chmod -R go= {settings.data_dir} (`swapflow up` does so with what is its own)",
        )


def _held(settings: Settings) -> Iterator[Path]:
    """Yield the data folder, what lies below it, and a database and key that lie elsewhere."""
    yield settings.data_dir
    for folder, folders, files in os.walk(settings.data_dir):
        for name in (*folders, *files):
            yield Path(folder, name)
    database = settings.sqlite_file
    if database and database.parent.exists():
        yield from database.parent.glob(f"{glob.escape(database.stem)}.*")
    yield settings.bundle_key_file


def _reachable(place: Path) -> Iterator[Path]:
    """Yield what others can read or change at a place and below; a closed folder closes all."""
    try:
        mode = place.lstat().st_mode
        if stat.S_ISLNK(mode):
            return
        if not stat.S_ISDIR(mode):
            if mode & (stat.S_IROTH | stat.S_IWOTH):
                yield place
            return
        # With the sticky bit, as a shared folder has, nobody changes what is another's.
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            yield place
        inside = sorted(place.iterdir()) if mode & stat.S_IXOTH else []
    except OSError:
        return
    for path in inside:
        yield from _reachable(path)


def refused_rosters(product: Swapflow) -> Iterator[Exposure]:
    """Name the programs on rosters that may not be asked, and so never answer."""
    for cycle in product.cycles.list():
        if cycle.status is CycleStatus.FINALIZED:
            continue
        refused = product.reviewers.refused_programs(cycle.id)
        by_reason: dict[str, list[str]] = {}
        for reviewer, reason in refused.items():
            by_reason.setdefault(reason, []).append(reviewer)
        for reason, reviewers in by_reason.items():
            yield Exposure(
                check=f"programs on the roster of {cycle.id}",
                says=f"{listed(reviewers)}: nothing is asked of them, for {reason}",
                cure="do so, or import the roster again with people or other programs in it",
                is_fault=True,
            )


def groups_unstated(settings: Settings, office: Office) -> Iterator[Exposure]:
    """Tell where groups give roles and the identity provider does not state them."""
    roles, unstated = office.groups.roles(), office.groups.unstated()
    if roles and not settings.provider:
        yield Exposure(
            check="roles by groups",
            says=f"{len(roles)} roles are given by groups, and no identity provider is connected",
            cure="set SWAPFLOW_OIDC_ISSUER, or take them: swapflow groups list",
        )
    elif roles and unstated:
        latest = unstated[0].claim
        yield Exposure(
            check="roles by groups",
            says=f"the provider sent no groups under {settings.oidc_groups!r} at the latest "
            f"sign-in of {len(unstated)} people, last {latest.at:%Y-%m-%d %H:%M} UTC "
            f"({latest.state.value.replace('_', ' ')}); their roles stayed",
            cure="have the provider send the claim: docs/recipes/sign-in-groups.md",
        )


def untrusted_proxy(facts: RedisFacts, settings: Settings) -> Iterator[Exposure]:
    """Tell of a proxy whose clients all count as one, for nobody trusts it."""
    peer = facts.untrusted_proxy
    if peer:
        yield Exposure(
            check="proxy",
            says=f"{peer} forwards requests (X-Forwarded-For) and is not trusted, so all its "
            "clients count as one address, and one of them uses up the tries of all",
            cure=f"if it is yours, SWAPFLOW_TRUSTED_PROXIES={settings.trusted_proxies},{peer}; "
            "if not, a client tries to pass for another address, in vain",
        )


def listed(names: list[str]) -> str:
    """Write names in a line, the first few of many."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
