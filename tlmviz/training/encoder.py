"""Training an encoder: hidden tokens are guessed, exchanged words found, and what its means tell of two texts is read
out."""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from ..config import EncoderConfig
from ..networks.encoder import TransformerEncoder
from ..tokens import Tokenizer
from . import loop
from .data import Corpus
from .loop import Schedule
from .spelling import RandomSpelling

SPECIAL = ("[CLS]", "[SEP]", "[MASK]")
SENTENCE = re.compile(r".+?(?:[.!?]+[\"'”’]*(?=\s)|$)", re.DOTALL)
LEAST = 6  # tokens of a piece
MOST = 1200  # of a story: the few longer documents are many stories in one
TOKENS = 2.0  # weight of the loss of each token's own answer: of a row's tokens few stand exchanged
RESPELL = 100  # steps between one spelling of the stories and the next
HELD_OUT = ((64, 512), (128, 256), (256, 128))  # length and number of the held-out rows that the loss is measured on


@dataclass(frozen=True)
class EncoderRecipe:
    """The network and how it is trained. A step's rows are as long as one of `lengths`, each as often as the others.

    `hidden` of the tokens are guessed: 80 % of them read as [MASK], 10 % as any token, 10 % as themselves (Devlin et
    al. 2018). `single` of the rows hold one piece, the others two, half of these of different stories. In half of all
    rows two neighbouring words are exchanged: [CLS] is asked whether, and each token whether it is one of theirs.
    `pairs` of each of `judged` lengths are what tells texts of one story from others is fitted to when the network is
    done.
    """

    config: EncoderConfig
    schedule: Schedule
    lengths: tuple[int, ...] = (16, 32, 64, 64, 96, 128, 256)
    hidden: float = 0.15
    single: float = 0.15
    judged: tuple[int, ...] = (32, 64, 96, 128, 192)
    pairs: int = 400


RECIPE = EncoderRecipe(
    EncoderConfig.of(
        name="stories-encoder",
        description="Encoder-only: reads stories from both sides, guesses hidden tokens, and judges two pieces of "
        "text.",
        n_heads=8,
        d_ff=352,
        dropout=0.1,
    ),
    Schedule(
        steps=4500, batch_tokens=2048, learning_rate=2e-3, weight_decay=0.1, bpe_dropout=0.1, seed=7, evaluate_every=200
    ),
)


@dataclass(frozen=True)
class Rows:
    """Training rows of one length: `ids` [B, T] as read, `truth` [B, T] what stood there and -100 where nothing is
    asked, `moved` [B, T] the tokens of exchanged words, and at [CLS] whether there are any, and `story` [B] whether
    both pieces are of one story: 1 for yes, 0 for no, -100 for a single piece.
    """

    ids: torch.Tensor
    truth: torch.Tensor
    moved: torch.Tensor
    story: torch.Tensor


@dataclass(frozen=True)
class Story:
    """A story's tokens, and where its sentences begin."""

    ids: np.ndarray
    starts: list[int]


