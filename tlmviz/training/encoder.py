"""Training an encoder: hidden tokens are guessed; then what its vectors tell of two texts is read out."""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from ..config import EncoderConfig
from ..networks.encoder import TransformerEncoder
from ..networks.transformer import initialise
from ..tokens import Tokenizer
from . import loop
from .data import Corpus
from .loop import Schedule
from .spelling import RandomSpelling

SPECIAL = ("[CLS]", "[SEP]", "[MASK]")
SENTENCE = re.compile(r".+?(?:[.!?]+[\"'”’]*(?=\s)|$)", re.DOTALL)
LEAST = 6  # tokens of a piece
MOST = 1200  # of a story: the few longer documents are many stories in one
RESPELL = 100  # steps between one spelling of the stories and the next
HELD_OUT = (
    (64, 512),
    (128, 256),
    (256, 128),
)  # length and number of the held-out rows that the loss is measured on


@dataclass(frozen=True)
class EncoderRecipe:
    """The network and how it is trained. A step's rows are as long as one of `lengths`, each as often as the others.

    `hidden` of the tokens are guessed: 80 % of them read as [MASK], 10 % as any token, 10 % as themselves (Devlin et al. 2018).
    `single` of the rows hold one piece, the others two, half of these of different stories; [CLS] is asked which. `pairs` of
    each of `judged` lengths are what the answers are read out from when the network is done.
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
        description="Encoder-only: reads stories from both sides, guesses hidden tokens, and judges two pieces of text.",
        n_heads=8,
        d_ff=352,
        dropout=0.1,
    ),
    Schedule(
        steps=1800, batch_tokens=2048, learning_rate=2e-3, weight_decay=0.1, bpe_dropout=0.1, seed=7, evaluate_every=200
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """Training rows of one length: `ids` [B, T] as read, `truth` [B, T] what stood there and -100 where nothing is asked,
    `answer` [B] to what [CLS] is asked: 1 for yes, 0 for no, -100 for a single piece.
    """

    ids: torch.Tensor
    truth: torch.Tensor
    answer: torch.Tensor


@dataclass(frozen=True)
class Story:
    """A story's tokens, and where its sentences begin."""

    ids: np.ndarray
    starts: list[int]


