"""Devices on which an account was signed in before, by a cookie that names them.

A browser that holds it is no stranger that guesses: the tries of strangers shut it out of nothing.
It signs nobody in.
"""

import hmac
import re
import secrets
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256


MOST_ACCOUNTS = 5
"""Accounts that one browser is remembered for: several people may share it."""

LONGEST_COOKIE = 1500
"""Characters that are looked at."""

_MARK = re.compile(r"([0-9a-f]{1,64})\.([0-9a-f]{32})\.([0-9a-f]{64})")


class KnownDevices:
    """Makes and reads the cookie: `account.device.signature`, by tildes.

    Args:
        read_key: Returns what signs them, the same in every web process; asked once.
    """

    def __init__(self, read_key: Callable[[], bytes]) -> None:
        self._read_key = read_key

    @cached_property
    def _key(self) -> bytes:
        return self._read_key()

    def device_of(self, cookie: str, account_id: str) -> str:
        """Return what names this device of an account; "" where it was never signed in."""
        return dict(self._read(cookie)).get(account_id, "")

    def remember(self, cookie: str, account_id: str) -> str:
        """Return the cookie of a device on which an account has just signed in."""
        known = dict(self._read(cookie))
        device = known.pop(account_id, "") or secrets.token_hex(16)
        marks = [(account_id, device), *known.items()][:MOST_ACCOUNTS]
        return "~".join(f"{who}.{which}.{self._sign(who, which)}" for who, which in marks)

    def _read(self, cookie: str) -> list[tuple[str, str]]:
        found = []
        for text in cookie[:LONGEST_COOKIE].split("~")[:MOST_ACCOUNTS]:
            mark = _MARK.fullmatch(text)
            if mark and hmac.compare_digest(mark[3], self._sign(mark[1], mark[2])):
                found.append((mark[1], mark[2]))
        return found

    def _sign(self, account_id: str, device: str) -> str:
        # Named by its purpose: the key may sign other things, which must not pass for this one.
        told = f"swapflow device|{account_id}|{device}"
        return hmac.new(self._key, told.encode(), sha256).hexdigest()
