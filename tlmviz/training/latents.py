"""Training a latent array on grids of handwritten digits, each moved, turned and stretched a little, and the loop."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from einops import rearrange
from torch.nn import functional as F
from tqdm import tqdm

from .. import digits
from ..config import LatentsConfig
from ..networks.latents import LatentReader
from . import loop, strokes
from .loop import Schedule
from .machine import fastest

STROKES = 4000  # digits drawn in strokes, of which each batch takes some


@dataclass(frozen=True)
class LatentsRecipe:
    """The network and how it is trained: `rows` pictures per step, a share `full` of them with a digit in every cell,
    the others with any number of digits from one; a share `strokes` of the digits are drawn in plain strokes. Each
    digit is turned by up to `turn` radians, sheared and stretched by up to `shear` and `stretch`, moved by up to
    `shift` pixels, and lighter or darker by up to `ink`; `smoothing` of each target is spread over all classes."""

    config: LatentsConfig
    schedule: Schedule
    rows: int = 128
    full: float = 0.5
    strokes: float = 0.25
    turn: float = 0.2
    shear: float = 0.15
    stretch: float = 0.12
    shift: float = 1.0
    ink: float = 0.2
    smoothing: float = 0.05


def _recipe(name: str, latents: int, steps: int) -> LatentsRecipe:
    several = f"{latents} latents" if latents > 1 else "one latent"
    config = LatentsConfig(
        name=name,
        description=f"Latent array that reads nine handwritten digits at once: {several}, 576 pixels.",
        n_latents=latents,
        d_model=48,
        n_layers=3,
        n_heads=2,
        d_ff=96,
    )
    schedule = Schedule(steps=steps, learning_rate=3e-3, warmup=150, weight_decay=0.05, seed=7, evaluate_every=1000)
    return LatentsRecipe(config, schedule)


# As many steps as there was time for.
RECIPES = {
    name: _recipe(name, latents, steps)
    for name, latents, steps in (
        ("digits-perceiver-1", 1, 16_551),
        ("digits-perceiver-2", 2, 17_231),
        ("digits-perceiver-4", 4, 16_906),
        ("digits-perceiver", 8, 16_429),
    )
}


class DigitBatches:
    """Endless pictures of the training digits, none quite as it was, made on a device."""

    def __init__(self, recipe: LatentsRecipe, seed: int, device: torch.device | str = "cpu"):
        self.recipe = recipe
        self.rng = np.random.default_rng(seed)
        self.passes = 0
        data = digits.training()
        images, labels = strokes.drawn(np.random.default_rng(seed), STROKES)
        self.known = len(data)
        self.images = torch.from_numpy(np.concatenate((data.images, images)) / digits.INK).float().to(device)
        self.labels = torch.from_numpy(np.concatenate((data.labels, labels))).to(device)

    def batch(self, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Pictures [rows, 24, 24] in [0, 1], and what is in their cells [rows, 9]: a digit or NOTHING."""
        cells = digits.GRID**2
        plain = self.rng.random(rows * cells) < self.recipe.strokes
        index = self.rng.integers(0, np.where(plain, STROKES, self.known))
        drawn = self._put(np.where(plain, self.known, 0) + index)
        images = rearrange(self.moved(self.images[drawn]), "(b o) y x -> b o y x", o=cells)
        labels = rearrange(self.labels[drawn], "(b o) -> b o", o=cells)
        filled = self._put(self._filled(rows))
        pictures = digits.side_by_side(images * filled[..., None, None])
        return pictures, labels.where(filled, torch.full_like(labels, digits.NOTHING))

    def _filled(self, rows: int) -> np.ndarray:
        """Which cells hold a digit, [rows, 9]."""
        cells = digits.GRID**2
        number = np.where(self.rng.random(rows) < self.recipe.full, cells, self.rng.integers(1, cells + 1, rows))
        filled: np.ndarray = self.rng.random((rows, cells)).argsort(1) < number[:, None]
        return filled

    def moved(self, pictures: torch.Tensor) -> torch.Tensor:
        """The pictures through a random affine map each, their ink made lighter or darker."""
        recipe, rows = self.recipe, len(pictures)

        def within(bound: float, *shape: int) -> np.ndarray:
            return self.rng.uniform(-bound, bound, (rows, *shape))

        angle, shear, stretch = within(recipe.turn), within(recipe.shear), 1 + within(recipe.stretch, 2)
        shift = within(recipe.shift * 2 / digits.SIDE, 2)  # grid_sample counts a picture's side as 2
        x = np.stack((stretch[:, 0] * np.cos(angle), shear - np.sin(angle), shift[:, 0]), 1)
        y = np.stack((np.sin(angle), stretch[:, 1] * np.cos(angle), shift[:, 1]), 1)
        maps = self._put(np.stack((x, y), 1).astype(np.float32))
        grid = F.affine_grid(maps, [rows, 1, digits.SIDE, digits.SIDE], align_corners=False)
        moved = F.grid_sample(pictures[:, None], grid, align_corners=False)[:, 0]
        return (moved * self._put((1 + within(recipe.ink, 1, 1)).astype(np.float32))).clamp(0, 1)

    def _put(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.images.device)


def train(recipe: LatentsRecipe, folder: Path) -> dict[str, Any]:
    """Train the network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`. It
    runs on an NVIDIA GPU where there is one."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule = recipe.schedule
    torch.manual_seed(schedule.seed)
    network = LatentReader(recipe.config)
    network.to(fastest())
    optimizer = loop.optimizer_of(network, schedule)
    batches = DigitBatches(recipe, schedule.seed, network.device)
    log = loop.empty_log(schedule, network.device)
    if (folder / "log.json").is_file():
        log = loop.resume(folder, network, optimizer, batches)
    began = time.monotonic() - log["seconds"]
    last = schedule.stop or schedule.steps
    bar = tqdm(range(log["step"], last), initial=log["step"], total=last, mininterval=5, unit="step")
    recent: list[torch.Tensor] = []
    network.train()
    for step in bar:
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate(step)
        pictures, labels = batches.batch(recipe.rows)
        scores = network(pictures).flatten(0, 1)
        loss = F.cross_entropy(scores, labels.flatten(), label_smoothing=recipe.smoothing)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
        optimizer.step()
        recent.append(loss.detach())
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == last:
            nats, right = held_out(network)
            now = torch.stack(recent).mean().item()
            log["curve"].append({"step": step + 1, "train_loss": now, "valid_loss": nats, "valid_right": right})
            log.update(step=step + 1, seconds=time.monotonic() - began)
            bar.set_postfix(loss=f"{now:.3f}", held_out=f"{nats:.3f} ({100 * right:.1f} %)")
            recent.clear()
            loop.save(folder, network, optimizer, log)
    return log


@torch.inference_mode()
def held_out(network: LatentReader) -> tuple[float, float]:
    """Nats per digit in pictures of nine held-out digits, and the share that is read right."""
    pictures, labels = digits.held_out_pictures()
    training = network.training
    scores = network.eval()(torch.from_numpy(pictures / digits.INK).float()).cpu().flatten(0, 1)
    network.train(training)
    truth = torch.from_numpy(labels).flatten()
    return F.cross_entropy(scores, truth).item(), (scores.argmax(-1) == truth).double().mean().item()
