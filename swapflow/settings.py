"""What differs between deployments, read from SWAPFLOW_* environment variables.

How a cycle runs (rules, budget, deadlines) is data in the ledger and never a setting: a redeploy
must not change a running round.
"""

import hashlib
import os
import tempfile
from enum import StrEnum
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import SettingsConfigDict

from swapflow.errors import InvalidInputError
from swapflow.exchange_settings import ExchangeSettings
from swapflow.i18n.languages import SOURCE, language_named
from swapflow.identity.reach import Reach
from swapflow.server_addresses import known_database, known_redis


DEFAULT_PASSWORDS = frozenset(
    {"", "swapflow", "postgres", "password", "secret", "change-me", "changeme", "admin"}
)
"""Passwords of databases that occur in examples."""

SHORTEST_KEY = 32
"""Characters of a key that signs cookies: `openssl rand -hex 24` makes 48."""

Network = IPv4Network | IPv6Network

LONGEST_SOCKET_PATH = 100
"""Bytes of a Unix socket's path: Linux takes 107, macOS 103."""

Seconds = Annotated[float, Field(gt=0, le=86_400 * 7)]


class LogFormat(StrEnum):
    """How log lines are written."""

    CONSOLE = "console"
    JSON = "json"


class SmtpSecurity(StrEnum):
    """How the connection to the mail server is encrypted."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


class Settings(ExchangeSettings):
    """One deployment; read it with `load_settings`.

    Attributes:
        data_dir: Folder for whatever this machine keeps: SQLite, embedded Redis, logs, locks.
        database_url: SQLite or PostgreSQL; a SQLite file in the data folder when not set.
        redis_url: Redis or Valkey, or its sentinels; one started by `swapflow up` when not set.
        redis_bin: Server binary to start instead of the one that comes with the package.
        bundle_key: File of the key that signs bundles; in the data folder when not set.
        fonts: Folders of fonts for PDF beside those of the system, by colons.
        automatic_folder: Folder of known or recorded marks that a roster may name for a program
            that answers; without it only those named at this machine's command line.
        lease_seconds: Life of a coordinator's lease: the time others need to take over.
        move_seconds: Time that a coordinator keeps a program before it gives it to another one.
        resend_seconds: Age at which a broker message without effect is sent again.
        visibility_timeout: Seconds until a dead worker's message goes on; more than any task.
        worker_concurrency: Tasks that one worker runs at the same time.
        web_host: Address that the web process listens on.
        web_port: Port that it listens on.
        web_processes: Processes that serve it; one processor core each is enough.
        trusted_proxies: Addresses and networks of proxies, by commas, whose word is believed about
            who a request comes from; `*` for any, where nobody else reaches the web process.
        upload_mb: Largest file that the web process takes, in MB.
        try_spreadsheet: Whether visitors who are not signed in may try advice on a spreadsheet.
        public_url: Address under which people reach swapflow, in mails too; else our own.
        insecure: Serve other machines without TLS too: a listener reads all and can be anybody.
        oidc_issuer: Address of an OpenID Connect provider through which people sign in; what it
            offers is read from `/.well-known/openid-configuration` below it.
        oidc_client_id: Name under which the provider knows this deployment.
        oidc_client_secret: What proves to the provider that this deployment is the one.
        oidc_name: What the button on the sign-in page calls the provider.
        secret_key: Signs the cookie that a browser carries to the provider and back, and the one
            by which a device is recognised that signed in before; the same in every web process.
            When not set, the first is signed by a key that the process makes up, while nobody else
            is served, and the second by one in the data folder.
        language: What pages and mails are written in where nobody's choice is known, such as "de".
        office_name: The office's name in mails and to applicants; the sender's when not set.
        mail_from: Sender of mails; without `smtp_host` mails wait in the ledger.
        smtp_timeout: Seconds that the mail server may take for an answer.
        dkim_selector: Name of the key by which the mail server signs, for `swapflow doctor mail`.
        dns_server: Resolver that it asks about the sender's domain; else this machine's.
        digest_hour: Hour from which staff get the day's mail about what waits; -1 for none.
        metrics_port: Port of the figures for Prometheus, open to all who ask; 0 for none.
        metrics_host: Address that it listens on for that.
        undo_minutes: Minutes in which an approval, reminder or date can be undone; 0 for none.
        webhook_private: Addresses that people enter may lead into private networks, and to http.
    """

    model_config = SettingsConfigDict(
        env_prefix="SWAPFLOW_", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    data_dir: Path = Path("var")
    database_url: str | None = Field(default=None, repr=False)
    redis_url: str | None = Field(default=None, repr=False)
    redis_bin: Path | None = None
    bundle_key: Path | None = None
    fonts: str = ""
    automatic_folder: Path | None = None

    lease_seconds: Seconds = 15.0
    move_seconds: Seconds = 60.0
    resend_seconds: Seconds = 600.0
    visibility_timeout: Seconds = 300.0
    worker_concurrency: int = Field(default=4, ge=1, le=64)

    web_host: str = "127.0.0.1"
    web_port: int = Field(default=8000, ge=0, le=65_535)
    web_processes: int = Field(default=2, ge=1, le=64)
    trusted_proxies: str = "127.0.0.1,::1"
    upload_mb: int = Field(default=20, ge=1, le=500)
    try_spreadsheet: bool = False

    public_url: str = ""
    insecure: bool = False

    oidc_issuer: str = ""
    oidc_client_id: str = ""
    oidc_client_secret: SecretStr | None = None
    oidc_name: str = Field(default="your organisation", min_length=1, max_length=60)
    secret_key: SecretStr | None = None

    language: str = SOURCE

    office_name: str = Field(default="", max_length=100)
    mail_from: str = "swapflow@localhost"
    smtp_host: str | None = None
    smtp_port: int = Field(default=587, ge=1, le=65_535)
    smtp_security: SmtpSecurity = SmtpSecurity.STARTTLS
    smtp_user: str | None = None
    smtp_password: SecretStr | None = None
    smtp_timeout: Seconds = 20.0
    dkim_selector: str | None = None
    dns_server: str | None = None
    digest_hour: int = Field(default=7, ge=-1, le=23)
    undo_minutes: int = Field(default=5, ge=0, le=1440)
    webhook_private: bool = False

    metrics_port: int = Field(default=0, ge=0, le=65_535)
    metrics_host: str = "127.0.0.1"
    log_format: LogFormat = LogFormat.CONSOLE
    log_level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")

    @field_validator("data_dir", "redis_bin", "bundle_key", "automatic_folder")
    @classmethod
    def _absolute(cls, path: Path | None) -> Path | None:
        return None if path is None else path.expanduser().absolute()

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, url: str | None) -> str | None:
        return None if url is None else known_database(url)

    @field_validator("redis_url")
    @classmethod
    def _known_redis(cls, url: str | None) -> str | None:
        return None if url is None else known_redis(url)

    @field_validator("trusted_proxies")
    @classmethod
    def _known_proxies(cls, text: str) -> str:
        if text.strip() != "*":
            trusted_networks(text)
        return text

    @field_validator("public_url")
    @classmethod
    def _known_address(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme not in {"http", "https"} or not parts.hostname):
            raise ValueError("write https://the.address")
        return url.rstrip("/")

    @field_validator("language")
    @classmethod
    def _known_language(cls, tag: str) -> str:
        try:
            return language_named(tag).tag
        except InvalidInputError as error:
            raise ValueError(str(error)) from error

    @field_validator("oidc_issuer")
    @classmethod
    def _known_issuer(cls, url: str) -> str:
        parts = urlsplit(url)
        sound = parts.scheme in {"http", "https"} and parts.hostname
        if url and (not sound or "?" in url or "#" in url):
            raise ValueError("write https://the.provider, as its own description spells it")
        return url

    @property
    def provider(self) -> str:
        """What to call the identity provider; empty when none is connected."""
        return self.oidc_name if self.oidc_issuer else ""

    @property
    def database(self) -> str:
        """Address of the database, as SQLAlchemy takes it."""
        return self.database_url or f"sqlite:///{self.data_dir / 'swapflow.db'}"

    @property
    def sqlite_file(self) -> Path | None:
        """The file of the database; None for a server."""
        place = self.database.partition(":///")
        return Path(place[2].partition("?")[0]) if place[0] == "sqlite" and place[2] else None

    @property
    def redis(self) -> str:
        """Address of the server that holds queues and live state."""
        return self.redis_url or f"unix://{self.redis_socket}"

    @property
    def secure(self) -> bool:
        """Whether people reach swapflow over TLS: cookies are then bound to it."""
        return self.address.startswith("https://")

    @property
    def address(self) -> str:
        """Where people reach swapflow: the public address, or this machine's own."""
        return self.public_url or f"http://{_as_host(self.web_host)}:{self.web_port}"

    @property
    def automatic_files(self) -> Path:
        """Where the files are kept that rosters may name because the command line did."""
        return self.data_dir / "automatic-files"

    @property
    def reach(self) -> Reach:
        """Where calls may go to addresses that people enter, of webhooks and scoring services.

        To this machine itself only while nobody else is served: then it is being tried out.
        """
        reached = urlsplit(self.address).hostname or ""
        alone = _is_here(reached) and _is_here(self.web_host)
        return Reach(
            plain=alone or self.webhook_private,
            loopback=alone,
            private=self.webhook_private,
        )

    @property
    def embedded_redis(self) -> bool:
        """Whether `swapflow up` starts the server itself."""
        return self.redis_url is None

    @property
    def bundle_key_file(self) -> Path:
        """Where the key lies that signs bundles."""
        return self.bundle_key or self.data_dir / "bundle-key.pem"

    @property
    def cookie_key_file(self) -> Path:
        """Where the key lies that signs cookies while `secret_key` is not set."""
        return self.data_dir / "cookie-key"

    @property
    def font_folders(self) -> tuple[Path, ...]:
        """Folders of fonts for PDF."""
        return tuple(Path(path).expanduser() for path in self.fonts.split(":") if path.strip())

    @property
    def redis_socket(self) -> Path:
        """Where the embedded server listens; every process of one data folder agrees on it.

        In the data folder, or in a short folder of this user when that path would be too long.
        """
        inside = self.data_dir / "redis" / "redis.sock"
        if len(os.fsencode(inside)) <= LONGEST_SOCKET_PATH:
            return inside
        name = hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"swapflow-{os.getuid()}-{name}" / "redis.sock"


