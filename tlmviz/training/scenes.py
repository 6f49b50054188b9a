"""Training the two models of scenes: pictures composed of training digits, questions with true answers, and the
loop."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm

from .. import digits
from ..config import ScenesConfig
from ..facades.scenes import language
from ..facades.scenes.language import Question
from ..networks.encoder_decoder import Memory
from ..networks.scenes import SceneMarker, SceneReader
from ..tokens.whole_words import WordTokenizer
from . import loop, marks
from .loop import Schedule
from .machine import fastest

NETWORKS: dict[str, type[SceneReader] | type[SceneMarker]] = {"scenes": SceneReader, "scenes-turned": SceneMarker}
LENGTHS = np.array([len(question.text.split()) for question in marks.QUESTIONS])
IGNORED = -100  # targets that nothing is learned from
FRESH = 200  # scenes of each kind at every evaluation


@dataclass(frozen=True)
class ScenesRecipe:
    """A network and how it is trained: `scenes` pictures per step with `questions` questions each, and one description
    more where it answers in words, with `described` of the weight of the others. The naming of digits by their own
    patches weighs `named` from step `named_from` on: without it both networks count digits for long before they tell
    them apart.

    A network that marks is asked the kinds of questions as often as `first` says, by language.KINDS, and from step
    `sides_from` on as `later` does: the neighbours of a digit are found once digits are.
    """

    config: ScenesConfig
    schedule: Schedule
    scenes: int = 32
    questions: int = 6
    described: float = 0.5
    named: float = 0.5
    named_from: int = 0
    first: tuple[float, ...] = (0.05, 0.35, 0.3, 0.25, 0.03, 0.02)
    later: tuple[float, ...] = (0.6, 0.15, 0.12, 0.1, 0.02, 0.01)
    sides_from: int = 0

    def kinds(self, step: int) -> np.ndarray:
        """How often each kind of question is asked at a step."""
        return np.array(self.later if step >= self.sides_from else self.first)


def _schedule(steps: int, rate: float) -> Schedule:
    return Schedule(
        steps=steps, learning_rate=rate, warmup=200, weight_decay=0.05, betas=(0.9, 0.98), seed=17, evaluate_every=250
    )


def tokenizer() -> WordTokenizer:
    """The words of the language."""
    return WordTokenizer.train(language.every_word(), least=1)


RECIPES = {
    recipe.config.name: recipe
    for recipe in (
        ScenesRecipe(
            ScenesConfig.of(
                name="digits-scenes",
                description="Answers questions about pictures of digits: the words attend to the picture's patches.",
                vocab_size=tokenizer().vocab_size,
            ),
            _schedule(3300, 2e-3),
            scenes=16,
            questions=5,
        ),
        ScenesRecipe(
            ScenesConfig.of(
                name="digits-scenes-turned",
                description="Marks in pictures of digits what a question's answer speaks of: the patches attend to the "
                "words.",
                kind="scenes-turned",
                vocab_size=tokenizer().vocab_size,
                image_layers=2,
                text_layers=1,
                cross_layers=4,
            ),
            _schedule(2764, 1e-3),
            scenes=32,
            questions=32,
            sides_from=400,
        ),
    )
}


@dataclass(frozen=True)
class Scenes:
    """Pictures [B, 24, 24] of pixels in 0-16, and what is in their cells, [B, 9], -1 where nothing is."""

    pictures: Tensor
    labels: np.ndarray

    def of(self, scene: int) -> list[int | None]:
        """The labels of one, as the language takes them."""
        return [None if label < 0 else int(label) for label in self.labels[scene]]


class SceneBatches:
    """Endless scenes of the digits of one part, and questions about them. Training digits are changed a little each
    time."""

    def __init__(self, source: digits.Digits, seed: int, varied: bool = True):
        self.images = torch.from_numpy(np.array(source.images, np.float32))
        self.by_label = [np.flatnonzero(source.labels == digit) for digit in range(10)]
        self.rng = np.random.default_rng(seed)
        self.varied = varied
        self.passes = 0

    def scenes(self, number: int) -> Scenes:
        """Scenes of one to nine digits; in half of them no digit occurs twice."""
        labels = np.full((number, 9), -1)
        for row in labels:
            filled = self.rng.choice(9, self.rng.integers(1, 10), replace=False)
            row[filled] = self.rng.choice(10, len(filled), replace=bool(self.rng.random() < 0.5))
        chosen = [self.rng.choice(self.by_label[label]) for label in labels[labels >= 0]]
        cells = torch.zeros(number, 9, 8, 8)
        cells[torch.from_numpy(labels >= 0)] = self._vary(self.images[np.array(chosen)])
        return Scenes(digits.side_by_side(cells), labels)

    def question(self, labels: list[int | None], kind: str | None = None) -> Question:
        """A question about a scene; mostly about digits that are there."""
        kind = kind or str(self.rng.choice(language.KINDS, p=(0.4, 0.2, 0.2, 0.12, 0.05, 0.03)))
        present = [label for label in labels if label is not None]
        single = [label for label in present if present.count(label) == 1]
        absent = [digit for digit in range(10) if digit not in present]
        asked = single if kind == "side" and single and self.rng.random() < 0.8 else present
        share = 0.5 if kind == "there" else 0.9
        digit = int(self.rng.choice(absent if absent and self.rng.random() > share else asked))
        side, place = self._side(labels, digit), str(self.rng.choice(language.PLACES))
        return Question(
            kind,
            digit if kind in ("side", "where", "there") else None,
            side if kind == "side" else "",
            place if kind == "place" else "",
        )

    def _side(self, labels: list[int | None], digit: int) -> str:
        """A side of a digit; more often than not one with something there, where there is one."""
        sides = [*language.SIDES]
        if labels.count(digit) == 1 and self.rng.random() < 0.6:
            found = {side: language.beside(labels.index(digit), side) for side in sides}
            sides = [side for side, cell in found.items() if cell is not None and labels[cell] is not None] or sides
        return str(self.rng.choice(sides))

    def _vary(self, images: Tensor) -> Tensor:
        """Turned, stretched, leaned, moved, pressed harder or softer, and noisy, each a little; most of them."""
        if not self.varied:
            return images
        n = len(images)
        draw = {
            name: torch.from_numpy(self.rng.normal(0, size, n)).float()
            for name, size in dict(turn=0.12, lean=0.12, wide=0.08, high=0.08, x=0.12, y=0.12).items()
        }
        cos, sin = draw["turn"].cos(), draw["turn"].sin()
        wide, high = draw["wide"].exp(), draw["high"].exp()
        rows = [cos * wide, -sin + draw["lean"], draw["x"], sin, cos * high, draw["y"]]
        grid = F.affine_grid(torch.stack(rows, 1).view(n, 2, 3), [n, 1, 8, 8], align_corners=False)
        changed = F.grid_sample(images[:, None], grid, align_corners=False)[:, 0]
        gain = torch.from_numpy(self.rng.uniform(0.8, 1.4, (n, 1, 1))).float()
        noise = torch.from_numpy(self.rng.normal(0, 0.6, images.shape)).float()
        changed = (changed * gain + noise * (changed > 0)).clamp(0, 16)
        kept = torch.from_numpy(self.rng.random(n) < 0.15)
        return torch.where(kept[:, None, None], images, changed)


def texts(pairs: list[tuple[str, str]], ids: dict[str, int]) -> tuple[Tensor, Tensor]:
    """Questions with answers as inputs and targets [B, T]: question, end, answer, end; only what follows the first end
    is learned."""
    rows, starts = [], []
    for question, answer in pairs:
        asked = [ids[word] for word in question.split()]
        rows.append([*asked, WordTokenizer.END, *(ids[word] for word in answer.split()), WordTokenizer.END])
        starts.append(len(asked))
    width = max(map(len, rows))
    inputs, targets = (torch.zeros(len(rows), width - 1, dtype=torch.long), torch.full((len(rows), width - 1), IGNORED))
    for i, (row, start) in enumerate(zip(rows, starts)):
        inputs[i, : len(row) - 1] = torch.tensor(row[:-1])
        targets[i, start : len(row) - 1] = torch.tensor(row[start + 1 :])
    return inputs, targets


def _patches(cells: Tensor) -> Tensor:
    """What is in each cell, [B, 9], for each of the patches that it is made of, [B, 36]."""
    return digits.side_by_side(cells[..., None, None].expand(-1, -1, 2, 2)).flatten(1)


class Teacher:
    """Losses and measures of a network on scenes; `ids` are the words' ids."""

    def __init__(self, network: SceneReader | SceneMarker, ids: dict[str, int]):
        self.network, self.ids = network, ids

    def loss(self, batches: SceneBatches, recipe: ScenesRecipe, step: int = 0) -> Tensor:
        """Nats per word of the answers, or per patch."""
        scenes = batches.scenes(recipe.scenes)
        seen = self.network.look(scenes.pictures)
        named = (recipe.named if step >= recipe.named_from else 0) * _nats(self.network.names(seen), self.named(scenes))
        if isinstance(self.network, SceneMarker):
            found = marks.outcomes(scenes.labels, marks.truth(scenes.labels))
            asked = marks.drawn(batches.rng, found, recipe.questions, recipe.kinds(step))
            scene = np.repeat(np.arange(recipe.scenes), recipe.questions)
            logits, truth = self.marks(scenes, scene, asked.ravel(), seen)
            return F.binary_cross_entropy_with_logits(logits, truth) + named
        short = [
            (scene, batches.question(scenes.of(scene)))
            for scene in range(recipe.scenes)
            for _ in range(recipe.questions)
        ]
        memory = self.network.remember(seen)
        whole = [(scene, Question("describe")) for scene in range(recipe.scenes)]
        loss, told = (_nats(*self.words(scenes, pairs, memory)) for pairs in (short, whole))
        return loss + recipe.described * told + named

    def named(self, scenes: Scenes) -> Tensor:
        """The word of the digit that each patch is part of, the end where the cell is empty, [B, P]."""
        words = torch.tensor([WordTokenizer.END, *(self.ids[str(digit)] for digit in range(10))])
        return _patches(words[torch.from_numpy(scenes.labels) + 1])

    def words(self, scenes: Scenes, asked: list[tuple[int, Question]], memory: Memory) -> tuple[Tensor, Tensor]:
        """Logits [B, T, V] and targets [B, T] of questions, each about one scene."""
        pairs = [(question.text, language.answer(scenes.of(scene), question)) for scene, question in asked]
        inputs, targets = texts(pairs, self.ids)
        index = torch.tensor([scene for scene, _ in asked], device=self.network.device)
        assert isinstance(self.network, SceneReader)
        return self.network.write(inputs, [(k[index], v[index]) for k, v in memory]), targets

    def marks(
        self, scenes: Scenes, scene: np.ndarray, asked: np.ndarray, seen: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Logits and truth [N, P] of the questions `asked` [N], of marks.QUESTIONS, about the scenes `scene` [N];
        `seen` is what `look` gave, if it was called."""
        assert isinstance(self.network, SceneMarker)
        seen = self.network.look(scenes.pictures) if seen is None else seen
        of_one_length = [np.flatnonzero(LENGTHS[asked] == length) for length in np.unique(LENGTHS[asked])]
        logits = []
        for rows in of_one_length:
            different, which = np.unique(asked[rows], return_inverse=True)
            memory = self.network.read(torch.tensor([self.ids_of(marks.QUESTIONS[each]) for each in different]))
            index = torch.from_numpy(which).to(seen.device)
            kv = [(k[index], v[index]) for k, v in memory]
            logits.append(self.network.ask(seen[torch.from_numpy(scene[rows]).to(seen.device)], kv))
        back = torch.from_numpy(np.argsort(np.concatenate(of_one_length))).to(seen.device)
        cells = torch.from_numpy(marks.truth(scenes.labels)[scene, asked]).float()
        return torch.cat(logits)[back], _patches(cells).to(seen.device)

    def ids_of(self, question: Question) -> list[int]:
        """A question's words and the end."""
        return [*(self.ids[word] for word in question.text.split()), WordTokenizer.END]

    @torch.inference_mode()
    def marked_right(self, batches: SceneBatches, number: int) -> dict[str, dict[str, float]]:
        """By kind, and by how the answer comes out, the share of questions whose marking is right in every patch: all
        questions are asked about each of the scenes."""
        scenes = batches.scenes(number)
        scene, asked = (each.ravel() for each in np.indices((number, len(marks.QUESTIONS))))
        parts = [
            self.marks(scenes, scene[part], asked[part])
            for part in np.array_split(np.arange(len(scene)), 1 + len(scene) // 2000)
        ]
        right = np.concatenate([((logits > 0) == (true > 0.5)).all(1).cpu().numpy() for logits, true in parts])
        found = marks.outcomes(scenes.labels, marks.truth(scenes.labels))[scene, asked]
        kinds = marks.KIND_OF[asked]
        return {
            kind: {
                name: float(right[(kinds == k) & (found == outcome)].mean())
                for outcome, name in enumerate(marks.NAMES)
                if ((kinds == k) & (found == outcome)).any()
            }
            for k, kind in enumerate(language.KINDS)
        }

    @torch.inference_mode()
    def right(self, batches: SceneBatches, kind: str, number: int) -> float:
        """The share of questions of a kind that are answered exactly, each about a scene of its own."""
        scenes = batches.scenes(number)
        asked = [(scene, batches.question(scenes.of(scene), kind)) for scene in range(number)]
        if isinstance(self.network, SceneMarker):
            index = np.array([marks.QUESTIONS.index(question) for _, question in asked])
            logits, truth = self.marks(scenes, np.arange(number), index)
            return ((logits > 0) == (truth > 0.5)).all(1).float().mean().item()
        # Where each word is the likeliest after the true ones before it, the greedy answer is the true one, and the
        # other way round.
        logits, targets = self.words(scenes, asked, self.network.read(scenes.pictures))
        return ((logits.argmax(-1) == targets) | (targets == IGNORED)).all(1).float().mean().item()


@torch.inference_mode()
def loss_of(teacher: Teacher, batches: SceneBatches, recipe: ScenesRecipe) -> float:
    """The loss on a few batches."""
    return sum(teacher.loss(batches, recipe).item() for _ in range(8)) / 8


def _nats(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten().to(logits.device), ignore_index=IGNORED)


def train(recipe: ScenesRecipe, folder: Path) -> dict[str, Any]:
    """Train a network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`. It
    runs on an NVIDIA GPU where there is one."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule, words = recipe.schedule, tokenizer()
    torch.manual_seed(schedule.seed)
    network = NETWORKS[recipe.config.kind](recipe.config)
    network.to(fastest())
    teacher = Teacher(network, {word: number for number, word in enumerate(words.words)})
    optimizer = loop.optimizer_of(network, schedule)
    batches = SceneBatches(digits.training(), schedule.seed)
    log = loop.empty_log(schedule, network.device)
    if (folder / "log.json").is_file():
        log = loop.resume(folder, network, optimizer, batches)
    began = time.monotonic() - log["seconds"]
    last = schedule.stop or schedule.steps
    bar = tqdm(range(log["step"], last), initial=log["step"], total=last, mininterval=5, unit="step")
    recent: list[Tensor] = []
    for step in bar:
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate(step)
        loss = teacher.loss(batches, recipe, step)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
        optimizer.step()
        recent.append(loss.detach())
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == last:
            now = torch.stack(recent).mean().item()
            log["curve"].append({"step": step + 1, "train_loss": now, **_valid(teacher)})
            log.update(step=step + 1, seconds=time.monotonic() - began)
            bar.set_postfix(loss=f"{now:.4f}", **_told(log["curve"][-1]))
            recent.clear()
            loop.save(folder, network, optimizer, log)
    return log


def _valid(teacher: Teacher) -> dict[str, Any]:
    """The share of each kind of questions that is right on fresh scenes of held-out digits: `right` by kind and, where
    cells are marked, `outcomes` by kind and by how the answer comes out."""
    fresh = SceneBatches(digits.held_out(), 1000, varied=False)
    right = {kind: teacher.right(fresh, kind, FRESH) for kind in language.KINDS}
    if isinstance(teacher.network, SceneReader):
        return {"right": right}
    return {"right": right, "outcomes": teacher.marked_right(fresh, FRESH)}


def _told(point: dict[str, Any]) -> dict[str, str]:
    """A point of the curve in few words."""
    parts = point.get("outcomes")
    if parts is None:
        return {kind: f"{share:.3f}" for kind, share in point["right"].items()}
    return {kind: "/".join(f"{share:.2f}" for share in by.values()) for kind, by in parts.items()}
