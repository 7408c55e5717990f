"""The office's own key: it signs bundles, so that others can tell whose they are."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from swapflow.errors import InvalidInputError


ALGORITHM = "Ed25519"
KEY_DIGITS = 64
SIGNATURE_DIGITS = 128


@dataclass(frozen=True, slots=True)
class Signer:
    """What signs in an office's name: Ed25519, by which the same text has one signature."""

    _private: Ed25519PrivateKey

    @property
    def public(self) -> str:
        """The public key as 64 hexadecimal digits: what the office tells everyone."""
        raw = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return raw.hex()

    def sign(self, text: bytes) -> str:
        """Sign some bytes; returns 128 hexadecimal digits."""
        return self._private.sign(text).hex()


def signer_from(path: Path) -> Signer:
    """Read the office's key, and make one if there is none yet.

    Of several processes that make one at once, all use the one that was there first.

    Raises:
        InvalidInputError: If the file is no Ed25519 key in PEM, or cannot be read or made.
    """
    try:
        if not path.exists():
            _make(path)
        private = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise InvalidInputError(
            "signing_key_unreadable", path=path, problem=error.strerror
        ) from error
    except (ValueError, TypeError) as error:
        raise InvalidInputError("signing_key_not_pem", path=path) from error
    if not isinstance(private, Ed25519PrivateKey):
        raise InvalidInputError("signing_key_not_ed25519", path=path)
    return Signer(private)


def is_signed(text: bytes, *, signature: str, key: str) -> bool:
    """Whether a signature fits a text and a public key, both in hexadecimal digits."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True


def _make(path: Path) -> None:
    """Write a new key that nobody else may read, unless another process was faster."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    pem = Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".key-")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(name, path)
        except FileExistsError:
            return
    finally:
        Path(name).unlink()
