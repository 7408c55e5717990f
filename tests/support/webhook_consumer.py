"""A program that is told by webhooks: checks signatures, refuses the first times, keeps a list.

Run as `python -m tests.support.webhook_consumer SECRET_FILE LOG REFUSALS`; prints its port.
Each request becomes a line of LOG: {"id", "event", "number", "duplicate", "valid", "status"}.
"""

import hmac
import json
import sys
import time
from collections import Counter
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


TOLERANCE = 300


def is_genuine(secret: str, header: str, body: bytes) -> bool:
    """Check a signature as the documentation tells consumers to."""
    parts = dict(part.split("=", 1) for part in header.split(","))
    expected = hmac.new(secret.encode(), f"{parts['t']}.".encode() + body, sha256).hexdigest()
    fresh = abs(time.time() - int(parts["t"])) < TOLERANCE
    return fresh and hmac.compare_digest(expected, parts["v1"])


def main() -> None:
    secret_file, log, refusals = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    tries: Counter[str] = Counter()
    taken: set[str] = set()

    class Consumer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            name = self.headers["Swapflow-Id"]
            valid = is_genuine(
                secret_file.read_text().strip(), self.headers["Swapflow-Signature"], body
            )
            tries[name] += 1
            status = 401 if not valid else 500 if tries[name] <= refusals else 204
            said = json.loads(body)
            line = {
                "id": name,
                "event": self.headers["Swapflow-Event"],
                "body": said,
                "duplicate": name in taken,
                "valid": valid,
                "status": status,
            }
            if status == 204:
                taken.add(name)
            with log.open("a") as file:
                file.write(json.dumps(line) + "\n")
            self.send_response(status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            del format, args

    server = HTTPServer(("127.0.0.1", 0), Consumer)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
