"""Numbers for `tests/programs`: weights, digits and noise from NumPy, for any library alike."""

import math
from typing import Any

import numpy as np

from glassgrad.data import load_digits


def draw_weights(module: Any, seed: int = 0) -> Any:
    """Draw the parameters of a module anew: weights normal with variance 1/fan-in, biases zero."""
    rng = np.random.default_rng(seed)
    for name, parameter in module.named_parameters():
        if parameter.dim() > 1:
            fan_in = math.prod(parameter.shape[1:])
            values = rng.normal(size=tuple(parameter.shape)) / math.sqrt(fan_in)
        elif "bias" in name:
            values = np.zeros(tuple(parameter.shape))
        else:
            continue  # the scales of normalisation begin with one, everywhere
        parameter.detach().copy_(parameter.new_tensor(values))
    return module


def digits(count: int) -> tuple[np.ndarray, np.ndarray]:
    """The first handwritten digits: images of 8×8 pixels from 0 to 1, and their labels."""
    images, labels = load_digits()
    pixels = images.numpy()[:count].reshape(count, 8, 8).astype(np.float64)
    return pixels, labels.numpy()[:count]