def trusted_networks(text: str) -> tuple[Network, ...]:
    """Read addresses and networks, by commas.

    Raises:
        ValueError: If one of them is neither; a name would never match, in silence.
    """
    try:
        parts = [part.strip() for part in text.split(",")]
        return tuple(ip_network(part, strict=False) for part in parts if part)
    except ValueError as error:
        raise ValueError(f"write addresses or networks by commas, or *: {error}") from error


def refuse_unsafe(settings: Settings) -> None:
    """Refuse to serve people under settings that keep out nobody.

    What is tried out on one machine may be as it comes; what others reach needs TLS and a
    database password that is nobody's default.

    Raises:
        InvalidInputError: If others would be served unsafely, or the identity provider cannot be
            used; names the variable and the cure.
    """
    if settings.oidc_issuer:
        _refuse_half_a_provider(settings)
    host = urlsplit(settings.address).hostname or ""
    if not settings.public_url and not _is_here(settings.web_host) and not settings.insecure:
        raise InvalidInputError("web_host_without_tls", host=settings.web_host)
    if _is_here(host):
        return
    if not settings.secure and not settings.insecure:
        raise InvalidInputError("public_url_not_encrypted", address=settings.address, host=host)
    password = urlsplit(settings.database).password
    if password is not None and password.casefold() in DEFAULT_PASSWORDS:
        raise InvalidInputError("database_password_common")
    if settings.oidc_issuer:
        _refuse_guessable_secrets(settings)


