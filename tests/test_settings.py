from pathlib import Path
from typing import Any

import pytest

from swapflow.errors import InvalidInputError
from swapflow.settings import LONGEST_SOCKET_PATH, LogFormat, load_settings, refuse_unsafe


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (
        "DATABASE_URL",
        "REDIS_URL",
        "DATA_DIR",
        "LEASE_SECONDS",
        "LOG_FORMAT",
        "PUBLIC_URL",
    ):
        monkeypatch.delenv(f"SWAPFLOW_{name}", raising=False)


def test_without_any_setting_everything_lies_in_var(tmp_path: Path) -> None:
    settings = load_settings(data_dir="var")

    assert settings.data_dir == tmp_path / "var"
    assert settings.database == f"sqlite:///{tmp_path}/var/swapflow.db"
    assert settings.embedded_redis
    assert settings.redis.startswith("unix:///")


def test_variables_are_read_and_an_empty_one_counts_as_absent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", "rediss://user:pw@redis.example:6380/2")
    monkeypatch.setenv("SWAPFLOW_LEASE_SECONDS", "4")
    monkeypatch.setenv("SWAPFLOW_LOG_FORMAT", "json")
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", "")

    settings = load_settings()

    assert settings.redis == "rediss://user:pw@redis.example:6380/2"
    assert not settings.embedded_redis
    assert (settings.lease_seconds, settings.log_format) == (4.0, LogFormat.JSON)
    assert settings.database.startswith("sqlite:///")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_spelling_of_postgresql_reaches_the_driver_that_is_installed(scheme: str) -> None:
    settings = load_settings(database_url=f"{scheme}://me@db.example/swapflow")

    assert settings.database == "postgresql+psycopg://me@db.example/swapflow"


def test_every_variable_that_cannot_be_used_is_named_without_its_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SWAPFLOW_REDIS_URL", "http://user:geheim@host")
    monkeypatch.setenv("SWAPFLOW_DATABASE_URL", "mysql://user:geheim@host/db")
    monkeypatch.setenv("SWAPFLOW_LEASE_SECONDS", "soon")

    with pytest.raises(InvalidInputError) as caught:
        load_settings()

    message = str(caught.value)
    assert "SWAPFLOW_REDIS_URL: write redis://" in message
    assert "SWAPFLOW_DATABASE_URL: write sqlite:" in message
    assert "SWAPFLOW_LEASE_SECONDS:" in message
    assert "geheim" not in message


@pytest.mark.parametrize("bad", ["redis://", "unix://", "redis://host:port/0", "localhost:6379"])
def test_an_address_that_names_no_place_is_refused(bad: str) -> None:
    with pytest.raises(InvalidInputError, match="SWAPFLOW_REDIS_URL"):
        load_settings(redis_url=bad)


def test_a_deep_data_folder_gets_a_short_socket_that_all_its_processes_agree_on(
    tmp_path: Path,
) -> None:
    deep = tmp_path / ("d" * 90) / ("e" * 90)

    one, two = load_settings(data_dir=deep), load_settings(data_dir=deep)
    other = load_settings(data_dir=deep / "x")

    assert one.redis_socket == two.redis_socket
    assert len(str(one.redis_socket)) <= LONGEST_SOCKET_PATH
    assert other.redis_socket != one.redis_socket


def test_secrets_do_not_show_when_the_settings_are_printed() -> None:
    settings = load_settings(
        redis_url="redis://user:geheim@host",
        smtp_password="geheim",
        database_url="sqlite:///a",
        oidc_client_secret="geheim",
        secret_key="geheim",
    )

    assert "geheim" not in repr(settings)


PROVIDER = {
    "oidc_issuer": "https://login.example.org",
    "oidc_client_id": "swapflow",
    "oidc_client_secret": "made by the provider",
}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"web_host": "0.0.0.0", "public_url": "http://127.0.0.1:8000"},
        {"public_url": "http://127.0.0.1:8000", "database_url": "postgresql://a:swapflow@db/a"},
        {"public_url": "http://localhost:8000"},
        {"public_url": "https://review.example.org"},
        {"public_url": "https://review.example.org", "database_url": "postgresql://a@db/a"},
        {"public_url": "https://review.example.org", "database_url": "postgresql://a:5f3c@db/a"},
        {"public_url": "http://review.lan", "insecure": True},
        {**PROVIDER, "oidc_issuer": "http://127.0.0.1:9000"},
        {**PROVIDER, "public_url": "https://r.example", "secret_key": "k" * 32},
    ],
)
def test_what_is_safe_or_stays_on_one_machine_is_served(settings: dict[str, object]) -> None:
    refuse_unsafe(load_settings(**settings))


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"public_url": "http://review.example.org"}, "SWAPFLOW_INSECURE=1"),
        ({"web_host": "192.168.1.5"}, "https://"),
        ({"web_host": "0.0.0.0"}, "SWAPFLOW_WEB_HOST"),
        (
            {"public_url": "https://r.example", "database_url": "postgresql://a:swapflow@db/a"},
            "SWAPFLOW_DATABASE_URL",
        ),
        (
            {"public_url": "https://r.example", "database_url": "postgresql://a:Postgres@db/a"},
            "openssl rand",
        ),
        (
            {
                "public_url": "http://r.lan",
                "insecure": True,
                "database_url": "postgres://a:admin@d/a",
            },
            "SWAPFLOW_DATABASE_URL",
        ),
        ({**PROVIDER, "oidc_client_id": ""}, "SWAPFLOW_OIDC_CLIENT_ID"),
        ({**PROVIDER, "oidc_client_secret": ""}, "/sign-in/provider/return"),
        ({**PROVIDER, "oidc_issuer": "http://login.example.org"}, "SWAPFLOW_OIDC_ISSUER"),
        ({**PROVIDER, "public_url": "https://r.example"}, "SWAPFLOW_SECRET_KEY"),
        (
            {**PROVIDER, "public_url": "https://r.example", "secret_key": "too short"},
            "openssl rand -hex 24",
        ),
        (
            {**PROVIDER, "public_url": "https://r.example", "oidc_client_secret": "Secret"},
            "SWAPFLOW_OIDC_CLIENT_SECRET",
        ),
    ],
)
def test_unsafe_settings_are_refused_with_the_variable_and_the_cure(
    settings: dict[str, object], named: str
) -> None:
    with pytest.raises(InvalidInputError, match=named):
        refuse_unsafe(load_settings(**settings))


@pytest.mark.parametrize(
    ("settings", "loopback", "plain", "private"),
    [
        ({}, True, True, False),
        ({"public_url": "http://127.0.0.1:8000"}, True, True, False),
        ({"public_url": "https://swapflow.example.org"}, False, False, False),
        ({"web_host": "0.0.0.0"}, False, False, False),
        ({"public_url": "https://127.evil.example"}, False, False, False),
        ({"public_url": "https://a.example", "webhook_private": True}, False, True, True),
    ],
)
def test_webhooks_call_this_machine_only_where_nobody_else_is_served(
    settings: dict[str, Any], loopback: bool, plain: bool, private: bool
) -> None:
    reach = load_settings(**settings).reach
    assert (reach.loopback, reach.plain, reach.private) == (loopback, plain, private)
