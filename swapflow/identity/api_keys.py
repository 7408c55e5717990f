"""API keys: created by a person, shown once, stored as a digest, limited to their scopes."""

import secrets
from collections.abc import Collection
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4

from swapflow.errors import InvalidInputError
from swapflow.identity.account import Account, ApiToken
from swapflow.identity.permissions import SCOPES
from swapflow.identity.ports.identity_store import IdentityStore


PREFIX = "sf_"
"""First characters of every key, so that a search for leaked secrets can find one."""

LONGEST_NAME = 100
MOST_KEYS = 50
"""Most valid keys of one account."""


def make_token(
    account: Account,
    *,
    name: str,
    scopes: Collection[str],
    days: int | None,
    ledger: IdentityStore,
) -> tuple[str, ApiToken]:
    """Create a key for an account; return the key itself, which is stored nowhere.

    Args:
        account: The account, whose permissions limit the key.
        name: What the key is for, in its owner's words.
        scopes: Names of `SCOPES`.
        days: Days of validity; None for ever.
        ledger: The office's record.

    Raises:
        InvalidInputError: If name, scopes or days cannot be used, or there are too many keys.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidInputError("key_name_out_of_range", longest=LONGEST_NAME)
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise InvalidInputError("key_scopes_missing", scopes=SCOPES)
    if days is not None and not 1 <= days <= 3650:  # noqa: PLR2004 - ten years
        raise InvalidInputError("key_days_out_of_range")
    # Expired and revoked keys do not count, so that a full list never locks its owner out.
    now = ledger.now()
    good = [
        token
        for token in ledger.tokens(account.id)
        if token.revoked_at is None and (token.expires_at is None or token.expires_at > now)
    ]
    if len(good) >= MOST_KEYS:
        raise InvalidInputError("too_many_keys", most=MOST_KEYS)
    key = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken(
        id=uuid4().hex,
        account_id=account.id,
        name=name,
        digest=sha256(key.encode()).hexdigest(),
        scopes=tuple(scope for scope in SCOPES if scope in scopes),
        created_at=now,
        expires_at=None if days is None else now + timedelta(days=days),
        last_used_at=None,
        revoked_at=None,
    )
    ledger.add_token(token)
    return key, token


def digest_of(secret: str) -> str:
    """Return what is stored of a secret: its SHA-256."""
    return sha256(secret.encode()).hexdigest()
