"""Addresses that name several servers, of which one serves: PostgreSQL's, Redis by Sentinel."""

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlencode, urlsplit


POSTGRESQL_PORT = 5432
SENTINEL_PORT = 26_379

SENTINEL_SECONDS = 1.0
"""Seconds that one of the sentinels may take to name the master: the next may know it."""

DRIVER = "postgresql+psycopg"
"""What SQLAlchemy calls PostgreSQL with the driver that is installed."""

_POSTGRESQL_CURE = (
    "write postgresql://user@host/database, or all hosts of a primary and its replicas: "
    "postgresql://user@host1:5432,host2:5432/database"
)
_SENTINEL_CURE = (
    "write sentinel://host1:26379,host2:26379,host3:26379/0?master=NAME with the name by which "
    "the sentinels know the server"
)


def known_database(url: str) -> str:
    """Return the address of a database as SQLAlchemy takes it.

    Raises:
        ValueError: If swapflow knows no such database, or the address cannot be read.
    """
    scheme, _, rest = url.partition("://")
    if scheme in {"postgres", "postgresql", DRIVER}:
        return postgresql_address(url)
    if not rest or scheme != "sqlite":
        raise ValueError("write sqlite:////path/to/file.db or postgresql://user@host/database")
    return url


def known_redis(url: str) -> str:
    """Return the address of Redis as it was written, if it can be used.

    Raises:
        ValueError: Otherwise.
    """
    if is_sentinel(url):
        read_sentinels(url)
        return url
    parts = urlsplit(url)
    has_place = parts.path if parts.scheme == "unix" else parts.hostname
    if parts.scheme not in {"redis", "rediss", "unix"} or not has_place:
        raise ValueError(
            "write redis://host:6379/0, rediss://…, unix:///path/to/socket or sentinel://…"
        )
    _ = parts.port  # a port that is no number raises
    return url


def postgresql_address(url: str) -> str:
    """Return an address of PostgreSQL as SQLAlchemy takes it.

    Of several hosts the one is meant that takes writes: the primary of the moment. They may be
    written as libpq does, `postgresql://user@a:1,b:2/database`, or as SQLAlchemy does,
    `postgresql+psycopg://user@/database?host=a:1&host=b:2`.

    Raises:
        ValueError: If a host or a port cannot be read, or replicas would be asked; says the cure.
    """
    parts = _split(url, cure=_POSTGRESQL_CURE)
    login, _, places = parts.netloc.rpartition("@")
    query = parse_qs(parts.query, keep_blank_values=True)
    hosts = _postgresql_hosts(places, query)
    if len(hosts) < 2:  # noqa: PLR2004 - one server, as it was written
        return f"{DRIVER}://{url.partition('://')[2]}"
    asked = query.pop("target_session_attrs", ["read-write"])
    if asked not in (["read-write"], ["primary"]):
        raise ValueError(
            f"target_session_attrs={asked[0]} leads to a replica, which stores nothing; leave it "
            "out, or write target_session_attrs=read-write"
        )
    kept = {name: values[-1] for name, values in query.items() if name not in {"host", "port"}}
    named = {
        "host": ",".join(host for host, _ in hosts),
        "port": ",".join(str(port) for _, port in hosts),
        "target_session_attrs": asked[0],
        **kept,
    }
    at = f"{login}@" if login else ""
    return f"{DRIVER}://{at}{parts.path or '/'}?{urlencode(named, safe=',/:')}"


def _postgresql_hosts(places: str, query: dict[str, list[str]]) -> list[tuple[str, int]]:
    named = [one for text in query.get("host", ()) for one in text.split(",")]
    ports = [one for text in query.get("port", ()) for one in text.split(",")]
    if named and ports:
        if len(ports) not in {1, len(named)}:
            raise ValueError(f"{len(named)} hosts and {len(ports)} ports; {_POSTGRESQL_CURE}")
        ports = ports * len(named) if len(ports) == 1 else ports
        return [
            (host, _port(port, POSTGRESQL_PORT, cure=_POSTGRESQL_CURE))
            for host, port in zip(named, ports, strict=True)
        ]
    return [
        _place(text, POSTGRESQL_PORT, cure=_POSTGRESQL_CURE)
        for text in named or places.split(",")
        if text
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentinels:
    """Redis whose master the sentinels name: another one after a fail-over.

    Attributes:
        places: Host and port of each sentinel.
        master: Name by which they know the server.
        database: Number of its database.
        username: Who signs in to the server; "" for none.
        password: With what; "" for none.
        sentinel_password: With what one signs in to the sentinels; "" for none.
        tls: Whether the server and the sentinels are spoken to over TLS.
        authorities: File of the authorities that may vouch for them; "" for the system's.
    """

    places: tuple[tuple[str, int], ...]
    master: str
    database: int = 0
    username: str = ""
    password: str = ""
    sentinel_password: str = ""
    tls: bool = False
    authorities: str = ""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host and port of each sentinel, as an address names them."""
        return tuple(
            f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in self.places
        )

    @property
    def shown(self) -> str:
        """The address without a password."""
        return f"sentinel://{','.join(self.hosts)}/{self.database}?master={quote(self.master)}"


def is_sentinel(url: str) -> bool:
    """Whether an address names sentinels, and not the server itself."""
    return url.partition("://")[0] == "sentinel"


def read_sentinels(url: str) -> Sentinels:
    """Read `sentinel://[user:password@]host1:port,host2:port/database?master=NAME`.

    Hosts may be parted by commas or semicolons; what else may follow are `sentinel_password`,
    `tls=yes` and `ca=FILE`.

    Raises:
        ValueError: If it cannot be read; says the cure and no password.
    """
    # Celery's own spelling repeats the scheme before each host.
    parts = _split(url.replace(";sentinel://", ";"), cure=_SENTINEL_CURE)
    login, _, hosts = parts.netloc.rpartition("@")
    query = parse_qs(parts.query)
    unknown = sorted(query.keys() - {"master", "sentinel_password", "tls", "ca"})
    if unknown:
        raise ValueError(f"{unknown[0]!r} means nothing here; {_SENTINEL_CURE}")
    places = tuple(
        _place(text, SENTINEL_PORT, cure=_SENTINEL_CURE)
        for text in hosts.replace(";", ",").split(",")
        if text
    )
    master = query.get("master", [""])[0]
    database = parts.path.strip("/") or "0"
    if not places or not master or not database.isdecimal():
        raise ValueError(_SENTINEL_CURE)
    username, _, password = login.partition(":")
    return Sentinels(
        places=places,
        master=master,
        database=int(database),
        username=unquote(username),
        password=unquote(password),
        sentinel_password=query.get("sentinel_password", [""])[0],
        tls=query.get("tls", ["no"])[0] in {"yes", "true", "1"},
        authorities=query.get("ca", [""])[0],
    )


def _split(url: str, *, cure: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError as error:  # brackets of an IPv6 address that do not match
        raise ValueError(cure) from error


def _place(text: str, port: int, *, cure: str) -> tuple[str, int]:
    """Read `host`, `host:port` or `[IPv6]:port`."""
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed:
            raise ValueError(cure)
        return host, _port(rest.removeprefix(":"), port, cure=cure)
    if "/" in text:  # a folder of Unix sockets
        return text, port
    host, _, number = text.partition(":")
    if not host:
        raise ValueError(cure)
    return host, _port(number, port, cure=cure)


def _port(text: str, otherwise: int, *, cure: str) -> int:
    if not text:
        return otherwise
    if not text.isdecimal() or not 0 < int(text) < 1 << 16:
        raise ValueError(f"{text!r} is no port; {cure}")
    return int(text)
