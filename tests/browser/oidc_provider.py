"""A small OIDC provider for tests: discovery, authorization, token and keys."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "dashboard"


class Provider:
    """A provider that logs in whomever a test names.

    Attributes:
        person: Claims of who logs in next.
    """

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
        self.person: dict[str, Any] = {}
        self.nonces: dict[str, str] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def secrets(self, app: str) -> str:
        """Return the secrets.toml of an app that asks this provider."""
        values = {
            "redirect_uri": f"{app}/oauth2callback",
            "cookie_secret": "c" * 40,
            "client_id": CLIENT,
            "client_secret": "s",
            "server_metadata_url": f"{self.url}/.well-known/openid-configuration",
        }
        return "[auth]\n" + "".join(f"{name} = {json.dumps(of)}\n" for name, of in values.items())

    def answer(self, path: str, asked: dict[str, str]) -> tuple[int, dict[str, Any] | str]:
        """Return the status, and an object or where to go on."""
        if path == "/.well-known/openid-configuration":
            places = {"authorization": "authorize", "token": "token", "end_session": "end"}
            known = {f"{name}_endpoint": f"{self.url}/{of}" for name, of in places.items()}
            return 200, {
                "issuer": self.url, "jwks_uri": f"{self.url}/keys", **known,
                "code_challenge_methods_supported": ["S256"],
                "id_token_signing_alg_values_supported": ["RS256"],
            }  # fmt: skip
        if path == "/keys":
            return 200, {"keys": [self.key.as_dict(private=False)]}
        if path == "/authorize":
            assert asked["client_id"] == CLIENT and asked["code_challenge_method"] == "S256"
            self.nonces["a-code"] = asked.get("nonce", "")
            said = {"code": "a-code", "state": asked["state"]}
            return 302, f"{asked['redirect_uri']}?{urlencode(said)}"
        if path == "/end":
            return 302, asked["post_logout_redirect_uri"]
        assert path == "/token" and asked["code"] == "a-code" and asked["code_verifier"]
        bearer = {"access_token": "a", "token_type": "Bearer", "expires_in": 3600}
        return 200, {**bearer, "id_token": self._token()}

    def _token(self) -> str:
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "nonce": self.nonces["a-code"],
            "iat": now, "exp": now + 3600, **self.person,
        }  # fmt: skip
        return jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.key)

    def _handler(provider) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                self.send(*provider.answer(parts.path, read_query(parts.query)))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.send(*provider.answer(urlsplit(self.path).path, read_query(body)))

            def send(self, status: int, what: dict[str, Any] | str) -> None:
                body = b"" if isinstance(what, str) else json.dumps(what).encode()
                self.send_response(status)
                if isinstance(what, str):
                    self.send_header("Location", what)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Write no log."""

        return Handler


def read_query(query: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(query).items()}