class PairBatches:
    """Endless rows of one piece or two, cut where a sentence ends; half of the pairs are of one story, and in half of
    all rows two neighbouring words of one sentence are exchanged, so that no bag of words tells which rows these are.
    """

    def __init__(self, stories: list[str], tokenizer: Tokenizer, recipe: EncoderRecipe, seed: int):
        self.texts, self.tokenizer, self.recipe = stories, tokenizer, recipe
        self.rng = np.random.default_rng(seed)
        self.begins, self.goes_on = letters(tokenizer, recipe.config.vocab_size)
        self.passes = 0  # pieces are drawn anew each time
        self.spell(0.0)

    def spell(self, dropout: float) -> None:
        """Spell the stories, with BPE-dropout: what is seen again and again is then not the same."""
        sentences = [[part.strip() for part in SENTENCE.findall(text) if part.strip()] for text in self.texts]
        flat = [f" {part}" if i else part for each in sentences for i, part in enumerate(each)]
        if dropout:
            spelling = RandomSpelling(self.tokenizer, dropout)
            ids = iter(spelling.encode_many(flat, int(self.rng.integers(2**63))))
        else:
            ids = iter(self.tokenizer.encode_many(flat))
        found = []
        for each in sentences:
            pieces = [next(ids) for _ in each]
            starts = np.cumsum([0, *(len(piece) for piece in pieces)])[:-1]
            found.append(Story(np.array([i for piece in pieces for i in piece], np.int64), starts.tolist()))
        self.stories = [story for story in found if len(story.ids) <= MOST]

    def batch(self, length: int, rows: int) -> Rows:
        """So many rows of `length` tokens, special ones included, some of their tokens hidden."""
        whole = self.plain(length, rows)
        config, ids = self.recipe.config, whole.ids
        chance = torch.from_numpy(self.rng.random(ids.shape))
        asked = (chance < self.recipe.hidden) & (ids < config.cls)
        how = torch.from_numpy(self.rng.random(ids.shape))
        others = torch.from_numpy(self.rng.integers(0, config.cls, ids.shape))
        read = torch.where(how < 0.8, torch.full_like(ids, config.mask), torch.where(how < 0.9, others, ids))
        return Rows(torch.where(asked, read, ids), ids.masked_fill(~asked, -100), whole.moved, whole.story)

    def plain(self, length: int, rows: int, exchange: float = 0.5) -> Rows:
        """The same with nothing hidden, and words exchanged in a share `exchange` of the rows."""
        drawn = [self._of_one_story(length) for _ in range(rows)]
        ids = np.stack([ids for ids, _ in drawn])
        moved = np.stack(
            [self._exchange(row) if self.rng.random() < exchange else np.zeros(length, bool) for row in ids]
        )
        whole = torch.from_numpy(ids)
        return Rows(
            whole, torch.full_like(whole, -100), torch.from_numpy(moved), torch.tensor([story for _, story in drawn])
        )

    def _exchange(self, ids: np.ndarray) -> np.ndarray:
        """Exchange two neighbouring words of a row in place; which tokens are theirs, and at [CLS] whether any are.

        A word is a token that begins with a space and a letter, and the tokens of letters that go on with it. Words
        with nothing but a space between them are exchanged, where they differ.
        """
        starts = np.flatnonzero(self.begins[ids])
        ends = [self._end(ids, int(start)) for start in starts]
        pairs = [
            (start, middle, end)
            for start, middle, last, end in zip(starts, starts[1:], ends, ends[1:])
            if last == middle and not np.array_equal(ids[start:middle], ids[middle:end])
        ]
        moved = np.zeros(len(ids), bool)
        if pairs:
            start, middle, end = pairs[self.rng.integers(len(pairs))]
            ids[start:end] = np.concatenate((ids[middle:end], ids[start:middle]))
            moved[start:end] = moved[0] = True
        return moved

    def _end(self, ids: np.ndarray, start: int) -> int:
        """Behind the last token of the word that begins at `start`."""
        end = start + 1
        while end < len(ids) and self.goes_on[ids[end]]:
            end += 1
        return end

    def _joined(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        config = self.recipe.config
        return np.array([config.cls, *first, config.sep, *second, config.sep])

    def _of_one_story(self, length: int) -> tuple[np.ndarray, int]:
        """Two pieces of one story that meet where a sentence ends, or such pieces of two stories; or a single piece."""
        if self.rng.random() < self.recipe.single:
            story, start = self._place(0, length - 2)
            config = self.recipe.config
            return np.array([config.cls, *story.ids[start : start + length - 2], config.sep]), -100
        same = bool(self.rng.random() < 0.5)
        room = length - 3
        while True:
            first = int(self.rng.integers(LEAST, room - LEAST + 1))
            left, cut = self._place(first, room - first if same else 0)
            right, at = (left, cut) if same else self._place(0, room - first)
            whole = cut - first in left.starts or at + room - first in (*right.starts, len(right.ids))
            # Where people cut, sentences are whole: of what begins and ends amid them a part is let through.
            if (same or right is not left) and (whole or self.rng.random() < 0.1):
                break
        return self._joined(left.ids[cut - first : cut], right.ids[at : at + room - first]), int(same)

    def _place(self, before: int, after: int) -> tuple[Story, int]:
        """The beginning of a sentence with so many tokens before it and from it on."""
        while True:
            story = self.stories[self.rng.integers(len(self.stories))]
            low = bisect_left(story.starts, before)
            high = bisect_left(story.starts, len(story.ids) - after + 1)
            if len(story.ids) >= before + after and low < high:
                return story, story.starts[self.rng.integers(low, high)]


def letters(tokenizer: Tokenizer, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Which of `size` entries begin a word, as a space and letters, and which go on with one, as letters alone; both
    [V]."""
    texts = [tokenizer.decode([i]) for i in range(size)]
    begins = np.array([text.startswith(" ") and text[1:].isalpha() for text in texts])
    return begins, np.array([text.isalpha() for text in texts])


def loss_of(network: TransformerEncoder, rows: Rows) -> tuple[torch.Tensor, torch.Tensor]:
    """Nats per hidden token, and nats per answer: [CLS]'s, and, weighed, those of the other tokens."""
    normed = network.read(rows.ids)
    asked = rows.truth >= 0
    hidden = F.cross_entropy(network.unembed(normed[asked]), rows.truth[asked])
    nats = F.binary_cross_entropy_with_logits(network.misplaced(normed), rows.moved.float(), reduction="none")
    return hidden, nats[:, 0].mean() + TOKENS * nats[:, 1:].mean()


def held_out_rows(stories: list[str], tokenizer: Tokenizer, recipe: EncoderRecipe) -> list[Rows]:
    """The same rows of held-out stories for every measurement, of several lengths."""
    batches = PairBatches(stories, tokenizer, recipe, 1000)
    return [batches.batch(length, 64) for length, number in HELD_OUT for _ in range(number // 64)]


@torch.inference_mode()
def measured(network: TransformerEncoder, held_out: list[Rows]) -> dict[str, float]:
    """Nats per hidden token, and the share of them guessed right."""
    training = network.training
    network.eval()
    nats, right = [], []
    for rows in held_out:
        asked = rows.truth >= 0
        logits = network.unembed(network.read(rows.ids)[asked])
        nats.append(F.cross_entropy(logits, rows.truth[asked], reduction="none"))
        right.append(logits.argmax(-1) == rows.truth[asked])
    network.train(training)
    return {"hidden": torch.cat(nats).mean().item(), "right": torch.cat(right).float().mean().item()}


@torch.inference_mode()
def told_exchanged(network: TransformerEncoder, rows: Rows) -> np.ndarray:
    """Whether [CLS] is right of each row, [B]."""
    return ((network.misplaced(network.read(rows.ids))[:, 0] > 0) == rows.moved[:, 0]).cpu().numpy()


@torch.inference_mode()
def answered(network: TransformerEncoder, held_out: list[Rows]) -> float:
    """The share of [CLS]'s right answers, tokens being hidden."""
    training = network.training
    network.eval()
    right = [told_exchanged(network, rows) for rows in held_out]
    network.train(training)
    return float(np.concatenate(right).mean())


def train(recipe: EncoderRecipe, corpus: Corpus, tokenizer: Tokenizer, folder: Path) -> dict[str, Any]:
    """Train the network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule = recipe.schedule
    torch.manual_seed(schedule.seed)
    network = TransformerEncoder(recipe.config)
    optimizer = loop.optimizer_of(network, schedule)
    batches = PairBatches(corpus.train, tokenizer, recipe, schedule.seed)
    held_out = held_out_rows(corpus.valid, tokenizer, recipe)
    log: dict[str, Any] = {"schedule": asdict(schedule), "curve": [], "seconds": 0.0, "tokens": 0, "step": 0}
    if (folder / "log.json").is_file():
        log = loop.resume(folder, network, optimizer, batches)
    began = time.monotonic() - log["seconds"]
    bar = tqdm(
        range(log["step"], schedule.steps), initial=log["step"], total=schedule.steps, mininterval=5, unit="step"
    )
    recent: list[tuple[float, float]] = []
    network.train()
    for step in bar:
        if step % RESPELL == 0:
            batches.spell(schedule.bpe_dropout)
        length = int(batches.rng.choice(recipe.lengths))
        rows = batches.batch(length, max(1, schedule.batch_tokens // length))
        recent.append(_update(network, optimizer, rows, schedule, step))
        log["tokens"] += rows.ids.numel()
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == schedule.steps:
            now = np.mean(recent, 0).tolist()
            found = {**measured(network, held_out), "verdicts": answered(network, held_out)}
            log["curve"].append({"step": step + 1, "tokens": log["tokens"], "train": now, **found})
            log.update(step=step + 1, seconds=time.monotonic() - began)
            bar.set_postfix({name: f"{value:.3f}" for name, value in found.items()})
            recent.clear()
            loop.save(folder, network, optimizer, log)
    return log


def _update(
    network: TransformerEncoder, optimizer: torch.optim.Optimizer, rows: Rows, schedule: Schedule, step: int
) -> tuple[float, float]:
    """One optimizer step; returns nats per hidden token and per answer."""
    for group in optimizer.param_groups:
        group["lr"] = schedule.rate(step)
    hidden, verdict = loss_of(network, rows)
    optimizer.zero_grad(set_to_none=True)
    (hidden + verdict).backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
    optimizer.step()
    return hidden.item(), verdict.item()


def finished(recipe: EncoderRecipe, corpus: Corpus, tokenizer: Tokenizer, run: Path) -> TransformerEncoder:
    """The network of a finished run, ready for use: what tells texts of one story is fitted to what it reads in the
    stories."""
    network = TransformerEncoder(recipe.config)
    network.load_state_dict(loop.read_weights(run), strict=False)
    network.eval().requires_grad_(False)
    _fit(network.story, *features(network, PairBatches(corpus.train, tokenizer, recipe, 2001), recipe.pairs))
    return network


@torch.inference_mode()
def features(network: TransformerEncoder, batches: PairBatches, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """What texts of one story are told by, [N, F], and the answers [N]: `pairs` of each length that is judged."""
    found, answers = [], []
    for length in batches.recipe.judged:
        for start in range(0, pairs, 100):
            rows = batches.plain(length, min(100, pairs - start), exchange=0.0)
            ids = rows.ids[rows.story >= 0]
            found.append(network.compared(ids, network.read(ids)))
            answers.append(rows.story[rows.story >= 0])
    return torch.cat(found).numpy(), torch.cat(answers).numpy()


def _fit(linear: nn.Linear, read: np.ndarray, answers: np.ndarray) -> None:
    """Logistic regression, into the weights of a linear layer; the network itself is not touched."""
    from sklearn.linear_model import LogisticRegression  # late: it takes half a second to import

    fitted = LogisticRegression(C=0.1, max_iter=500).fit(read, answers)
    linear.weight.copy_(torch.from_numpy(fitted.coef_))
    linear.bias.copy_(torch.from_numpy(fitted.intercept_))
