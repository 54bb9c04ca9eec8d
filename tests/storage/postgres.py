"""A PostgreSQL server of the tests' own: in a temporary folder, on a Unix socket, by a user without
rights, from whatever package of it the machine has."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg

PASSWORD = "p/w:s@cret#1"
_PACKAGES = Path("/usr/lib/postgresql")
_schemas = count(1)


class Missing(Exception):
    """No server can be had here, and why."""


def programs() -> Path:
    """The folder of `initdb` and `postgres`. Raises Missing."""
    packaged = sorted(_PACKAGES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if packaged:
        return packaged[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise Missing("PostgreSQL is not installed: apt-get install postgresql")
    return Path(on_path).resolve().parent


class Server:
    """One server: started, killed, started again; `address` names a fresh, empty schema in it."""

    def __init__(self) -> None:
        self.programs = programs()
        self.user = None
        if os.getuid() == 0:  # which PostgreSQL refuses to run as
            try:
                self.user = pwd.getpwnam("postgres").pw_uid
            except KeyError:
                raise Missing("there is no user postgres to run the server as") from None
        # a short path that this user may enter: a socket's has at most 107 letters
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self.process: subprocess.Popen[bytes] | None = None
        if self.user is not None:
            os.chown(self.folder, self.user, -1)
        secret = self.folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        if self.user is not None:
            os.chown(secret, self.user, -1)
        made = self._run(
            "initdb", "--pgdata", self.folder / "data", "--username", "reviewer", "--encoding",
            "UTF8", "--locale", "C", "--auth", "scram-sha-256", "--pwfile", secret,
        )  # fmt: skip
        if made.returncode:
            raise Missing(f"initdb failed: {made.stderr.decode()[-300:]}")

    def _run(self, program: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
        call = [str(self.programs / program), *map(str, arguments)]
        return subprocess.run(call, capture_output=True, user=self.user, cwd="/")

    def start(self) -> Server:
        """Starts the server and waits until it answers."""
        call = [str(self.programs / "postgres"), "-D", str(self.folder / "data")]
        call += ["-k", str(self.folder), "-c", "listen_addresses=", "-c", "max_connections=40"]
        call += ["-c", "recovery_init_sync_method=syncfs"]  # starts sooner after a crash
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(
            call, user=self.user, cwd="/", stdout=log, stderr=log, start_new_session=True
        )
        log.close()
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                self.connect().close()
                return self
            except psycopg.OperationalError:
                time.sleep(0.05)
        raise Missing(f"no server: {(self.folder / 'log').read_text()[-500:]}")

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(
            host=str(self.folder), dbname="postgres", user="reviewer", password=PASSWORD,
            autocommit=True,
        )  # fmt: skip

    def kill(self) -> None:
        """Kills the server and all that it started at once, as a crash does."""
        assert self.process is not None
        server = self.process.pid
        own = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        for each in (server, *map(int, own)):
            with suppress(ProcessLookupError):  # ended by itself, its server being gone
                os.kill(each, signal.SIGKILL)
        self.process.wait(20)

    def address(self, password: str = PASSWORD) -> str:
        """A URL of a schema that nobody has used."""
        schema = f"s{next(_schemas)}"
        with self.connect() as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        host, path = quote(str(self.folder), safe=""), quote(f"-csearch_path={schema}", safe="")
        secret = quote(password, safe="")
        return f"postgresql://reviewer:{secret}@/postgres?host={host}&options={path}"

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)  # ends it without waiting for connections
            self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)
