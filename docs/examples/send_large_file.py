"""Sends a large file to swapflow in pieces, and goes on where the link was cut.

    SWAPFLOW_KEY=... python send_large_file.py https://the.address PROGRAM archive.zip [index.csv]

Prints what became of it. Run it again after it was stopped: it asks how much is there and sends
the rest. It needs Python alone.
"""

import hashlib
import http.client
import json
import os
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit


PIECE = 8_000_000
"""Bytes of a piece; at most SWAPFLOW_UPLOAD_MB."""

PATIENCE = 60
"""Tries in a row that bring nothing before it gives up."""


class Refused(Exception):
    """The server said no, and would say so again."""


class Server:
    """The API of one program; each call has a connection of its own."""

    def __init__(self, address: str, program: str, key: str) -> None:
        self.parts = urlsplit(address)
        self.place = f"{self.parts.path.rstrip('/')}/api/v1/cycles/{quote(program)}"
        self.key = key

    def call(self, method: str, path: str, body: bytes = b"", kind: str = "application/json"):
        """Make one call; returns status and what was answered."""
        secure = self.parts.scheme == "https"
        make = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = make(self.parts.hostname, self.parts.port, timeout=120)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": kind}
        try:
            connection.request(method, self.place + path, body=body, headers=headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        finally:
            connection.close()

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "application/json"):
        """Make a call until it is answered; what the server refuses is not tried again."""
        for tried in range(PATIENCE):
            try:
                status, said = self.call(method, path, body, kind)
            except (OSError, http.client.HTTPException):
                time.sleep(min(5, 0.05 * 2**tried))
                continue
            if status < 400:
                return said
            # Busy, or being taken by an earlier call whose answer was lost.
            if status in (429, 503) or said.get("code") == "upload_being_taken":
                time.sleep(min(5, 0.5 * 2**tried))
                continue
            raise Refused(said.get("detail", status))
        raise Refused("no answer")


def send(server: Server, path: Path) -> str:
    """Send one file in pieces; returns the key of the upload."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    said = {"name": path.name, "size": path.stat().st_size, "sha256": digest.hexdigest()}
    upload = server.ask("POST", "/uploads", json.dumps(said).encode())
    place, failed = f"/uploads/{upload['upload']}", 0
    with path.open("rb") as file:
        while not upload["whole"]:
            file.seek(upload["offset"])
            piece = file.read(PIECE)
            try:
                status, said = server.call(
                    "PUT",
                    f"{place}?offset={upload['offset']}",
                    piece,
                    "application/octet-stream",
                )
            except (OSError, http.client.HTTPException):
                status, said = 0, {}
            if status == 200:
                upload, failed = said, 0
                continue
            if status in (401, 403, 404, 413, 422):
                raise Refused(said.get("detail", status))
            # Cut, busy, or a piece that was sent twice: ask where the file stands.
            failed += 1
            if failed > PATIENCE:
                raise Refused("the link is cut too often")
            time.sleep(min(5, 0.05 * 2**failed))
            upload = server.ask("GET", place)
    return upload["upload"]


def main(address: str, program: str, name: str, index: str = "") -> int:
    """Send a file, with its index if there is one, and have it taken."""
    server = Server(address, program, os.environ["SWAPFLOW_KEY"])
    upload = send(server, Path(name))
    beside = f"?index={send(server, Path(index))}" if index else ""
    taken = server.ask("POST", f"/uploads/{upload}/take{beside}")
    print(json.dumps(taken, indent=2))
    return 0 if taken["outcome"] == "taken" else 1


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or not os.environ.get("SWAPFLOW_KEY"):
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except Refused as error:
        sys.exit(f"refused: {error}")
