"""Redis and PostgreSQL behind a password and TLS, under an authority of their own."""

import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import psycopg
import redis
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.cluster import hand_over, not_root, postgres_programs
from tests.support.ports import free_port
from tests.support.redis_server import debian_server
from tests.support.waiting import CAP, wait_until


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """Who vouches for servers: its certificate, and one that it has given to this machine."""

    folder: Path

    @property
    def root(self) -> Path:
        """The certificate to trust."""
        return self.folder / "root.pem"

    @property
    def certificate(self) -> Path:
        """What a server on this machine shows."""
        return self.folder / "server.pem"

    @property
    def key(self) -> Path:
        """What belongs to it."""
        return self.folder / "server.key"


def new_authority(folder: Path) -> Authority:
    """Make an authority and a server's certificate; both are good for an hour."""
    made = Authority(folder=folder)
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    root_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    name = f"authority {secrets.token_hex(4)}"
    root = _certificate(name, root_key, issuer=name, by=root_key, vouches=True)
    server = _certificate("server", server_key, issuer=name, by=root_key, vouches=False)
    made.root.write_bytes(root.public_bytes(serialization.Encoding.PEM))
    made.certificate.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    made.key.write_bytes(
        server_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    made.key.chmod(0o600)
    return made


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    *,
    issuer: str,
    by: ec.EllipticCurvePrivateKey,
    vouches: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    names: Sequence[x509.GeneralName] = (
        x509.DNSName("localhost"),
        x509.IPAddress(ip_address("127.0.0.1")),
    )
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=vouches, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(by, hashes.SHA256())
    )


@contextmanager
def encrypted_redis(authority: Authority) -> Iterator[tuple[str, str]]:
    """Run a Redis that takes no plain connection; gives its URL and the password in it."""
    password, port = secrets.token_hex(12), free_port()
    with tempfile.TemporaryDirectory(prefix="sf-tls-redis-") as folder:
        settings = Path(folder) / "redis.conf"
        settings.write_text(
            f"port 0\ntls-port {port}\nbind 127.0.0.1\nrequirepass {password}\n"
            f"tls-cert-file {authority.certificate}\ntls-key-file {authority.key}\n"
            f"tls-ca-cert-file {authority.root}\ntls-auth-clients no\n"
            f"dir {folder}\nsave ''\nappendonly yes\nmaxmemory-policy noeviction\n",
            encoding="utf-8",
        )
        process = subprocess.Popen(
            [str(debian_server()), str(settings)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            url = f"rediss://:{password}@localhost:{port}/0?ssl_ca_certs={authority.root}"
            wait_until(lambda: _answers(url), what="Redis behind TLS")
            yield url, password
        finally:
            process.terminate()
            process.wait(CAP)


def _answers(url: str) -> bool:
    client = redis.Redis.from_url(url)
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()


@contextmanager
def encrypted_postgres(authority: Authority) -> Iterator[tuple[str, str]]:
    """Run a PostgreSQL that takes no plain connection; gives its URL and the password in it."""
    programs, password, port = postgres_programs(), secrets.token_hex(12), free_port()
    with tempfile.TemporaryDirectory(prefix="sf-tls-pg-") as name:
        folder, data = Path(name), Path(name) / "data"
        person = not_root(folder)
        words = folder / "password"
        words.write_text(password, encoding="ascii")
        for part in ("certificate", "key"):
            shutil.copy(getattr(authority, part), folder / part)
        hand_over(folder, person)
        (folder / "key").chmod(0o600)
        subprocess.run(
            [
                *(programs / "initdb", "--pgdata", data, "--username", "swapflow"),
                *("--pwfile", words, "--auth", "scram-sha-256", "--no-sync"),
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            **person,
        )
        (data / "pg_hba.conf").write_text(
            "hostssl all all 127.0.0.1/32 scram-sha-256\n", encoding="ascii"
        )
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(port),
            "unix_socket_directories": "",
            "ssl": "on",
            "ssl_cert_file": str(folder / "certificate"),
            "ssl_key_file": str(folder / "key"),
            "fsync": "off",
        }
        process = subprocess.Popen(
            [
                *(programs / "postgres", "-D", data),
                *(f"--{name}={value}" for name, value in options.items()),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **person,
        )
        try:
            url = (
                f"postgresql://swapflow:{password}@localhost:{port}/postgres"
                f"?sslmode=verify-full&sslrootcert={authority.root}"
            )
            wait_until(lambda: _connects(url), what="PostgreSQL behind TLS")
            yield url, password
        finally:
            process.terminate()
            process.wait(CAP)


def _connects(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
