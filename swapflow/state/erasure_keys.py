"""The keys in the data folder with which erased people are remembered, one for each round."""

from pathlib import Path

from typing_extensions import override

from swapflow.engine.ports.erased_people import ErasureKeys
from swapflow.errors import UnavailableError
from swapflow.state.key_files import make_key, read_key


class ErasureKeysInFiles(ErasureKeys):
    """One file a round, in one folder."""

    def __init__(self, folder: Path) -> None:
        """Use a folder; it is made when the first person is erased."""
        self._folder = folder

    @override
    def find(self, round_id: str) -> bytes | None:
        try:
            return read_key(self._path(round_id))
        except OSError:
            # As without one: the list is read, and says whom it could not recognise.
            return None

    @override
    def make(self, round_id: str) -> bytes:
        path = self._path(round_id)
        try:
            if not path.exists():
                make_key(path)
            key = read_key(path)
        except OSError as error:
            raise UnavailableError(
                "erasure_key_unusable", path=path, problem=error.strerror
            ) from error
        if key is None:
            raise UnavailableError("erasure_key_unusable", path=path, problem="it is no key")
        return key

    @override
    def forget(self, round_id: str) -> None:
        try:
            self._path(round_id).unlink(missing_ok=True)
        except OSError as error:
            raise UnavailableError(
                "erasure_key_stays", path=self._path(round_id), problem=error.strerror
            ) from error

    def _path(self, round_id: str) -> Path:
        return self._folder / f"{round_id}.key"
