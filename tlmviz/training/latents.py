"""Training a latent array on handwritten digits: pictures moved, turned and stretched a little, and the loop."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F
from tqdm import tqdm

from .. import digits
from ..config import LatentsConfig
from ..networks.latents import LatentReader
from . import loop
from .loop import Schedule


@dataclass(frozen=True)
class LatentsRecipe:
    """The network and how it is trained: `rows` pictures per step, each turned by up to `turn` radians, sheared and stretched
    by up to `shear` and `stretch`, moved by up to `shift` pixels, and lighter or darker by up to `ink`; `smoothing` of each
    target is spread over all digits."""

    config: LatentsConfig
    schedule: Schedule
    rows: int = 32
    turn: float = 0.2
    shear: float = 0.15
    stretch: float = 0.12
    shift: float = 1.0
    ink: float = 0.2
    smoothing: float = 0.05


def _recipe(name: str, latents: int) -> LatentsRecipe:
    config = LatentsConfig(
        name=name,
        description=f"Latent array that reads handwritten digits: {latents} latents, 64 pixels.",
        n_latents=latents,
        d_model=48,
        n_layers=3,
        n_heads=2,
        d_ff=96,
    )
    schedule = Schedule(
        steps=12000, learning_rate=3e-3, warmup=150, weight_decay=0.05, seed=7, evaluate_every=1000
    )
    return LatentsRecipe(config, schedule)


RECIPES = {
    name: _recipe(name, latents)
    for name, latents in (("digits-perceiver-4", 4), ("digits-perceiver", 8), ("digits-perceiver-16", 16))
}


class DigitBatches:
    """Endless pictures of the training digits, none quite as it was."""

    def __init__(self, recipe: LatentsRecipe, seed: int):
        self.recipe = recipe
        self.rng = np.random.default_rng(seed)
        self.passes = 0
        data = digits.training()
        self.images = torch.from_numpy(data.images / digits.INK).float()
        self.labels = torch.from_numpy(data.labels.copy())

    def batch(self, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Pictures [rows, 8, 8] in [0, 1] and their digits [rows]."""
        drawn = torch.from_numpy(self.rng.integers(0, len(self.labels), rows))
        return self.moved(self.images[drawn]), self.labels[drawn]

    def moved(self, pictures: torch.Tensor) -> torch.Tensor:
        """The pictures through a random affine map each, their ink made lighter or darker."""
        recipe, rows = self.recipe, len(pictures)

        def within(bound: float, *shape: int) -> np.ndarray:
            return self.rng.uniform(-bound, bound, (rows, *shape))

        angle, shear, stretch = within(recipe.turn), within(recipe.shear), 1 + within(recipe.stretch, 2)
        shift = within(recipe.shift * 2 / digits.SIDE, 2)  # grid_sample counts a picture's side as 2
        x = np.stack((stretch[:, 0] * np.cos(angle), shear - np.sin(angle), shift[:, 0]), 1)
        y = np.stack((np.sin(angle), stretch[:, 1] * np.cos(angle), shift[:, 1]), 1)
        maps = torch.from_numpy(np.stack((x, y), 1)).float()
        grid = F.affine_grid(maps, [rows, 1, digits.SIDE, digits.SIDE], align_corners=False)
        moved = F.grid_sample(pictures[:, None], grid, align_corners=False)[:, 0]
        return (moved * torch.from_numpy(1 + within(recipe.ink, 1, 1)).float()).clamp(0, 1)


def train(recipe: LatentsRecipe, folder: Path) -> dict:
    """Train the network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule = recipe.schedule
    torch.manual_seed(schedule.seed)
    network = LatentReader(recipe.config)
    optimizer = loop.optimizer_of(network, schedule)
    batches = DigitBatches(recipe, schedule.seed)
    log = {"schedule": asdict(schedule), "curve": [], "seconds": 0.0, "step": 0}
    if (folder / "log.json").is_file():
        log = loop.resume(folder, network, optimizer, batches)
    began = time.process_time() - log["seconds"]
    last = schedule.stop or schedule.steps
    bar = tqdm(range(log["step"], last), initial=log["step"], total=last, mininterval=5, unit="step")
    recent: list[float] = []
    network.train()
    for step in bar:
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate(step)
        pictures, labels = batches.batch(recipe.rows)
        loss = F.cross_entropy(network(pictures), labels, label_smoothing=recipe.smoothing)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
        optimizer.step()
        recent.append(loss.item())
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == last:
            nats, right = held_out(network)
            now = sum(recent) / len(recent)
            log["curve"].append(
                {"step": step + 1, "train_loss": now, "valid_loss": nats, "valid_right": right}
            )
            log.update(step=step + 1, seconds=time.process_time() - began)
            bar.set_postfix(loss=f"{now:.3f}", held_out=f"{nats:.3f} ({100 * right:.1f} %)")
            recent.clear()
            loop.save(folder, network, optimizer, log)
    return log


@torch.inference_mode()
def held_out(network: LatentReader) -> tuple[float, float]:
    """Nats per held-out digit, and the share that is read right."""
    data = digits.held_out()
    labels = torch.from_numpy(data.labels.copy())
    training = network.training
    scores = network.eval()(torch.from_numpy(data.images / digits.INK).float()).cpu()
    network.train(training)
    return F.cross_entropy(scores, labels).item(), (scores.argmax(-1) == labels).double().mean().item()
