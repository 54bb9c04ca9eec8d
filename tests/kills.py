"""Runs a command of the dashboard again and again, each time killed (SIGKILL) a little later: at a
later file or folder below a collection that it opens, makes, moves or removes.

`python -m tests.kills FOLDER ARGUMENT …` prints a JSON line for each time: whether it was killed,
and what stands in models/ and runs/ then. It ends with the first call that came to its own end.
"""

import json
import os
import signal
import sys
from pathlib import Path

WATCHED = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link")
MOST = 500


def below(folder: str, arguments: tuple) -> bool:
    return any(isinstance(each, str | os.PathLike) and folder in str(each) for each in arguments)


def die_at(number: int, folder: str) -> None:
    left = [number]

    def hook(event: str, arguments: tuple) -> None:
        if event in WATCHED and below(folder, arguments):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def there(folder: Path) -> list[str]:
    places = [folder / "models", folder / "runs"]
    return sorted(p.name for place in places if place.is_dir() for p in place.iterdir())


def main(folder: str, *arguments: str) -> None:
    from dashboard.__main__ import main as command

    for number in range(1, MOST, int(os.environ.get("KILLS_STEP", "1"))):
        child = os.fork()
        if child == 0:
            die_at(number, folder)
            os._exit(command(list(arguments)))
        status = os.waitpid(child, 0)[1]
        killed = os.WIFSIGNALED(status)
        code = None if killed else os.waitstatus_to_exitcode(status)
        print(json.dumps({"killed": killed, "code": code, "there": there(Path(folder))}))
        if not killed:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
