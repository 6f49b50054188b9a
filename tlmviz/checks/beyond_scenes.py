"""Identities of cross-attention between text and picture, both ways round (000 section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from ..facades.scenes.grid import compose, held_out_grid
from ..facades.scenes.language import read_scene
from ..recording import recording
from .registry import identity

if TYPE_CHECKING:
    from ..facades.scenes.models import Answer, Marking, PictureMarker, PictureReader

Grid = list[list[Any]]


def reads_scenes(model: Any) -> bool:
    """Whether the model answers questions about pictures: words are queries."""
    return bool(model.task == "scenes" and model.config.kind == "scenes")


def marks_scenes(model: Any) -> bool:
    """Whether it marks pictures: patches are queries."""
    return bool(model.task == "scenes" and model.config.kind == "scenes-turned")


def pictures(text: str) -> tuple[Grid, str]:
    """(grid, question) of a text "3.7.5...1: question": the first held-out picture of each digit. Raises BadText."""
    labels, question = read_scene(text)
    return held_out_grid(labels), question


def answered(model: PictureReader, text: str) -> tuple[PictureReader, Grid, str, Answer]:
    """(model, grid, question, answer). Raises BadText."""
    grid, question = pictures(text)
    return model, grid, question, model.answer(grid, question)


def marked(model: PictureMarker, text: str) -> tuple[PictureMarker, Grid, str, Marking]:
    """(model, grid, question, marking). Raises BadText."""
    grid, question = pictures(text)
    return model, grid, question, model.mark(grid, question)


@identity(
    "Words share out 1", "each word's weights over the 36 patches sum to 1", 1e-5, when=reads_scenes, inputs=answered
)
def words_sum_to_one(model: PictureReader, grid: Grid, question: str, answer: Answer) -> float:
    maps = np.concatenate((answer.asked_maps, answer.maps)).astype(np.float64)
    return float(np.abs(maps.sum(-1) - 1).max())


@identity(
    "Looking = softmax of q·k",
    "weights over the patches equal softmax(q·k/√d) of words and patches in float64",
    1e-5,
    when=reads_scenes,
    inputs=answered,
)
def words_look_by_the_formula(model: PictureReader, grid: Grid, question: str, answer: Answer) -> float:
    """Eq. 33. The queries are those of one pass over question and answer."""
    ids = [*model.ids(" ".join(answer.asked)), *model.ids(answer.text)[:-1]]
    maps = np.concatenate((answer.asked_maps, answer.maps))
    return _formula_error(model.network, grid, ids, maps)


@identity(
    "Word by word = one pass",
    "each word's probability when it is said equals that of a pass over the finished answer",
    1e-5,
    when=reads_scenes,
    inputs=answered,
)
@torch.inference_mode()
def steps_equal_one_pass(model: PictureReader, grid: Grid, question: str, answer: Answer) -> float:
    """Words to come are hidden from a word, so what follows it cannot change it."""
    ids, said = model.ids(" ".join(answer.asked)), model.ids(answer.text)[:-1]
    memory = model.network.read(torch.from_numpy(compose(grid))[None])
    errors = [0.0]
    for word, p in zip(said, answer.probabilities):
        now = model.network.write(torch.tensor([ids]), memory)[0, -1].softmax(-1)[word].item()
        errors.append(abs(now - float(p)))
        ids.append(word)
    return max(errors)


@identity("Patches share out 1", "each patch's weights over the words sum to 1", 1e-5, when=marks_scenes, inputs=marked)
def patches_sum_to_one(model: PictureMarker, grid: Grid, question: str, marking: Marking) -> float:
    return float(np.abs(marking.maps.astype(np.float64).sum(-1) - 1).max())


@identity(
    "Asking = softmax of q·k",
    "weights over the words equal softmax(q·k/√d) of patches and words in float64",
    1e-5,
    when=marks_scenes,
    inputs=marked,
)
def patches_look_by_the_formula(model: PictureMarker, grid: Grid, question: str, marking: Marking) -> float:
    """Eq. 32."""
    return _formula_error(model.network, grid, model.ids(" ".join(marking.words[:-1])), marking.maps)


def _formula_error(network: Any, grid: Grid, ids: list[int], maps: np.ndarray) -> float:
    """Largest difference between `maps` [rows, L, H, columns] and the softmax, in float64, of what a pass projects.

    A reader's last word has no map: nothing was said after it.
    """
    picture, words = torch.from_numpy(compose(grid))[None], torch.tensor([ids])
    with torch.inference_mode(), recording(lambda name: name.endswith((".cross.q", ".cross.k"))) as record:
        network(picture, words)
    errors = [0.0]
    for layer in range(len(network.cross)):
        q, k = (record.values[f"cross.{layer}.cross.{name}"][0].double() for name in ("q", "k"))
        exact = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1).cpu().numpy()  # [H, T, S]
        errors.append(np.abs(exact[:, : len(maps)] - maps[:, layer].transpose(1, 0, 2)).max(initial=0))
    return float(max(errors))
