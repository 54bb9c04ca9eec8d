"""Build the driving collection: python data/driving/build/build.py [--only STEP ...].

The steps, in order; each reads what the ones before it left in the --work folder.

simulate  road maps and traffic, recorded at 10 Hz (gallery and training drives)
label     keywords of every window of every recording
select    a balanced choice of clips, without those whose salient actor is hidden
queries   the collection's text files: items, annotation, queries, vocabulary
render    films and posters of the chosen clips
frames    four small pictures of each training window and of each clip
train     the three model versions: their vectors, and their picture sides as ONNX networks
measure   print what the versions are worth
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from pathlib import Path

# What both builders share is one folder up: data/networks_build.
sys.path.append(str(Path(__file__).resolve().parents[2]))

from driving import steps  # noqa: E402
from driving.workshop import Build  # noqa: E402

LOG = logging.getLogger("driving")


def arguments() -> argparse.Namespace:
    """What the command was called with."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="+", choices=list(steps.STEPS), metavar="STEP", help="do only these steps"
    )
    parser.add_argument(
        "--work",
        type=Path,
        default=Path(tempfile.gettempdir()) / "driving-build",
        help="folder for everything that is not committed",
    )
    parser.add_argument(
        "--to",
        type=Path,
        default=Path(__file__).resolve().parents[1],
        help="the collection's folder",
    )
    parser.add_argument("--clips", type=int, default=190, help="how many clips to choose")
    parser.add_argument("--seed", type=int, default=0, help="the seed of everything")
    parser.add_argument("--workers", type=int, default=2, help="processes that render")
    return parser.parse_args()


def main() -> None:
    """Do the steps that were asked for."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    called = arguments()
    build = Build(called.work, called.to, called.clips, called.seed, called.workers)
    for name in called.only or steps.STEPS:
        LOG.info("%s", name)
        steps.STEPS[name](build)


if __name__ == "__main__":
    main()
