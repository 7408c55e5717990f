"""An OpenID Connect provider as a process of its own, on loopback, which misbehaves when told to.

It describes itself, shows a login form, checks PKCE and the client's secret, signs ID tokens with
a key that it can change, and answers about a person. Started with a port; see `IdentityProvider`.
"""

import base64
import hashlib
import secrets
import sys
import time
from typing import Annotated, Any, Self
from urllib.parse import urlencode

import httpx2
import uvicorn
from fastapi import FastAPI, Form, Header, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.support.ports import free_port
from tests.support.process import Process
from tests.support.waiting import CAP, wait_until


CLIENT, SECRET = "swapflow-test", "s3cret-of-the-test-client"
PASSWORD = "the password there"


def provider_app(issuer: str) -> FastAPI:  # noqa: C901, PLR0915 - a whole small server
    """Make a provider that calls itself by this address."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    keys = [RSAKey.generate_key(2048, parameters={"kid": "1"})]
    people: dict[str, dict[str, Any]] = {}
    codes: dict[str, dict[str, Any]] = {}
    access: dict[str, str] = {}
    mood: dict[str, Any] = {}

    @app.put("/test/people/{login}")
    def put_person(login: str, claims: dict[str, Any]) -> None:
        people[login] = {"sub": f"sub-of-{login}", **claims}

    @app.put("/test/mood")
    def put_mood(wanted: dict[str, Any]) -> None:
        mood.clear()
        mood.update(wanted)

    @app.post("/test/new-key")
    def new_key() -> None:
        keys[:] = [RSAKey.generate_key(2048, parameters={"kid": secrets.token_hex(4)})]

    @app.get("/.well-known/openid-configuration")
    def describe() -> Response:
        if "describe" in mood:
            return Response(mood["describe"], status_code=mood.get("status", 200))
        said = {
            "issuer": mood.get("issuer", issuer),
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "userinfo_endpoint": f"{issuer}/userinfo",
            "jwks_uri": f"{issuer}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": mood.get("auth", ["client_secret_basic"]),
        }
        return JSONResponse(said)

    @app.get("/jwks")
    def jwks() -> dict[str, Any]:
        return {"keys": [key.as_dict(private=False) for key in keys]}

    @app.get("/authorize")
    def ask(request: Request) -> HTMLResponse:
        asked = request.query_params
        if asked["client_id"] != CLIENT or asked["code_challenge_method"] != "S256":
            raise HTTPException(400, "not this client")
        hidden = "".join(
            f'<input type="hidden" name="{name}" value="{value}">' for name, value in asked.items()
        )
        return HTMLResponse(
            f'<!doctype html><html lang="en"><title>Example University</title><h1>Log in</h1>'
            f'<form method="post" action="/authorize">{hidden}'
            '<label>Login <input name="login"></label>'
            '<label>Password <input name="password" type="password"></label>'
            '<button name="answer" value="yes">Log in</button>'
            '<button name="answer" value="no">Refuse</button></form></html>'
        )

    @app.post("/authorize")
    async def answer(request: Request) -> Response:
        form = {name: str(value) for name, value in (await request.form()).items()}
        back, state = form["redirect_uri"], form["state"]
        refusal = mood.get("refusal") or ("access_denied" if form["answer"] == "no" else "")
        if refusal:
            return _leads(back, state=state, error=refusal, error_description="<b>made up</b>")
        if form["login"] not in people or form["password"] != PASSWORD:
            return HTMLResponse("<h1>Wrong</h1>", status_code=401)
        code = secrets.token_urlsafe(16)
        codes[code] = form
        return _leads(back, state=state, code=code)

    @app.post("/token")
    def token(
        grant_type: Annotated[str, Form()],
        code: Annotated[str, Form()],
        redirect_uri: Annotated[str, Form()],
        code_verifier: Annotated[str, Form()],
        authorization: Annotated[str, Header()] = "",
        client_secret: Annotated[str, Form()] = "",
    ) -> Response:
        time.sleep(mood.get("slow", 0))
        if "token" in mood:
            return Response(mood["token"], status_code=mood.get("status", 200))
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        in_form = "client_secret_post" in mood.get("auth", [])
        if (client_secret != SECRET) if in_form else (authorization != basic):
            return JSONResponse({"error": "invalid_client"}, status_code=401)
        asked = codes.pop(code, None)
        proof = base64.urlsafe_b64encode(hashlib.sha256(code_verifier.encode()).digest())
        if (
            asked is None
            or grant_type != "authorization_code"
            or asked["redirect_uri"] != redirect_uri
            or asked["code_challenge"] != proof.decode().rstrip("=")
        ):
            return JSONResponse({"error": "invalid_grant"}, status_code=400)
        person = people[asked["login"]]
        now = int(time.time())
        claims = {
            "iss": issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **({"sub": person["sub"]} if mood.get("slim") else person),
            **mood.get("claims", {}),
        }
        key = RSAKey.generate_key(2048) if mood.get("foreign_key") else keys[0]
        header = {"alg": "RS256", "kid": keys[0].kid}
        granted = secrets.token_urlsafe(16)
        access[granted] = asked["login"]
        signed = jwt.encode(header, claims, key)
        if mood.get("unsigned"):
            unsigned = base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
            signed = f"{unsigned}.{signed.split('.')[1]}."
        return JSONResponse(
            {"access_token": granted, "token_type": "Bearer", "expires_in": 300}
            | ({} if mood.get("no_id_token") else {"id_token": signed})
        )

    @app.get("/userinfo")
    def userinfo(authorization: Annotated[str, Header()]) -> dict[str, Any]:
        login = access[authorization.removeprefix("Bearer ")]
        return {**people[login], **mood.get("userinfo", {})}

    return app


def _leads(back: str, **more: str) -> RedirectResponse:
    return RedirectResponse(f"{back}?{urlencode(more)}", status_code=303)


class IdentityProvider:
    """The process, and what a test tells it."""

    def __init__(self) -> None:
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.process = Process([sys.executable, "-m", __name__, str(self.port)])
        self._http = httpx2.Client(base_url=self.issuer, timeout=CAP, trust_env=False)

    def __enter__(self) -> Self:
        self.process.__enter__()
        self.process.wait_for(self.answers, what="the identity provider answers")
        return self

    def __exit__(self, *exception: object) -> None:
        self._http.close()
        self.process.__exit__(*exception)

    @property
    def settings(self) -> dict[str, str]:
        """What swapflow has to be told to use it."""
        return {
            "SWAPFLOW_OIDC_ISSUER": self.issuer,
            "SWAPFLOW_OIDC_CLIENT_ID": CLIENT,
            "SWAPFLOW_OIDC_CLIENT_SECRET": SECRET,
            "SWAPFLOW_OIDC_NAME": "Example University",
        }

    def answers(self) -> bool:
        try:
            return self._http.get("/jwks").status_code == 200
        except httpx2.HTTPError:
            return False

    def knows(self, login: str, **claims: object) -> str:
        """Add a login there and return it."""
        self._http.put(f"/test/people/{login}", json=claims).raise_for_status()
        return login

    def behaves(self, **mood: object) -> None:
        """Make it misbehave in this way from now on; in none when called without."""
        self._http.put("/test/mood", json=mood).raise_for_status()

    def changes_its_key(self) -> None:
        self._http.post("/test/new-key").raise_for_status()

    def stops(self) -> None:
        self.process.kill9()

    def starts(self) -> None:
        self.process.start()
        wait_until(self.answers, what="the identity provider is back")


if __name__ == "__main__":
    port = int(sys.argv[1])
    uvicorn.run(
        provider_app(f"http://127.0.0.1:{port}"), host="127.0.0.1", port=port, log_level="warning"
    )
