"""Pins as text: "3-5 4-1" makes step 3 look at source token 5 and step 4 at token 1, both counted from 1."""

from __future__ import annotations

import re

import numpy as np

from tlmviz.errors import BadText


def read_pins(text: str, steps: int, size: int) -> dict[int, int]:
    """Pins as {step: token} from 0, of a translation with `steps` tokens of a source with `size`. Raises BadText."""
    pins = {}
    for part in re.split(r"[\s,;]+", text.strip()) if text.strip() else []:
        match = re.fullmatch(r"(\d{1,4})-(\d{1,4})", part)
        if not match:
            raise BadText("“{pin}” is no pin; write a step and a source token, such as 3-5.", pin=part[:20])
        step, token = (int(group) for group in match.groups())
        if not (1 <= step <= steps and 1 <= token <= size):
            raise BadText(
                "There is no pin {pin}: this translation has steps 1 to {steps}, its source tokens 1 to {size}.",
                pin=part,
                steps=steps,
                size=size,
            )
        pins[step - 1] = token - 1
    return pins


def write_pins(pins: dict[int, int]) -> str:
    """Pins as `read_pins` takes them."""
    return " ".join(f"{step + 1}-{token + 1}" for step, token in sorted(pins.items()))


def neighbours(attention: np.ndarray, source: list[str], target: list[str]) -> dict[int, int]:
    """Pins, a step each, on what the step after it looks at: step -> source token, both words, the step's own another.

    `attention` [T, S] is the map of the hypothesis that writes `target`.
    """
    peaks = attention.argmax(-1)
    return {
        step: int(after)
        for step, (own, after) in enumerate(zip(peaks, peaks[1:]))
        if own != after and all(text.strip().isalpha() for text in (source[after], *target[step : step + 2]))
    }


def last_word(source: list[str], steps: int) -> dict[int, int]:
    """The pin of a text without neighbouring words: its second step on the last word of the source."""
    places = [place for place, token in enumerate(source) if any(map(str.isalpha, token))]
    return {min(1, steps - 1): places[-1] if places else len(source) - 1}
