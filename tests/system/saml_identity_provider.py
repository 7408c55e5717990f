"""A university's SAML identity provider as a process of its own, by pysaml2; forges when told to.

Runs in the broker's environment, so it imports nothing of swapflow. Started with a folder that
has the keys, the metadata of the broker and `person.json`, and its own address. That file says who
signs in, with which attributes, and how the answer is wrong: "", "unsigned", "forged", "grown".
"""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import parse_qsl
from wsgiref.simple_server import make_server

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAME_FORMAT_URI
from saml2.server import Server


PASSWORD_CONTEXT = {
    "class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"
}


def config(folder: Path, address: str, key: str) -> IdPConfig:
    """The provider with one of its keys: `idp`, which the broker knows, or `thief`."""
    broker = folder / "broker.xml"
    return IdPConfig().load(
        {
            "entityid": f"{address}/metadata",
            "key_file": str(folder / f"{key}.key"),
            "cert_file": str(folder / f"{key}.crt"),
            "xmlsec_binary": "/usr/bin/xmlsec1",
            "metadata": {"local": [str(broker)]} if broker.exists() else {},
            "service": {
                "idp": {
                    "endpoints": {
                        "single_sign_on_service": [(f"{address}/sso", BINDING_HTTP_REDIRECT)]
                    },
                    "policy": {"default": {"name_form": NAME_FORMAT_URI}},
                    "want_authn_requests_signed": True,
                }
            },
        }
    )


def answer(folder: Path, address: str, query: dict[str, str]) -> str:
    """Answer a request for a sign-in with a form that the browser posts to the broker."""
    person = json.loads((folder / "person.json").read_text("utf-8"))
    wrong = person["wrong"]
    server = Server(config=config(folder, address, "thief" if wrong == "forged" else "idp"))
    asked = server.parse_authn_request(
        query["SAMLRequest"],
        BINDING_HTTP_REDIRECT,
        relay_state=query["RelayState"],
        sigalg=query["SigAlg"],
        signature=query["Signature"],
    )
    broker = asked.message.issuer.text
    said = str(
        server.create_authn_response(
            person["attributes"],
            in_response_to=asked.message.id,
            destination=asked.message.assertion_consumer_service_url,
            sp_entity_id=broker,
            userid=person["attributes"]["uid"][0],
            name_id_policy=None,
            authn=PASSWORD_CONTEXT,
            sign_assertion=wrong != "unsigned",
            sign_response=False,
        )
    )
    if wrong == "grown":  # signed, and changed afterwards
        said = said.replace(">everyone<", ">desk<")
    made = server.apply_binding(
        BINDING_HTTP_POST,
        said,
        asked.message.assertion_consumer_service_url,
        query.get("RelayState", ""),
        response=True,
    )
    return str(made["data"])


def application(folder: Path, address: str) -> Callable[..., Iterable[bytes]]:
    """Its two addresses: where people come to sign in, and whether it is up."""

    def respond(environ: dict[str, str], start: Callable[..., object]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != "/sso":
            start("200 OK", [("Content-Type", "text/plain")])
            return [b"up"]
        page = answer(folder, address, dict(parse_qsl(environ["QUERY_STRING"])))
        start("200 OK", [("Content-Type", "text/html")])
        return [page.encode()]

    return respond


if __name__ == "__main__":
    here, itself = Path(sys.argv[1]), sys.argv[2]
    if len(sys.argv) == 3:  # write its metadata, for the broker
        (here / "identity-provider.xml").write_text(
            entity_descriptor(config(here, itself, "idp")).to_string().decode(), "utf-8"
        )
    else:
        port = int(sys.argv[3])
        make_server("127.0.0.1", port, application(here, itself)).serve_forever()
