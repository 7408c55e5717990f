"""A mail server that speaks SMTP on loopback and answers as it is told to."""

import socketserver
import threading
from typing import Self


class SmtpServer:
    """Collects what is sent; `refuse` maps a recipient or "DATA" to the answer it gets."""

    def __init__(self, refuse: dict[str, str] | None = None) -> None:
        self.refuse = refuse or {}
        self.mails: list[str] = []
        outer = self

        class Session(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                outer._talk(self)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _talk(self, session: socketserver.StreamRequestHandler) -> None:
        def say(line: str) -> None:
            session.wfile.write(f"{line}\r\n".encode())

        say("220 test")
        while line := session.rfile.readline().decode().strip():
            verb = line.split(" ")[0].upper()
            if verb == "QUIT":
                say("221 bye")
                return
            if verb == "RCPT":
                recipient = line.partition("<")[2].partition(">")[0]
                say(self.refuse.get(recipient, "250 ok"))
            elif verb == "DATA":
                say("354 go on")
                self._take(session)
                say(self.refuse.get("DATA", "250 kept"))
            else:
                say("250 ok")

    def _take(self, session: socketserver.StreamRequestHandler) -> None:
        lines = []
        while (line := session.rfile.readline().decode()) not in {".\r\n", ""}:
            lines.append(line)
        self.mails.append("".join(lines))
