"""Behind a real proxy each client is an address of its own, and no client picks another one."""

import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

import httpx2
import pytest
import yaml

from swapflow.errors import InvalidInputError
from swapflow.settings import load_settings, trusted_networks
from tests.deploy.compose import ROOT, SECRETS, compose
from tests.support.encrypted import Authority, new_authority
from tests.support.migrated import new_database
from tests.support.nginx import nginx_before
from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.redis_server import RedisServer
from tests.support.waiting import wait_until


LINKS_AN_HOUR = 30
"""Mailed links that one address may ask for."""

OFFICE, STRANGER, ELSEWHERE = "127.0.0.2", "127.0.0.3", "127.0.0.4"
"""Clients of the proxy: Linux has a whole network of this machine's own addresses."""

BRIDGE = "127.0.0.9"
"""Where a proxy comes from that is not on the web process's own machine."""


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return new_authority(tmp_path / "authority")


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    with RedisServer() as started:
        yield started


@contextmanager
def web(folder: Path, redis: RedisServer, **settings: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Serve pages from a process; yields its port and its environment."""
    redis.flush()
    new_database(folder / "swapflow.db")
    port = free_port()
    environment = {
        "SWAPFLOW_DATA_DIR": str(folder),
        "SWAPFLOW_REDIS_URL": redis.url,
        "SWAPFLOW_WEB_PORT": str(port),
        "SWAPFLOW_WEB_PROCESSES": "1",
        "SWAPFLOW_PUBLIC_URL": "https://review.example.org",
        **settings,
    }
    with Process([sys.executable, "-m", "swapflow.cli.main", "web"], env=environment) as process:
        process.wait_for(
            lambda: "200" in _asked(f"http://127.0.0.1:{port}/health/live"),
            what="the pages are served",
        )
        yield port, environment


def _asked(address: str) -> str:
    try:
        return str(httpx2.get(address, trust_env=False).status_code)
    except httpx2.HTTPError:
        return ""


def client(address: str, authority: Authority, *, at: str) -> httpx2.Client:
    """A browser at an address of its own."""
    context = ssl.create_default_context(cafile=str(authority.root))
    return httpx2.Client(
        base_url=address,
        transport=httpx2.HTTPTransport(verify=context, local_address=at),
        headers={"Sec-Fetch-Site": "same-origin"},
    )


def asks_for_links(browser: httpx2.Client, times: int, **headers: str) -> list[int]:
    """Ask for links, each for another person; gives the statuses."""
    return [
        browser.post(
            "/sign-in/link", data={"email": f"p{number}@example.org"}, headers=headers
        ).status_code
        for number in range(times)
    ]


def test_behind_a_proxy_one_address_uses_up_no_other_ones_tries(
    tmp_path: Path, redis: RedisServer, authority: Authority
) -> None:
    with (
        web(tmp_path, redis) as (port, _),
        nginx_before(port, authority) as address,
        client(address, authority, at=STRANGER) as stranger,
        client(address, authority, at=OFFICE) as office,
    ):
        used_up = asks_for_links(stranger, LINKS_AN_HOUR + 1)

        assert used_up == [200] * LINKS_AN_HOUR + [429]
        assert asks_for_links(office, 1) == [200]


def test_what_a_client_says_of_itself_makes_it_no_other_address(
    tmp_path: Path, redis: RedisServer, authority: Authority
) -> None:
    with (
        web(tmp_path, redis) as (port, _),
        nginx_before(port, authority) as address,
        client(address, authority, at=STRANGER) as stranger,
    ):
        asks_for_links(stranger, LINKS_AN_HOUR)

        for said in (ELSEWHERE, f"{ELSEWHERE}, {OFFICE}", "127.0.0.1", "", "nobody"):
            assert asks_for_links(stranger, 1, **{"X-Forwarded-For": said}) == [429], said


def test_a_proxy_at_another_address_is_believed_when_it_is_named(
    tmp_path: Path, redis: RedisServer, authority: Authority
) -> None:
    with (
        web(tmp_path, redis, SWAPFLOW_TRUSTED_PROXIES=f"127.0.0.1,{BRIDGE}") as (port, _),
        nginx_before(port, authority, comes_from=BRIDGE) as address,
        client(address, authority, at=STRANGER) as stranger,
        client(address, authority, at=OFFICE) as office,
    ):
        asks_for_links(stranger, LINKS_AN_HOUR)

        assert asks_for_links(office, 1) == [200]


def test_doctor_names_a_proxy_that_is_not_trusted(
    tmp_path: Path, redis: RedisServer, authority: Authority
) -> None:
    with (
        web(tmp_path, redis) as (port, environment),
        nginx_before(port, authority, comes_from=BRIDGE) as address,
        client(address, authority, at=OFFICE) as office,
    ):
        assert "! proxy:" not in doctor(environment)
        asks_for_links(office, 1)
        wait_until(lambda: "! proxy:" in doctor(environment), what="the proxy is named")

        assert f"! proxy: {BRIDGE} forwards requests" in doctor(environment)
        assert f"SWAPFLOW_TRUSTED_PROXIES=127.0.0.1,::1,{BRIDGE}" in doctor(environment)


def doctor(environment: dict[str, str]) -> str:
    with Process([sys.executable, "-m", "swapflow.cli.main", "doctor"], env=environment) as asked:
        asked.wait_for(lambda: asked.code is not None, what="doctor has looked")
        return asked.log.read_text()


def test_every_page_comes_through_the_proxy_with_its_scheme_and_host(
    tmp_path: Path, redis: RedisServer, authority: Authority
) -> None:
    with (
        web(tmp_path, redis) as (port, _),
        nginx_before(port, authority) as address,
        client(address, authority, at=OFFICE) as office,
    ):
        page = office.get("/sign-in")
        led = office.get("/sign-in/")

        assert page.status_code == 200
        assert page.headers["strict-transport-security"]
        assert led.headers["location"] == "/sign-in"


# The files


def trusted(text: str, address: str) -> bool:
    return any(ip_address(address) in network for network in trusted_networks(text))


def test_compose_believes_the_gateway_that_requests_of_its_proxy_come_from() -> None:
    read = compose(SECRETS)
    (pool,) = read["networks"]["outside"]["ipam"]["config"]
    environment = read["services"]["web"]["environment"]

    assert "outside" in read["services"]["web"]["networks"]
    assert ip_address(pool["gateway"]) in trusted_networks(pool["subnet"])[0]
    assert trusted(environment["SWAPFLOW_TRUSTED_PROXIES"], pool["gateway"])
    assert not trusted(environment["SWAPFLOW_TRUSTED_PROXIES"], "172.30.92.7"), "a neighbour"


def test_kubernetes_believes_what_comes_from_its_pods() -> None:
    config = yaml.safe_load((ROOT / "deploy" / "kubernetes" / "config.yaml").read_text())
    proxies = config["data"]["SWAPFLOW_TRUSTED_PROXIES"]

    for pod in ("10.244.1.7", "10.42.0.3", "192.168.77.4", "172.20.5.6", "fd00:10:244::5"):
        assert trusted(proxies, pod), pod
    assert not trusted(proxies, "203.0.113.9")


@pytest.mark.parametrize("unit", ["swapflow.service", "swapflow-web.service"])
def test_a_unit_that_serves_pages_believes_the_proxy_on_its_machine(unit: str) -> None:
    lines = (ROOT / "deploy" / "systemd" / unit).read_text().splitlines()
    (proxies,) = [
        line.rpartition("TRUSTED_PROXIES=")[2] for line in lines if "TRUSTED_PROXIES=" in line
    ]

    assert trusted(proxies, "127.0.0.1")
    assert trusted(proxies, "::1")
    assert not trusted(proxies, "127.0.0.2")


@pytest.mark.parametrize("text", ["caddy", "10.0.0.0/99", "127.0.0.1 10.0.0.1", "*.example.org"])
def test_a_proxy_that_could_never_match_is_refused_in_words(text: str) -> None:
    with pytest.raises(InvalidInputError, match="write addresses or networks"):
        load_settings(trusted_proxies=text)


def test_any_proxy_may_be_trusted_where_nobody_else_reaches_the_process() -> None:
    assert load_settings(trusted_proxies="*").trusted_proxies == "*"
