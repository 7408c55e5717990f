"""The site's own files, served from memory: no request for one waits for a thread."""

from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope
from typing_extensions import override


class StaticFilesInMemory(StaticFiles):
    """Files whose addresses change with their content, so that browsers may keep them.

    The framework looks each one up, and reads it, in the threads that work on pages: while these
    wait for a database, a page that is there would stand without its style.
    """

    def __init__(self, *, directory: Path) -> None:
        """Take the folder, whose files do not change while the process lives."""
        super().__init__(directory=directory)
        self.config_checked = True  # else the first request asks for the folder in a thread
        self._folder = directory
        self._names = frozenset(
            file.relative_to(directory).as_posix()
            for file in directory.rglob("*")
            if file.is_file()
        )
        self._known: dict[str, tuple[bytes, str]] = {}

    @override
    async def get_response(self, path: str, scope: Scope) -> Response:
        if scope["method"] not in {"GET", "HEAD"}:
            raise HTTPException(status_code=405, headers={"Allow": "GET, HEAD"})
        if path not in self._names:
            raise HTTPException(status_code=404)
        body, etag = self._read(path)
        response = Response(body, media_type=guess_type(path)[0] or "application/octet-stream")
        response.headers["ETag"] = etag
        kept = b"v=" in scope.get("query_string", b"")
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if kept else "public, max-age=300"
        )
        wanted = dict(scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
        if etag in (tag.strip().removeprefix("W/") for tag in wanted.split(",")):
            return NotModifiedResponse(response.headers)
        return response

    def _read(self, path: str) -> tuple[bytes, str]:
        """Return a file's bytes and its tag, read when it is first asked for."""
        if path not in self._known:
            body = (self._folder / path).read_bytes()
            self._known[path] = body, f'"{sha256(body).hexdigest()[:32]}"'
        return self._known[path]
