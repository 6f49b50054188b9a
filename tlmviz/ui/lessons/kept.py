"""What lesson 7 measures: one look back, what a word leaves to be kept, and six people's questions in one memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from tlmviz.analysis.caches.cost import Shape, step_flops
from tlmviz.analysis.samples import sample_text
from tlmviz.decoding.serving import serve
from tlmviz.decoding.serving_records import Request, Run, Server
from tlmviz.facades.language_model import LanguageModel

from .measures import Head, row, words_at

OWN, FOURS, ALL, SHORT = MODELS = "zoo-rope", "zoo-gqa", "zoo-mqa", "zoo-mla"  # alike but for keys and values
STORY = "Lily lost her ball in the park. Tom came to help. He looked under the tree and found the"
HEAD: Head = (1, 6)  # of the first model: looks for the thing
NEAR, FAR, FULL, PARTS = 20, 200, 64, 8  # two words to compare, words of a full buffer, stories as long as is read
FIRST, OTHER = "Lily", "Anna"  # how the story begins, and how it does for E
REQUESTS = (
    f"{STORY} ball. He",
    f"{STORY} ball. She",
    f'{STORY} ball. Lily said, "',
    "Tom and Anna were friends. Tom gave Anna a",
    STORY.replace(FIRST, OTHER, 1) + " ball. Then",
    "The cat",
)
PEOPLE, TOKENS, SERVER = "ABCDEF", (24, 24, 10, 40, 16, 8), Server(page=4, pages=96, batch=6)


@dataclass(frozen=True)
class Found:
    """What is computed and kept for the story, by models that differ in keys and values alone; how six are served."""

    tokens: list[str]
    new: str  # the piece that is written next
    looks: list[float]  # of the head, from the last word
    row: Mapping[str, list[float]]  # the query of the last word, key and value of the one that it looks at most
    shape: Shape
    bytes: Mapping[str, int]  # that a word takes, by model
    numbers: Mapping[str, int]  # of them a layer
    right: Mapping[str, float]  # the share of words that a model guesses right
    work: Sequence[float]  # multiplications of the word NEAR, of the word FAR, and of that with nothing kept
    more: float  # and of the word FAR where a short row is kept
    context: int
    run: Run  # the six served at once
    begins: list[str]  # what E wrote, piece by piece

    @property
    def read(self) -> int:
        """Words of the story."""
        return len(self.tokens) - 1

    @property
    def best(self) -> int:
        """The token that gets most of the look."""
        return _most(self.tokens, self.looks)

    @property
    def letters(self) -> int:
        """Bytes of that word as text."""
        return len(self.tokens[self.best].strip())

    @property
    def lengths(self) -> list[int]:
        """Of each person, question and answer."""
        return [len(one) + len(other) for one, other in zip(self.run.prompts, self.run.answers)]

    @property
    def paged(self) -> int:
        """Words that there is room for in the pages that all of them take."""
        return sum(-(-length // SERVER.page) * SERVER.page for length in self.lengths)

    @property
    def filled(self) -> float:
        """The share of the memory that is filled, were it reserved for the longest text."""
        return sum(self.lengths) / len(PEOPLE) / self.context

    @property
    def pages(self) -> tuple[list[int], list[int]]:
        """Pages of each prompt, and how many of them were found whole."""
        found = (sum(step.snapshots[i].num_cached_tokens for step in self.run.steps) for i in range(len(PEOPLE)))
        return [-(-len(ids) // SERVER.page) for ids in self.run.prompts], [each // SERVER.page for each in found]


def measure(lms: Mapping[str, LanguageModel], text: str) -> Found:
    """All of it: some seventy short passes."""
    lm = lms[OWN]
    one = lm.trace(text)
    looks, (layer, head) = row(one, HEAD), HEAD
    places = {"q": -1, "k": _most(one.tokens, looks), "v": _most(one.tokens, looks)}
    new = lm.tokenizer.decode([int(one.probabilities().argmax())])
    shapes = {name: Shape.of(lms[name].config) for name in MODELS}
    requests = [Request(*each, 0, 0.8, seed) for seed, each in enumerate(zip(REQUESTS, TOKENS))]
    return Found(
        one.tokens,
        new,
        looks,
        {each: one[f"blocks.{layer}.attn.{each}"][0, head, at].tolist() for each, at in places.items()},
        shapes[OWN],
        {name: _kept(lms[name]) for name in MODELS},
        {name: shape.numbers_per_token_per_layer for name, shape in shapes.items()},
        {name: _right(lms[name]) for name in MODELS},
        [step_flops(lm.config, *each).total / 2 for each in ((NEAR,), (FAR,), (FAR, False))],
        step_flops(lms[SHORT].config, FAR).total / 2,
        lm.config.context,
        serve(lm, requests, SERVER),
        lm.trace(REQUESTS[PEOPLE.index("E")]).tokens,
    )


def _most(tokens: Sequence[str], looks: Sequence[float]) -> int:
    return max(words_at(tokens), key=looks.__getitem__)


def _kept(lm: LanguageModel) -> int:
    """Bytes of a word in a model's own cache."""
    cache = lm.new_cache()
    lm(torch.zeros(1, FULL, dtype=torch.long, device=lm.device), cache=cache)
    return cache.nbytes // FULL


def _right(lm: LanguageModel) -> float:
    """The share of next pieces that are guessed right, in stories that another model wrote."""
    ids = torch.tensor(lm.tokenizer.encode(sample_text(), bos=True))
    parts = ids[: PARTS * lm.config.context].view(PARTS, -1)
    return float((lm(parts)[:, :-1].argmax(-1) == parts[:, 1:]).double().mean())
