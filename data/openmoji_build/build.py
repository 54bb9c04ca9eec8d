"""Build the collections of drawings and digits: python data/openmoji_build/build.py [--only STEP].

The steps, in order; each reads what the ones before it left in the --work folder.

fetch     OpenMoji and its names from npm, once, with their checksums checked
draw      every drawing as a small picture, and the digits
look      what the frozen picture encoder sees in each drawing
composed  openmoji_composed: a picture and three feedbacks
captions  openmoji_captions: pictures and five texts each
hashes    openmoji_hashes: codes of 16, 32 and 64 bits
digits    digits_hashes: the same methods on real handwritten digits
context   openmoji_context: grids, relevance from 0 to 100, simulated satisfaction
measure   print what the versions are worth, from the committed files
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from pathlib import Path

# What both builders share is one folder up: data/networks_build.
sys.path.append(str(Path(__file__).resolve().parents[1]))

from drawings import steps  # noqa: E402
from drawings.workshop import Build  # noqa: E402

LOG = logging.getLogger("drawings")


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
        default=Path(tempfile.gettempdir()) / "drawings-build",
        help="folder for everything that is not committed",
    )
    parser.add_argument(
        "--to",
        type=Path,
        default=Path(__file__).resolve().parents[1],
        help="the folder of collections",
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed of everything")
    return parser.parse_args()


def main() -> None:
    """Do the steps that were asked for."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    called = arguments()
    build = Build(called.work, called.to, called.seed)
    build.work.mkdir(parents=True, exist_ok=True)
    for name in called.only or steps.STEPS:
        LOG.info("%s", name)
        steps.STEPS[name](build)


if __name__ == "__main__":
    main()
