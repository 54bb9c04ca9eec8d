"""The picture sides that the builders make see what the versions saw, on small random worlds."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    import torch  # whose import takes longer than to collect all other tests of this folder

DATA = Path(__file__).resolve().parents[2] / "data"
sys.path[:0] = [str(DATA / "openmoji_build"), str(DATA)]

from drawings import picture_sides  # noqa: E402
from drawings.encoders import unit  # noqa: E402
from drawings.learning.codes import anchored, itq, lsh, signs, supervised  # noqa: E402
from drawings.learning.matching import RECIPES as MATCHING  # noqa: E402
from drawings.learning.matching import Side, _image_side  # noqa: E402
from drawings.pictures import digit_picture  # noqa: E402
from driving.models.exported import picture_side  # noqa: E402
from driving.models.featurising import frames_and_motion, one_frame  # noqa: E402
from driving.models.train import RECIPES, Vectors, projection, see  # noqa: E402
from networks_build import exported  # noqa: E402

RNG = np.random.default_rng(0)


def maps(rows: int, columns: int) -> torch.Tensor:
    """What the shared network might make of one picture."""
    import torch

    return torch.from_numpy(RNG.random((1, 1280, rows, columns), np.float32))


def asked(network: torch.nn.Module, given: torch.Tensor) -> np.ndarray:
    """What a network answers when it is no longer taught."""
    import torch

    with torch.no_grad():
        return network.eval()(given).numpy()


def regions_by_hand(one: np.ndarray) -> np.ndarray:
    """Left, middle and right part below the sky, strongest and mean response: (5, 1280)."""
    below = one[:, 1:]
    parts = [below[..., :3], below[..., 3:5], below[..., 5:]]
    means = [part.reshape(1280, -1).mean(1) for part in parts]
    return np.stack([*means, one.reshape(1280, -1).max(1), one.reshape(1280, -1).mean(1)])


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_still_is_seen_as_a_clip_of_four_equal_pictures(recipe) -> None:
    import torch

    training = RNG.random((50, 4, 5, 1280), np.float32).astype(np.float16)
    featurise = (frames_and_motion if recipe.motion else one_frame)(training)
    torch.manual_seed(0)
    layers = projection(featurise(training).shape[1], recipe).eval()
    still = maps(4, 8)
    clip = np.tile(regions_by_hand(still[0].numpy()), (1, 4, 1, 1))
    wanted = see(layers, featurise(clip))[0]
    made = picture_side(Vectors(np.empty(0), np.empty(0), featurise, layers))
    found = asked(made.network, still)[0]
    assert found.shape == (recipe.dimension,) and made.shape == tuple(still.shape)
    assert found / np.linalg.norm(found) == pytest.approx(wanted, abs=2e-4)


def looks_by_hand(one: torch.Tensor) -> np.ndarray:
    """Mean and strongest response, a unit vector."""
    flat = one[0].numpy().reshape(1280, -1)
    return unit(np.concatenate([flat.mean(1), flat.max(1)])[None])


@pytest.mark.parametrize("method", [lsh, itq, pytest.param(supervised, marks=pytest.mark.slow)])
def test_a_drawing_gets_the_code_of_what_is_seen_in_it(method) -> None:
    drawings = [maps(5, 5) for _ in range(40)]
    seen = np.concatenate([looks_by_hand(one) for one in drawings])
    more = [list("ab" * 20)] if method is supervised else []
    encode = method(seen, *more, 8, 0)
    network = picture_sides.of_codes(encode).network
    found = np.concatenate([signs(asked(network, one)) for one in drawings])
    assert (found == encode(seen)).mean() > 0.99 and len(np.unique(found, axis=0)) > 1


@pytest.mark.parametrize("recipe", MATCHING[1:], ids=lambda recipe: recipe.name)
def test_a_drawing_gets_the_vector_of_what_is_seen_in_it(recipe) -> None:
    import torch

    torch.manual_seed(0)
    layers = _image_side(recipe, 2560).eval()
    side = Side(recipe, layers, np.empty(0), np.empty(0))
    drawing = maps(5, 5)
    found = asked(picture_sides.of_matching(side).network, drawing)
    assert unit(found)[0] == pytest.approx(side.pictures(looks_by_hand(drawing))[0], abs=1e-5)


def test_a_digits_picture_gets_the_code_of_its_values() -> None:
    import torch

    values = RNG.integers(0, 17, (30, 64)).astype(float)
    anchors = anchored(values, values[:10])
    encode = lsh(anchors.near(values), 16, 0)
    side = picture_sides.of_digit_codes(encode, anchors)
    pixels = np.stack([np.asarray(digit_picture(one), np.float32) for one in values])
    with torch.no_grad():
        seen = torch.from_numpy(pixels[:, None] / side.settings["spread"])
        assert torch.equal(side.network[0](seen), torch.from_numpy(values).float())
        codes = np.concatenate([signs(side.network(one[None]).numpy()) for one in seen])
    assert (codes == encode(anchors.near(values))).mean() > 0.99


def test_the_examples_are_right() -> None:
    failed, tried = doctest.testmod(exported)
    assert tried and not failed
