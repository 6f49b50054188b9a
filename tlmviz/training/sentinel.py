"""Training the pointer-sentinel mixture and its twin without a pointer: same stories, order, seed and budget."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from ..config import SentinelConfig
from ..networks.sentinel import SentinelLSTM, likelihood, stand_ins
from ..tokens.whole_words import WordTokenizer
from . import loop
from .data import Corpus
from .loop import Schedule
from .machine import fastest

LEAST = 5  # times that a word of the vocabulary occurs in the training stories
MOST_WORDS = 448  # of a story: longer ones are cut


@dataclass(frozen=True)
class SentinelRecipe:
    """A network and how it is trained. In each pass a story's names are hidden with `names` and its less common words
    with `words`: the text is then read as if the vocabulary lacked them, so that words nobody ever saw can be told from
    one another and copied.
    """

    config: SentinelConfig
    schedule: Schedule
    names: float = 0.5
    words: float = 0.02


_CONFIG = SentinelConfig(
    name="stories-sentinel",
    description="Pointer-sentinel mixture on stories: an LSTM that writes words or copies them from the text.",
    d_model=128,
    dropout=0.3,
)
SCHEDULE = Schedule(
    steps=2000,
    batch_tokens=3072,
    learning_rate=4e-3,
    warmup=60,
    weight_decay=0.05,
    betas=(0.9, 0.99),
    seed=6,
    evaluate_every=100,
)
RECIPES = {
    config.name: SentinelRecipe(config, SCHEDULE)
    for config in (
        _CONFIG,
        replace(
            _CONFIG,
            name="stories-sentinel-plain",
            description="The twin of stories-sentinel without its pointer: the same LSTM, stories, order and steps.",
            pointer=False,
        ),
    )
}


class StoryBatches:
    """Endless batches of whole stories, those of similar length together, shuffled anew for every pass."""

    def __init__(self, stories: list[str], tokenizer: WordTokenizer, recipe: SentinelRecipe, seed: int):
        self.recipe, self.size = recipe, tokenizer.vocab_size
        self.stories = [np.array(_columns(tokenizer, story)) for story in stories]
        self.names, self.common = _names(tokenizer, self.stories)  # [V], whether a word is one
        self.rng = np.random.default_rng(seed)
        self.passes = 0
        self._waiting: list[np.ndarray] = []

    def batch(self, words: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Inputs, the columns read, and the columns that follow, [B, T] each with B T of about so many words; -100
        fills."""
        if not self._waiting:
            self._waiting = self._one_pass(words)
            self.passes += 1
        return self.gather([self.hidden(self.stories[i]) for i in self._waiting.pop()])

    def gather(self, stories: list[np.ndarray]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The same of given stories."""
        longest = max(map(len, stories)) - 1
        columns, following = (np.full((len(stories), longest), fill) for fill in (WordTokenizer.END, -100))
        for row, story in enumerate(stories):
            columns[row, : len(story) - 1], following[row, : len(story) - 1] = story[:-1], story[1:]
        inputs = stand_ins(columns, self.size, self.recipe.config.stand_ins)
        return torch.from_numpy(inputs), torch.from_numpy(columns), torch.from_numpy(following)

    def hidden(self, story: np.ndarray) -> np.ndarray:
        """A story some of whose words are taken for unknown; which stand-in each unknown word has is drawn anew."""
        shares = np.where(self.names, self.recipe.names, np.where(self.common, 0.0, self.recipe.words))
        kinds = np.unique(story)
        known = kinds[kinds < self.size]
        chosen = known[self.rng.random(len(known)) < shares[known]]
        unknown = np.concatenate((chosen, kinds[kinds >= self.size]))
        places = self.rng.permutation(max(len(unknown), self.recipe.config.stand_ins))[: len(unknown)]
        table = np.arange(max(story.max(), self.size) + 1)
        table[unknown] = self.size + places
        return table[story]

    def _one_pass(self, words: int) -> list[np.ndarray]:
        lengths = np.array([len(story) for story in self.stories])
        order = np.argsort(lengths + self.rng.uniform(0, 30, len(lengths)))
        batches: list[np.ndarray] = []
        row: list[int] = []
        for i in order:
            if row and (len(row) + 1) * max(lengths[i], lengths[row[-1]]) > words:
                batches.append(np.array(row))
                row = []
            row.append(i)
        batches.append(np.array(row))
        return [batches[i] for i in self.rng.permutation(len(batches))]


def learned_words(folder: Path, stories: list[str]) -> WordTokenizer:
    """The runs' vocabulary, learned once: a resumed run must number the words the same way."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(WordTokenizer.train(stories, LEAST).to_json(), encoding="utf-8")
    return WordTokenizer.load(path)


def _columns(tokenizer: WordTokenizer, story: str) -> list[int]:
    return [*tokenizer.encode(story).columns[:MOST_WORDS], WordTokenizer.END]


def _names(tokenizer: WordTokenizer, stories: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Which words of the vocabulary are names (hardly ever seen without a capital), and which others the 300 most
    common."""
    counts = np.bincount(np.concatenate(stories), minlength=tokenizer.vocab_size)
    by_word = Counter(dict(zip(tokenizer.words, counts)))
    names = np.array(
        [w[:1].isupper() and len(w) > 1 and by_word[w.lower()] < 0.02 * by_word[w] for w in tokenizer.words]
    )
    common = np.arange(tokenizer.vocab_size) < 300
    common[WordTokenizer.END] = True
    names[: WordTokenizer.UNKNOWN + 1] = False
    return names, common & ~names


def loss_of(network: SentinelLSTM, batch: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, int]:
    """The sum of nats over a batch's words, and their number."""
    inputs, columns, following = (part.to(network.device) for part in batch)
    counted = following >= 0
    p = likelihood(network(inputs), columns, following.clamp_min(0), network.config.vocab_size)
    return -(p[counted].clamp_min(1e-20).log().sum()), int(counted.sum())


def train(recipe: SentinelRecipe, corpus: Corpus, tokenizer: WordTokenizer, folder: Path) -> dict[str, Any]:
    """Train a network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule = recipe.schedule
    torch.manual_seed(schedule.seed)
    network = SentinelLSTM(replace(recipe.config, vocab_size=tokenizer.vocab_size)).to(fastest())
    optimizer = loop.optimizer_of(network, schedule)
    torch.manual_seed(schedule.seed)  # the same dropout for both twins
    batches = StoryBatches(corpus.train, tokenizer, recipe, schedule.seed)
    held_out = StoryBatches(corpus.valid, tokenizer, recipe, 0)
    log = loop.empty_log(schedule, network.device)
    if (folder / "log.json").is_file():
        log = loop.resume(folder, network, optimizer, batches)
    began = time.monotonic() - log["seconds"]
    last = schedule.stop or schedule.steps
    bar = tqdm(range(log["step"], last), initial=log["step"], total=last, mininterval=5, unit="step")
    recent: list[tuple[float, int]] = []
    network.train()
    for step in bar:
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate(step)
        nats, number = loss_of(network, batches.batch(schedule.batch_tokens))
        optimizer.zero_grad(set_to_none=True)
        (nats / number).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
        optimizer.step()
        recent.append((nats.item(), number))
        log["tokens"] += number
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == last:
            now, valid = (sum(n for n, _ in recent) / sum(n for _, n in recent), held_out_loss(network, held_out))
            point = {"step": step + 1, "tokens": log["tokens"], "train_loss": now, "valid_loss": valid}
            log["curve"].append(point)
            log.update(step=step + 1, seconds=time.monotonic() - began, passes=batches.passes)
            bar.set_postfix(loss=f"{now:.3f}", held_out=f"{valid:.4f}")
            recent.clear()
            loop.save(folder, network, optimizer, log)
    return log


@torch.inference_mode()
def held_out_loss(network: SentinelLSTM, held_out: StoryBatches) -> float:
    """Nats per word of stories, nothing hidden; a word outside of the vocabulary counts as in `likelihood`."""
    network.eval()
    order = sorted(held_out.stories, key=len)
    parts = [loss_of(network, held_out.gather(order[at : at + 8])) for at in range(0, len(order), 8)]
    network.train()
    return sum(nats.item() for nats, _ in parts) / sum(number for _, number in parts)
