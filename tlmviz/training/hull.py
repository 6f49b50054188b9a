"""Training the pointer network on convex hulls: random points, their exact hulls, and the loop."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.spatial import ConvexHull
from torch.nn import functional as F
from tqdm import tqdm

from ..config import PointerConfig
from ..networks.pointer import PointerNetwork
from . import loop
from .loop import Schedule


@dataclass(frozen=True)
class HullRecipe:
    """The network and how it is trained: `rows` sets of points per step, of up to `first` points at the beginning and
    of all numbers after `grown` of the steps; `uniform` of the batches are uniform in a square, as in the paper.

    Where the schedule stops, the rate falls straight to 0 over the `last` steps.
    """

    config: PointerConfig
    schedule: Schedule
    last: int
    rows: int = 64
    first: int = 10
    grown: float = 0.35
    uniform: float = 0.7

    @property
    def steps(self) -> int:
        """Steps in all."""
        return (self.schedule.stop or self.schedule.steps) + self.last

    def rate(self, step: int) -> float:
        """Learning rate."""
        left = min(1.0, (self.steps - step) / max(1, self.last))
        return left * self.schedule.rate(min(step, self.steps - self.last))


RECIPE = HullRecipe(
    PointerConfig(
        name="pointer-hull",
        description="Pointer network that draws convex hulls: points in, the hull's corners out, one by one.",
    ),
    Schedule(
        steps=14000,
        stop=7000,
        learning_rate=1e-3,
        warmup=300,
        weight_decay=0.01,
        betas=(0.9, 0.99),
        seed=5,
        evaluate_every=500,
    ),
    last=700,
)


def exact_hull(points: np.ndarray) -> np.ndarray:
    """Indices of the hull's corners of points [N, 2], counterclockwise from the leftmost (the lower one of two)."""
    corners = ConvexHull(points).vertices  # counterclockwise in two dimensions
    first = np.lexsort((points[corners, 1], points[corners, 0]))[0]
    return np.roll(corners, -first)


class HullBatches:
    """Endless sets of random points with their hulls."""

    def __init__(self, recipe: HullRecipe, seed: int):
        self.recipe = recipe
        self.rng = np.random.default_rng(seed)
        self.passes = 0  # nothing is ever seen twice

    def batch(self, number: int, rows: int, uniform: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
        """Points [B, N, 2] and the orders of their hulls [B, T], filled up with the end marker, N."""
        points = self.points(number, rows, uniform)
        hulls = [exact_hull(each) for each in points]
        order = np.full((rows, max(map(len, hulls)) + 1), number)
        for row, hull in zip(order, hulls):
            row[: len(hull)] = hull
        return torch.from_numpy(points).float(), torch.from_numpy(order)

    def points(self, number: int, rows: int, uniform: bool) -> np.ndarray:
        """Uniform in a square; else a cloud, a ring or a grid with small shifts, stretched and turned: what people
        draw."""
        if uniform or self.rng.random() < self.recipe.uniform:
            return self.rng.random((rows, number, 2))
        kind = self.rng.integers(3)
        if kind == 0:
            points = self.rng.normal(size=(rows, number, 2))
        elif kind == 1:
            angle = self.rng.uniform(0, 2 * np.pi, (rows, number))
            radius = 1 - self.rng.uniform(0, self.rng.uniform(0.05, 0.6), (rows, number))
            points = np.stack((np.cos(angle), np.sin(angle)), -1) * radius[..., None]
        else:
            points = self.rng.integers(0, 8, (rows, number, 2)) + self.rng.normal(0, 0.1, (rows, number, 2))
        return points @ self.rng.normal(size=(rows, 2, 2))

    def number(self, step: int) -> int:
        """How many points a step's sets have."""
        config, recipe = self.recipe.config, self.recipe
        grown = min(1.0, step / (recipe.grown * recipe.schedule.steps))
        most = recipe.first + round(grown * (config.most - recipe.first))
        return int(self.rng.integers(config.least, most + 1))


def loss_of(network: PointerNetwork, points: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    """Nats per step of the hull, its end included."""
    # Of what follows a row's end marker nothing is learned.
    ends = order == points.shape[1]
    targets = order.masked_fill(ends & (ends.cumsum(1) > 1), -100)
    return F.cross_entropy(network(points, order).flatten(0, 1), targets.flatten())


def train(recipe: HullRecipe, folder: Path) -> dict[str, Any]:
    """Train the network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule = recipe.schedule
    torch.manual_seed(schedule.seed)
    network = PointerNetwork(recipe.config)
    optimizer = loop.optimizer_of(network, schedule)
    batches = HullBatches(recipe, schedule.seed)
    held_out = [HullBatches(recipe, 1000 + n).batch(n, 200, uniform=True) for n in (10, 20, 50)]
    log: dict[str, Any] = {"schedule": asdict(schedule), "curve": [], "seconds": 0.0, "sets": 0, "step": 0}
    if (folder / "log.json").is_file():
        log = loop.resume(folder, network, optimizer, batches)
    began = time.monotonic() - log["seconds"]
    last = recipe.steps
    bar = tqdm(range(log["step"], last), initial=log["step"], total=last, mininterval=5, unit="step")
    recent: list[float] = []
    for step in bar:
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate(step)
        points, order = batches.batch(batches.number(step), recipe.rows)
        loss = loss_of(network, points, order)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
        optimizer.step()
        recent.append(loss.item())
        log["sets"] += len(points)
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == last:
            with torch.inference_mode():
                valid = [loss_of(network, *each).item() for each in held_out]
            now = sum(recent) / len(recent)
            log["curve"].append({"step": step + 1, "train_loss": now, "valid_loss": valid})
            log.update(step=step + 1, seconds=time.monotonic() - began)
            bar.set_postfix(loss=f"{now:.4f}", held_out=" ".join(f"{nats:.4f}" for nats in valid))
            recent.clear()
            loop.save(folder, network, optimizer, log)
    return log
