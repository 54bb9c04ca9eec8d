"""A gate before a Milvus server: TLS, a token, and faults that a test orders at a call."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HERE = "127.0.0.1"


class Gate(grpc.GenericRpcHandler):
    """Forwards each call as it is to a server, after `before` was called with its name.

    token: what a call must bring, else it is refused as a server refuses it; empty: nothing.
    """

    def __init__(self, target: str, token: str = "") -> None:
        self.channel = grpc.insecure_channel(target)
        self.wanted = base64.b64encode(token.encode()).decode() if token else ""
        self.before: Callable[[str], object] = lambda call: None
        self.calls: list[str] = []

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler:
        """How a call of any name is answered."""
        brought = dict(details.invocation_metadata).get("authorization", "")
        method = details.method

        def answer(request: bytes, context: grpc.ServicerContext) -> bytes:
            if self.wanted and brought != self.wanted:
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "auth check failure")
            self.calls.append(method.rpartition("/")[2])
            self.before(self.calls[-1])
            forward = self.channel.unary_unary(method)
            try:
                return bytes(forward(request, timeout=20))
            except grpc.RpcError as error:
                context.abort(error.code(), error.details() or "")
                raise
            except ValueError:  # the gate is closed, and the caller gone
                return b""

        return grpc.unary_unary_rpc_method_handler(answer)


@contextmanager
def gate(target: str, token: str = "", identity: tuple[bytes, bytes] | None = None) -> Iterator:
    """A gate and its address; identity: the private key and the certificate of its TLS."""
    handler = Gate(target, token)
    server = grpc.server(futures.ThreadPoolExecutor(4), [handler])
    if identity:
        port = server.add_secure_port(f"{HERE}:0", grpc.ssl_server_credentials([identity]))
    else:
        port = server.add_insecure_port(f"{HERE}:0")
    server.start()
    try:
        yield handler, f"http{'s' if identity else ''}://{HERE}:{port}"
    finally:
        server.stop(None).wait()
        handler.channel.close()


def own_authority() -> tuple[bytes, bytes]:
    """A private key and a certificate for this machine that is its own authority, both PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a private authority")])
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(HERE))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return private, certificate.public_bytes(serialization.Encoding.PEM)


@contextmanager
def lite_server(folder: Path) -> Iterator[str]:
    """The target of a milvus-lite server in this process."""
    from milvus_lite.adapter.grpc.server import start_server_in_thread

    server, store, port = start_server_in_thread(str(folder))
    try:
        yield f"{HERE}:{port}"
    finally:
        server.stop(None).wait()
        store.close()


class LiteProcess:
    """A milvus-lite server in a process of its own, on a socket in a folder: it can be killed, and
    started again on what it wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.target = f"unix:{folder}/socket:0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes calls."""
        call = [
            "server",
            "--data-dir",
            f"{self.folder}/data",
            "--host",
            f"unix:{self.folder}/socket",
        ]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "milvus_lite", *call, "--port", "0"], stdout=subprocess.DEVNULL
        )
        channel = grpc.insecure_channel(self.target)
        grpc.channel_ready_future(channel).result(timeout=120)
        channel.close()

    def kill(self) -> None:
        """End it at once, as a crash does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