class PairBatches:
    """Endless rows of two pieces, cut where a sentence ends, with a question and its answer.

    `question` "story": are they of one story, as half of them are? "order": does the first come first, as it does in half of
    them?
    """

    def __init__(
        self,
        stories: list[str],
        tokenizer: Tokenizer,
        recipe: EncoderRecipe,
        seed: int,
        question: str = "story",
    ):
        self.texts, self.tokenizer, self.recipe, self.question = stories, tokenizer, recipe, question
        self.rng = np.random.default_rng(seed)
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
        if self.question == "order":
            self._index()

    def batch(self, length: int, rows: int) -> Rows:
        """So many rows of `length` tokens, special ones included, some of their tokens hidden."""
        whole = self.plain(length, rows)
        config, ids = self.recipe.config, whole.ids
        chance = torch.from_numpy(self.rng.random(ids.shape))
        asked = (chance < self.recipe.hidden) & (ids < config.cls)
        how = torch.from_numpy(self.rng.random(ids.shape))
        others = torch.from_numpy(self.rng.integers(0, config.cls, ids.shape))
        read = torch.where(how < 0.8, torch.full_like(ids, config.mask), torch.where(how < 0.9, others, ids))
        return Rows(torch.where(asked, read, ids), ids.masked_fill(~asked, -100), whole.answer)

    def plain(self, length: int, rows: int) -> Rows:
        """The same with nothing hidden."""
        row = {"story": self._of_one_story, "order": self._in_order}[self.question]
        drawn = [row(length) for _ in range(rows)]
        ids = torch.from_numpy(np.stack([ids for ids, _ in drawn]))
        return Rows(ids, torch.full_like(ids, -100), torch.tensor([answer for _, answer in drawn]))

    def _joined(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        config = self.recipe.config
        return np.array([config.cls, *first, config.sep, *second, config.sep])

    def _index(self) -> None:
        """All cuts of all beginnings of stories between whole sentences, by length in tokens: so rows need no filling up."""
        found = []
        for number, story in enumerate(self.stories):
            ends = np.array([*story.starts[1:], len(story.ids)])
            cut, end = (part.ravel() for part in np.meshgrid(ends, ends))
            fits = (cut >= LEAST) & (end - cut >= LEAST) & (end <= self.recipe.config.context - 3)
            found.append(np.stack([np.full(fits.sum(), number), cut[fits], end[fits]], 1))
        pairs = np.concatenate(found)
        self._pairs = pairs[np.argsort(pairs[:, 2], kind="stable")]
        self._lengths = self._pairs[:, 2]

    def _in_order(self, length: int) -> tuple[np.ndarray, int]:
        """A beginning of a story in two pieces, in order or turned round."""
        low, high = np.searchsorted(self._lengths, [length - 3, length - 2])
        number, cut, end = self._pairs[self.rng.integers(low, high)]
        ids, answer = self.stories[number].ids, int(self.rng.random() < 0.5)
        pieces = ids[:cut], ids[cut:end]
        return self._joined(*(pieces if answer else pieces[::-1])), answer

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


class Questioned(TransformerEncoder):
    """The network while it is trained: [CLS] is asked whether two pieces are of one story, through a layer as in BERT.

    It never learns to tell, and what it is asked through is not kept.
    """

    def __init__(self, config: EncoderConfig):
        super().__init__(config)
        self.pooler, self.verdict = nn.Linear(config.d_model, config.d_model), nn.Linear(config.d_model, 1)
        self.pooler.apply(initialise)
        self.verdict.apply(initialise)

    def asked(self, normed: torch.Tensor) -> torch.Tensor:
        """The logit of yes, [B]."""
        return self.verdict(self.pooler(normed[:, 0]).tanh())[:, 0]


def loss_of(network: Questioned, rows: Rows) -> tuple[torch.Tensor, torch.Tensor]:
    """Nats per hidden token, and nats per answer on rows of two pieces."""
    normed = network.read(rows.ids)
    asked, pairs = rows.truth >= 0, rows.answer >= 0
    hidden = F.cross_entropy(network.unembed(normed[asked]), rows.truth[asked])
    return hidden, F.binary_cross_entropy_with_logits(
        network.asked(normed)[pairs], rows.answer[pairs].float()
    )


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
def answered(network: Questioned, held_out: list[Rows]) -> float:
    """The share of [CLS]'s right answers on rows of two pieces."""
    training = network.training
    network.eval()
    pairs = [(network.asked(network.read(rows.ids)), rows.answer) for rows in held_out]
    network.train(training)
    return torch.cat([((said > 0) == (truth > 0))[truth >= 0] for said, truth in pairs]).float().mean().item()


def train(recipe: EncoderRecipe, corpus: Corpus, tokenizer: Tokenizer, folder: Path) -> dict:
    """Train the network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    schedule = recipe.schedule
    torch.manual_seed(schedule.seed)
    network = Questioned(recipe.config)
    optimizer = loop.optimizer_of(network, schedule)
    batches = PairBatches(corpus.train, tokenizer, recipe, schedule.seed)
    held_out = held_out_rows(corpus.valid, tokenizer, recipe)
    log = {"schedule": asdict(schedule), "curve": [], "seconds": 0.0, "tokens": 0, "step": 0}
    if (folder / "log.json").is_file():
        log = loop.resume(folder, network, optimizer, batches)
    began = time.monotonic() - log["seconds"]
    bar = tqdm(
        range(log["step"], schedule.steps),
        initial=log["step"],
        total=schedule.steps,
        mininterval=5,
        unit="step",
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
    network: Questioned, optimizer: torch.optim.Optimizer, rows: Rows, schedule: Schedule, step: int
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
    """The network of a finished run, ready for use: what two texts are judged by is fitted to what it reads in the stories."""
    trained = Questioned(recipe.config)
    trained.load_state_dict(loop.read_weights(run), strict=False)
    network = TransformerEncoder(recipe.config)
    network.load_state_dict(trained.state_dict(), strict=False)
    network.eval().requires_grad_(False)
    for question, seed in (("order", 2000), ("story", 2001)):
        read, answers = features(
            network, PairBatches(corpus.train, tokenizer, recipe, seed, question), recipe.pairs
        )
        _fit(getattr(network, question), read, answers)
    return network


@torch.inference_mode()
def features(network: TransformerEncoder, batches: PairBatches, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """What a question is answered from, [N, F], and the answers [N]: `pairs` of each length that is judged."""
    read = {"order": network.first, "story": network.compared}[batches.question]
    found, answers = [], []
    for length in batches.recipe.judged:
        for start in range(0, pairs, 100):
            rows = batches.plain(length, min(100, pairs - start))
            ids = rows.ids[rows.answer >= 0]
            found.append(read(ids, network.read(ids)))
            answers.append(rows.answer[rows.answer >= 0])
    return torch.cat(found).numpy(), torch.cat(answers).numpy()


def _fit(linear: nn.Linear, read: np.ndarray, answers: np.ndarray) -> None:
    """Logistic regression, into the weights of a linear layer; the network itself is not touched."""
    from sklearn.linear_model import LogisticRegression  # late: it takes half a second to import

    fitted = LogisticRegression(C=0.1, max_iter=500).fit(read, answers)
    linear.weight.copy_(torch.from_numpy(fitted.coef_))
    linear.bias.copy_(torch.from_numpy(fitted.intercept_))
