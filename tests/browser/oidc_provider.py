"""A small OIDC provider: discovery, authorize, token and keys. It logs in whoever it is told, and
spoils its tokens when it is told to."""

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
    """person: the claims of who logs in next; spoil: what is wrong with the next token, one of
    signature, audience, expired, nonce, or nothing; refuse: the error that the person causes."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
        self.stranger = RSAKey.generate_key(2048, {"kid": "1", "use": "sig"})
        self.person: dict[str, Any] = {}
        self.spoil = self.refuse = ""
        self.nonces: dict[str, str] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def secrets(self, app: str) -> str:
        """What the app's secrets.toml says of this provider."""
        values = {
            "redirect_uri": f"{app}/oauth2callback",
            "cookie_secret": "c" * 40,
            "client_id": CLIENT,
            "client_secret": "s",
            "server_metadata_url": f"{self.url}/.well-known/openid-configuration",
        }
        return "[auth]\n" + "".join(f"{name} = {json.dumps(of)}\n" for name, of in values.items())

    def answer(self, path: str, asked: dict[str, str]) -> tuple[int, dict[str, Any] | str]:
        """The status, and an object or where to go on."""
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
            said = {"error": self.refuse} if self.refuse else {"code": "a-code"}
            return 302, f"{asked['redirect_uri']}?{urlencode({**said, 'state': asked['state']})}"
        if path == "/end":
            return 302, asked["post_logout_redirect_uri"]
        assert path == "/token" and asked["code"] == "a-code" and asked["code_verifier"]
        bearer = {"access_token": "a", "token_type": "Bearer", "expires_in": 3600}
        return 200, {**bearer, "id_token": self._token()}

    def _token(self) -> str:
        now = int(time.time()) - (86_400 if self.spoil == "expired" else 0)
        claims = {
            "iss": self.url,
            "aud": "another" if self.spoil == "audience" else CLIENT,
            "nonce": "another" if self.spoil == "nonce" else self.nonces["a-code"],
            "iat": now, "exp": now + 3600, **self.person,
        }  # fmt: skip
        key = self.stranger if self.spoil == "signature" else self.key
        return jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)

    def _handler(provider) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                self.send(*provider.answer(parts.path, one_each(parts.query)))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.send(*provider.answer(urlsplit(self.path).path, one_each(body)))

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
                """Tells nothing."""

        return Handler


def one_each(query: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(query).items()}
