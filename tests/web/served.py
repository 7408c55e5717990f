"""A site whose pages a process of its own serves, with an identity provider beside it."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2

from swapflow.settings import load_settings
from tests.support.identity_provider import PASSWORD, IdentityProvider
from tests.support.migrated import new_database
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.waiting import CAP
from tests.web.site import Site


@dataclass
class Served:
    """A site whose pages a process of its own serves, with a provider connected."""

    site: Site
    address: str
    process: Process
    there: IdentityProvider
    browsers: "list[Browser]" = field(default_factory=list)

    def browser(self) -> "Browser":
        """A browser at a network address of its own."""
        self.browsers.append(Browser(self, f"10.0.0.{len(self.browsers) + 1}"))
        return self.browsers[-1]

    def audit(self, who: str) -> list[tuple[str, str]]:
        """What the audit log says of a person, newest first."""
        lines = self.site.ledger.office().audit(at_most=500)
        return [(entry.what, entry.detail) for _, entry in lines if entry.who == who]


class Browser:
    """Follows nothing by itself, keeps cookies by their path, says where requests come from."""

    def __init__(self, served: Served, client: str) -> None:
        self.http = httpx2.Client(
            base_url=served.address,
            headers={"X-Forwarded-For": client},
            trust_env=False,
            # The first visit to the provider loads its library: seconds on a busy machine.
            timeout=CAP,
        )

    def get(self, path: str) -> httpx2.Response:
        return self.http.get(path, headers={"Sec-Fetch-Site": "same-origin"})

    def goes(self, path: str = "/inbox", **more: str) -> str:
        """Press the button; gives the provider's address that it leads to."""
        sent = self.get(f"/sign-in/provider?{urlencode({'next': path, **more})}")
        assert sent.status_code == 302, sent.text
        return sent.headers["location"]

    def logs_in(self, address: str, login: str, *, answer: str = "yes") -> str:
        """Fill in the provider's form; gives the address that it leads back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        form = {**asked, "login": login, "password": PASSWORD, "answer": answer}
        answered = httpx2.post(address.partition("?")[0], data=form, trust_env=False)
        assert answered.status_code == 303, answered.text
        return answered.headers["location"]

    def comes_back(self, address: str) -> httpx2.Response:
        return self.http.get(address, headers={"Sec-Fetch-Site": "cross-site"})

    def signs_in(self, login: str, path: str = "/inbox") -> httpx2.Response:
        """All three at once."""
        return self.comes_back(self.logs_in(self.goes(path), login))

    def who(self) -> str:
        found = re.search(
            r'class="menu me">\s*<summary aria-label="([^"]*)"', self.get("/me").text
        )
        return unescape(found[1]) if found else ""


@contextmanager
def serving(folder: Path, there: IdentityProvider) -> Iterator[Served]:
    """Serve a site from a process of its own; the browsers are closed with it."""
    database = folder / "swapflow.db"
    new_database(database)
    port = free_port()
    environment = {
        "SWAPFLOW_DATA_DIR": str(folder),
        "SWAPFLOW_DATABASE_URL": f"sqlite:///{database}",
        "SWAPFLOW_REDIS_URL": f"unix://{folder}/nobody.sock",
        "SWAPFLOW_WEB_PORT": str(port),
        "SWAPFLOW_PUBLIC_URL": f"http://127.0.0.1:{port}",
        **there.settings,
    }
    address = f"http://127.0.0.1:{port}"
    site = Site(database, settings=load_settings(data_dir=folder, public_url=address))
    argv = [sys.executable, "-m", "swapflow.cli.main", "web"]
    with Process(argv, env=environment) as process:
        process.wait_for(lambda: _answers(address), what="the pages are served")
        served = Served(site=site, address=address, process=process, there=there)
        try:
            yield served
        finally:
            for browser in served.browsers:
                browser.http.close()
    site.ledger.dispose()


def _answers(address: str) -> bool:
    try:
        return httpx2.get(f"{address}/health/live", trust_env=False).status_code == 200
    except httpx2.HTTPError:
        return False
