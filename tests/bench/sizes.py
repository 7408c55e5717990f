"""`make sizes`: what an installation is made of, into var/sizes.json.

Counts the files that each package's own list names, without the byte code that Python makes.
"""

import json
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


OUT = Path("var/sizes.json")
EXTRAS = ("cards", "sso", "traces", "studies")
SHOWN = 12
MB = 1_000_000


def main() -> None:
    """Print the base install by package, and what each extra adds."""
    base = needed("swapflow", ())
    sizes = {name: size_mb(distribution(name)) for name in base if name != "swapflow"}
    total = sum(sizes.values())
    print(f"base install: {len(sizes)} packages, {total:.0f} MB beside swapflow itself")
    for name in sorted(sizes, key=lambda one: -sizes[one])[:SHOWN]:
        print(f"  {sizes[name]:6.1f} MB  {name}")
    added = {
        extra: sum(size_mb(distribution(name)) for name in needed("swapflow", (extra,)) - base)
        for extra in EXTRAS
    }
    for extra, size in added.items():
        print(f"swapflow[{extra}] adds {size:.0f} MB")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    figures = {"base_mb": total, "packages": sizes, "extras_mb": added}
    OUT.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"written to {OUT}")


def needed(name: str, extras: Iterable[str]) -> set[str]:
    """Return the packages that are installed for one, itself included."""
    found: set[str] = set()
    waiting = [(name, tuple(extras))]
    while waiting:
        one, wanted = waiting.pop()
        try:
            lines = distribution(one).requires or []
        except PackageNotFoundError:  # for another system or Python than this one
            continue
        found.add(canonicalize_name(one))
        for line in lines:
            requirement = Requirement(line)
            marker = requirement.marker
            here = marker is None or any(
                marker.evaluate({"extra": extra}) for extra in (*wanted, "")
            )
            if here and (canonicalize_name(requirement.name) not in found or requirement.extras):
                found.add(canonicalize_name(requirement.name))
                waiting.append((requirement.name, tuple(requirement.extras)))
    return {one for one in found if _is_there(one)}


def size_mb(package: Distribution) -> float:
    """Return how large a package's files are, in MB."""
    files = (Path(str(file.locate())) for file in package.files or () if file.suffix != ".pyc")
    return sum(file.stat().st_size for file in files if file.is_file()) / MB


def _is_there(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    main()
