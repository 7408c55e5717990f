"""A SAML identity provider and SATOSA, which brokers between it and OpenID Connect, as processes.

SATOSA comes from the package index into an environment of its own; it runs with the files of
docs/examples/satosa, in which only addresses and folders are replaced.
"""

import json
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import httpx2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from tests.support.encrypted import Authority, new_authority
from tests.support.ports import free_port
from tests.support.process import Process


ROOT = Path(__file__).parents[2]
KEPT = ROOT / "var" / "satosa"
"""Its environment stays here: making it takes a minute."""

RELEASE = "SATOSA[pyop]==8.6.*"
EXAMPLES = ROOT / "docs" / "examples" / "satosa"
SECRET = "a secret of 32 characters or more"


@dataclass(frozen=True, kw_only=True)
class Federation:
    """The two processes, and what a test tells them.

    Attributes:
        folder: Keys, metadata, configuration, and who signs in.
        university: Address of the identity provider.
        broker: Address of SATOSA, which is the issuer.
        tls: Who vouches for the broker; it speaks TLS alone.
    """

    folder: Path
    university: str
    broker: str
    tls: Authority
    python: str

    @property
    def settings(self) -> dict[str, str]:
        """What swapflow has to be told to use the broker."""
        return {
            "SWAPFLOW_OIDC_ISSUER": self.broker,
            "SWAPFLOW_OIDC_CLIENT_ID": "swapflow",
            "SWAPFLOW_OIDC_CLIENT_SECRET": SECRET,
            "SWAPFLOW_OIDC_NAME": "Example University",
            "SWAPFLOW_OIDC_SCOPES": "groups",
            "SSL_CERT_FILE": str(self.tls.root),
        }

    def says(self, *, wrong: str = "", **attributes: str | list[str]) -> None:
        """Choose who signs in, with which attributes; `wrong` is how the answer is forged."""
        stated = {
            name: [value] if isinstance(value, str) else value
            for name, value in attributes.items()
        }
        text = json.dumps({"attributes": stated, "wrong": wrong})
        (self.folder / "person.json").write_text(text, "utf-8")

    def way_back(self, address: str) -> str:
        """Follow a browser from the broker to the university and back; gives where it ends."""
        trusted = ssl.create_default_context(cafile=str(self.tls.root))
        with httpx2.Client(trust_env=False, verify=trusted, timeout=60) as browser:
            to_university = browser.get(address)
            assert to_university.status_code in {302, 303}, to_university.text
            page = browser.get(to_university.headers["location"])
            form = Form()
            form.feed(page.text)
            answered = browser.post(form.action, data=form.fields)
            assert answered.status_code in {302, 303}, answered.text
            return answered.headers["location"]

    @contextmanager
    def serving(self, swapflow: str) -> Iterator[None]:
        """Serve both, for a swapflow at this address."""
        self._configure(swapflow)
        university = [*self._university(), str(_port(self.university))]
        broker = [self.python, "-m", "satosa.wsgi", str(_port(self.broker)), "--host", "127.0.0.1"]
        broker += ["--certfile", str(self.tls.certificate), "--keyfile", str(self.tls.key)]
        settings = self._environment()
        with Process(university, env=settings) as one, Process(broker, env=settings) as other:
            one.wait_for(lambda: _answers(self.university), what="the identity provider")
            described = f"{self.broker}/.well-known/openid-configuration"
            other.wait_for(lambda: _answers(described, self.tls), what="SATOSA")
            yield

    def _configure(self, swapflow: str) -> None:
        """Write keys, the files of the example, and each one's metadata for the other."""
        for name in ("saml", "idp", "thief", "oidc"):
            _key_pair(self.folder, name)
        for file in EXAMPLES.iterdir():
            said = file.read_text("utf-8")
            for example, ours in (
                ("https://broker.example.org", self.broker),
                ("https://review.example.org", swapflow),
                ("/etc/satosa", str(self.folder)),
                ("replace-by-a-secret-of-32-random-characters", SECRET),
            ):
                said = said.replace(example, ours)
            (self.folder / file.name).write_text(said, "utf-8")
        self._run(*self._university())
        module = (
            "from satosa.scripts.satosa_saml_metadata import construct_saml_metadata as c; c()"
        )
        self._run(self.python, "-c", module, "--no-sign", "--dir", ".", "proxy_conf.yaml")
        (self.folder / "backend.xml").rename(self.folder / "broker.xml")

    def _university(self) -> list[str]:
        script = Path(__file__).with_name("saml_identity_provider.py")
        return [self.python, str(script), str(self.folder), self.university]

    def _run(self, *command: str) -> None:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "SATOSA_CONFIG": str(self.folder / "proxy_conf.yaml"),
            "PYTHONWARNINGS": "ignore",
        }


class Form(HTMLParser):
    """The form with which an identity provider sends a browser on."""

    def __init__(self) -> None:
        super().__init__()
        self.action = ""
        self.fields: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found: Mapping[str, str] = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = unescape(found["action"])
        elif tag == "input" and "name" in found:
            self.fields[found["name"]] = found["value"]


def federation_in(folder: Path) -> Federation:
    """Prepare a federation in a folder; nothing runs yet."""
    return Federation(
        folder=folder,
        university=f"http://127.0.0.1:{free_port()}",
        broker=f"https://127.0.0.1:{free_port()}",
        tls=new_authority(folder / "tls"),
        python=_installed(),
    )


def _installed() -> str:
    """Install SATOSA into an environment of its own, unless it is there; gives its Python."""
    assert shutil.which("xmlsec1"), "apt-get install xmlsec1: pysaml2 signs and checks with it"
    python = KEPT / "venv" / "bin" / "python"
    if not (KEPT / "installed").exists():
        shutil.rmtree(KEPT, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(KEPT / "venv")], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", RELEASE]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"the package index gave no {RELEASE}:\n{done.stderr[-3000:]}"
        (KEPT / "installed").touch()
    return str(python)


def _key_pair(folder: Path, name: str) -> None:
    """Write an RSA key and a certificate for it that names nobody else: as SAML uses them."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    (folder / f"{name}.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .sign(key, hashes.SHA256())
    )
    (folder / f"{name}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _port(address: str) -> int:
    return int(address.rpartition(":")[2])


def _answers(address: str, tls: Authority | None = None) -> bool:
    trusted = ssl.create_default_context(cafile=str(tls.root)) if tls else True
    try:
        return httpx2.get(address, trust_env=False, verify=trusted, timeout=5).status_code == 200
    except httpx2.HTTPError:
        return False