def _refuse_half_a_provider(settings: Settings) -> None:
    """Refuse an identity provider that nobody could sign in through."""
    if find_spec("authlib") is None or find_spec("itsdangerous") is None:
        raise InvalidInputError("sso_extra_missing")
    if not settings.oidc_client_id or not _secret(settings.oidc_client_secret):
        missing = "CLIENT_SECRET" if settings.oidc_client_id else "CLIENT_ID"
        raise InvalidInputError("oidc_setting_missing", setting=missing, address=settings.address)
    issuer = urlsplit(settings.oidc_issuer)
    if issuer.scheme != "https" and not _is_here(issuer.hostname or "") and not settings.insecure:
        raise InvalidInputError("oidc_issuer_not_encrypted", issuer=settings.oidc_issuer)


def _refuse_guessable_secrets(settings: Settings) -> None:
    """Refuse secrets of the identity provider's hop that others could guess."""
    if _secret(settings.oidc_client_secret).casefold() in DEFAULT_PASSWORDS:
        raise InvalidInputError("oidc_secret_common")
    if len(_secret(settings.secret_key)) < SHORTEST_KEY:
        raise InvalidInputError("secret_key_short", shortest=SHORTEST_KEY)


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


def _is_here(host: str) -> bool:
    """Whether a host is this machine as only it can reach itself."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _as_host(listening: str) -> str:
    """Return the name under which a browser on this machine finds a listening address."""
    if listening in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        return "127.0.0.1"
    return f"[{listening}]" if ":" in listening else listening


def load_settings(**overrides: object) -> Settings:
    """Read the settings from the environment.

    Args:
        overrides: Settings that win over the environment, by attribute name.

    Raises:
        InvalidInputError: If a variable cannot be used; every such variable is named.
    """
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # pydantic checks the values
    except ValidationError as error:
        # The values stay out of the message: an address may hold a password.
        problems = [
            f"  SWAPFLOW_{'_'.join(str(part) for part in problem['loc']).upper()}: "
            f"{problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors()
        ]
        raise InvalidInputError("settings_unusable", problems=problems) from error
