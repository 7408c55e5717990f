"""A deployment that sends its mails to a server which keeps them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_string
from email.policy import default
from pathlib import Path

from playwright.sync_api import Browser

from swapflow.bootstrap import assemble
from swapflow.processes.deployment import running
from swapflow.settings import SmtpSecurity, load_settings
from tests.browser.office import Deployment
from tests.support.ports import free_port
from tests.support.smtp_server import SmtpServer
from tests.support.waiting import wait_until


@dataclass
class Mailed:
    """A deployment with a mail server that keeps what it is given."""

    up: Deployment
    server: SmtpServer

    def texts(self, to: str) -> list[str]:
        """The words of every mail to an address, oldest first."""
        found = []
        for raw in self.server.mails:
            mail = message_from_string(raw, policy=default)
            part = mail.get_body(("plain",))
            if str(mail["To"]) == to and part is not None:
                found.append(str(part.get_content()))
        return found

    def wait_for(self, to: str, count: int = 1) -> list[str]:
        """Wait for mails to an address, and give all of them."""
        wait_until(lambda: len(self.texts(to)) >= count, what=f"{count} mails to {to}")
        return self.texts(to)


@contextmanager
def mailing(data: Path, browser: Browser, **more: str) -> Iterator[Mailed]:
    """Run `swapflow up` on a folder, with a mail server beside it, until the block ends.

    Args:
        data: Its data folder.
        browser: What its people open pages in.
        more: Further settings by their names, such as `drop_folder`.
    """
    with SmtpServer() as server:
        port = free_port()
        settings = load_settings(
            data_dir=data,
            web_port=port,
            database_url=None,
            redis_url=None,
            office_name="Graduate Admissions",
            mail_from="Graduate Admissions <admissions@example.edu>",
            smtp_host="127.0.0.1",
            smtp_port=server.port,
            smtp_security=SmtpSecurity.NONE,
            **more,
        )
        with running(
            settings,
            SWAPFLOW_WEB_PORT=str(port),
            SWAPFLOW_OFFICE_NAME=settings.office_name,
            SWAPFLOW_MAIL_FROM=settings.mail_from,
            SWAPFLOW_SMTP_HOST="127.0.0.1",
            SWAPFLOW_SMTP_PORT=str(server.port),
            SWAPFLOW_SMTP_SECURITY="none",
            **{f"SWAPFLOW_{name.upper()}": value for name, value in more.items()},
        ):
            product, office = assemble(settings)
            up = Deployment(settings=settings, product=product, office=office, browser=browser)
            yield Mailed(up, server)
            assert up.strayed == [], "a page asked another host"
