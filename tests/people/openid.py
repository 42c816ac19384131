"""A provider of OpenID Connect on this machine's loopback: code flow with PKCE, signed tokens, userinfo.

It is strict where a provider is, and lies where a test tells it to.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "mindx-of-the-tests", "a client's secret"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Provider:
    """Who is logged in there (`person`), and what it says wrongly."""

    port: int = 0
    person: dict[str, Any] = field(default_factory=dict)
    # Claims of the ID token that replace the right ones; None leaves one out.
    lies: dict[str, Any] = field(default_factory=dict)
    # The same in the discovery document.
    document_lies: dict[str, Any] = field(default_factory=dict)
    userinfo_lies: dict[str, Any] = field(default_factory=dict)
    in_userinfo: tuple[str, ...] = ()
    key: Any = KEY
    algorithm: str = "RS256"
    padding: int = 0
    pause_s: float = 0
    asked: list[dict[str, str]] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def issuer(self) -> str:
        """Its name, and the address of its discovery document's folder."""
        return f"http://127.0.0.1:{self.port}/realm"

    def document(self) -> dict[str, Any]:
        """The discovery document."""
        at = self.issuer
        return {
            "issuer": at,
            "authorization_endpoint": f"{at}/authorize",
            "token_endpoint": f"{at}/token",
            "userinfo_endpoint": f"{at}/userinfo",
            "jwks_uri": f"{at}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "padding": "x" * self.padding,
        } | self.document_lies

    def keys(self) -> dict[str, Any]:
        """The public key that its tokens should be signed with."""
        return {"keys": [json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key())) | {"kid": "1", "use": "sig"}]}

    def id_token(self, asked: dict[str, str]) -> str:
        """Signed for who asked."""
        now = int(time.time())
        told = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked.get("nonce")}
        told |= {name: value for name, value in self.person.items() if name not in self.in_userinfo}
        if "max_age" in asked:
            told["auth_time"] = now
        told = {name: value for name, value in (told | self.lies).items() if value is not None}
        return jwt.encode(told, self.key, algorithm=self.algorithm, headers={"kid": "1"})

    def authorize(self, address: str) -> str:
        """What the browser's visit comes to: the address it is sent back to. Strict as a provider is."""
        asked = dict(parse_qsl(urlsplit(address).query))
        self.asked.append(asked)
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The answer of the token endpoint; None refuses."""
        asked = self.codes.pop(form.get("code", ""), None)
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if asked is None or authorization != basic or form["redirect_uri"] != asked["redirect_uri"]:
            return None
        proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(proof).rstrip(b"=").decode() != asked["code_challenge"]:
            return None
        return {"access_token": "the access token", "token_type": "Bearer", "id_token": self.id_token(asked)}


@contextmanager
def provider() -> Iterator[Provider]:
    """Serve one on a free port."""
    found = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.removeprefix("/realm")
            if path == "/.well-known/openid-configuration":
                self._answer(found.document())
            elif path.startswith("/authorize?"):
                # Whoever comes is logged in already: straight back, as a provider does then.
                self.send_response(302)
                self.send_header("Location", found.authorize(self.path))
                self.end_headers()
            elif path == "/keys":
                self._answer(found.keys())
            elif path == "/userinfo" and self.headers["Authorization"] == "Bearer the access token":
                self._answer(found.person | found.userinfo_lies)
            else:
                self._answer({}, 404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            told = found.token(form, self.headers.get("Authorization", ""))
            self._answer(told or {"error": "invalid_grant"}, 200 if told else 400)

        def _answer(self, told: dict[str, Any], status: int = 200) -> None:
            time.sleep(found.pause_s)
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield found
        server.shutdown()
