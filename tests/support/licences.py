"""Lists the licence of everything that is installed along with swapflow; `make check` runs it.

Read from what the installed packages say of themselves, so nothing is asked of any server. A
licence that is not among `FINE` ends it with 1: a person has to read it before it may be shipped.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement


EXTRAS = ("cards", "sso", "studies", "traces")

FINE = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "LGPL-3.0-only",  # psycopg, used as it is and not linked into anything
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "MPL-2.0",
    "OFL-1.1",
    "PSF-2.0",
    "Unlicense",
    "Zlib",
}
"""By their SPDX names: each may be used, passed on and sold along with a service."""

SAID = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "New BSD": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "SIL Open Font License 1.1 (OFL-1.1)": "OFL-1.1",
    "The Unlicense (Unlicense)": "Unlicense",
}
"""What older packages say instead of an SPDX name."""


def shipped(name: str, extras: frozenset[str], seen: set[str]) -> Iterator[Distribution]:
    """Walk through what a package needs; what this machine does not need is not installed."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return
    if name.lower() not in seen:
        seen.add(name.lower())
        yield found
    for line in found.requires or ():
        needed = Requirement(line)
        wanted = [{"extra": extra} for extra in ("", *extras)]
        if needed.marker is None or any(map(needed.marker.evaluate, wanted)):
            key = f"{needed.name}[{','.join(sorted(needed.extras))}]".lower()
            if key not in seen:
                seen.add(key)
                yield from shipped(needed.name, frozenset(needed.extras), seen)


def licence_of(package: Distribution) -> str:
    """Return a package's licence as an SPDX expression, or in its own words."""

    def said(field: str) -> list[str]:
        return [str(text) for text in package.metadata.get_all(field) or ()]

    if expression := said("License-Expression"):
        return expression[0]
    classes = [
        one.rpartition("::")[2].strip() for one in said("Classifier") if "License ::" in one
    ]
    if classes:
        return " OR ".join(sorted(SAID.get(one, one) for one in classes))
    words = "\n".join(said("License")).strip() or "says nothing"
    return SAID.get(words, words.splitlines()[0])


def is_fine(expression: str) -> bool:
    """Return whether an expression asks for nothing but what is known to be fine.

    Of alternatives one is enough; of what is joined by AND, all must be.
    """
    return any(
        all(part.strip(" ()") in FINE for part in choice.split(" AND "))
        for choice in re.split(r" OR ", expression)
    )


def main() -> int:
    """Print the list; 1 when something on it is not known to be fine."""
    found = {
        package.metadata["Name"].lower(): licence_of(package)
        for package in shipped("swapflow", frozenset(EXTRAS), set())
    }
    doubtful = {name for name, licence in found.items() if not is_fine(licence)}
    if "--list" in sys.argv or doubtful:
        for name, licence in sorted(found.items()):
            print(f"{'!' if name in doubtful else ' '} {name:32} {licence}")
    if doubtful:
        print(f"read these licences, then name them in {__file__}: {', '.join(sorted(doubtful))}")
        return 1
    print(f"licences: {len(found)} packages, all fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
