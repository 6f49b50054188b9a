"""The tour "What a cache saves": bytes per token, work not done again, and four ways to keep less."""

from __future__ import annotations

import torch

from tlmviz.analysis.caches.cost import cache_bytes, step_flops, weight_bytes
from tlmviz.analysis.caches.family import DEEPSEEK
from tlmviz.analysis.caches.shapes import SHAPES
from tlmviz.analysis.cost import layer
from tlmviz.figures.written import number

from .. import compute
from .measures import STORY, nearest, story
from .parts import Measured, Question, Step, Tour

FILLED = 256  # tokens, at which buffers are full
LARGE = "LLaMA 2 70B"


def _filled(model: str, tokens: int = FILLED) -> int:
    """Bytes of a model's own cache behind so many tokens."""
    lm = compute.model(model)

    def work() -> int:
        cache = lm.new_cache()
        lm(torch.zeros(1, tokens, dtype=torch.long, device=lm.device), cache=cache)
        return cache.nbytes

    return compute.run_in_worker(work, tokens)


def _per_token() -> Measured:
    each = _filled(STORY) // FILLED
    said = f"a real cache of {FILLED} tokens has {number(_filled(STORY), ',')} bytes, {number(each, ',')} a token."
    return Measured(nearest(each, (100, 1_000, 9_000, 90_000)), said)


def _work() -> Measured:
    """How many times the operations of a step the model needs without its cache."""
    config = story().config
    kept, again = (step_flops(config, FILLED, cached).total for cached in (True, False))
    millions = (
        f"{number(again / 1e6, ',.0f')} million operations in place of {number(kept / 1e6, '.1f')} million"
    )
    said = f"{millions}, {again / kept:.0f} times."
    return Measured(nearest(again / kept, (2, 16, 256)), said)


def _pairs() -> Measured:
    """How many times the pairs of query and key are computed without a cache, for a hundred words."""
    found = layer.growth(layer.Sizes(), 16, 100, "cells")
    again, kept = sum(found.without), sum(found.cached)
    said = f"{number(again, ',')} pairs in place of {number(kept, ',')}, {again / kept:.0f} times."
    return Measured(nearest(again / kept, (8, 80, 800)), said)


def _one_head() -> Measured:
    many, one = _filled("zoo-rope") // FILLED, _filled("zoo-mqa") // FILLED
    said = f"{number(many, ',')} bytes per token with eight heads of keys and values, {number(one, ',')} with one."
    return Measured(nearest(many / one, (2, 8, 64)), said)


def _ring() -> Measured:
    short, long = _filled("zoo-window", 64), _filled("zoo-window", FILLED)
    said = f"{number(short, ',')} bytes at 64 tokens and {number(long, ',')} at {FILLED}."
    return Measured(0 if long == short else 1, said)


def _latent() -> Measured:
    kept = {variant.name: variant.cached for variant in DEEPSEEK.variants()}
    said = f"{number(kept['MLA'], ',')} numbers per token and layer in place of {number(kept['MHA'], ',')}."
    return Measured(nearest(kept["MHA"] / kept["MLA"], (2, 10, 57)), said)


def _large() -> Measured:
    shape = next(shape for shape in SHAPES if shape.name == LARGE)
    size = cache_bytes(shape, 4096, 1, 16)
    said = f"{number(size / 1e9, '.2f')} GB in 16 bits, beside {number((weight_bytes(shape) or 0) / 1e9, '.0f')} GB of weights."
    return Measured(nearest(size, (1.3e6, 1.3e9, 1.3e11)), said)


TOUR = Tour(
    "cache",
    "What a cache saves",
    "Writing word by word, a model would read everything again for each. It keeps keys and values instead, and pays in memory.",
    (
        Step(
            "kv_cache",
            "One row, one column",
            "Press ▶: every new word adds a row to the map, its query, and a column, its key. Keys and values of all earlier "
            "words "
            "are there already.",
            ".st-key-decode-view",
            {},
            Question(
                "How many bytes does this model keep for each word it read?",
                ("about 100", "about 1,000", "about 9,000", "about 90,000"),
                _per_token,
            ),
        ),
        Step(
            "layer_bill",
            "One and two and so on",
            "A hundred words after a prompt of 16. Without a cache each word looks at all pairs of words again, with it at its "
            "own row.",
            ".st-key-layer-bill-view",
            {"lbview": "Word by word"},
            Question(
                "How many times as many pairs does that take, without a cache?",
                ("about 8", "about 80", "about 800"),
                _pairs,
            ),
        ),
        Step(
            "kv_cache",
            "In operations",
            "Not only pairs: without the cache every matrix of the model runs over the whole text again, for one new word. The "
            "lines "
            "are measured on this machine and counted by formula.",
            ".st-key-kvflops",
            {"kview": "Cost"},
            Question(
                "At 256 words, how many times the operations of a cached step?",
                ("about 2", "about 16", "about 256"),
                _work,
            ),
        ),
        Step(
            "kv_cache",
            "Sharing keys and values",
            "The same model trained with fewer heads of keys and values: eight, two, one, or a short latent vector in their "
            "place. "
            "Bars are bytes of real caches.",
            ".st-key-kvbytes",
            {"kview": "Models"},
            Question(
                "One head of keys and values for eight of queries: how much smaller?",
                ("2 times", "8 times", "64 times"),
                _one_head,
            ),
        ),
        Step(
            "kv_cache",
            "Forgetting",
            "This model looks back 64 words and no further. Its cache is a ring: what is older is written over.",
            ".st-key-decode-view",
            {"model": "zoo-window"},
            Question(
                "After word 64, what does the cache do as the text goes on?",
                ("stays as it is", "grows on"),
                _ring,
            ),
        ),
        Step(
            "attention_family",
            "One short vector",
            "DeepSeek's 128 heads share one latent vector per word, from which each makes keys and values of its own. Press ▶ "
            "to see "
            "heads merge.",
            ".st-key-morph",
            {"fset": "DeepSeek"},
            Question(
                "How many times less is kept than with 128 heads of their own?",
                ("2", "10", "57"),
                _latent,
            ),
        ),
        Step(
            "attention_family",
            "At full size",
            "A model of 70 billion parameters, one request of 4,096 words: choose another model, more requests, fewer bits.",
            ".st-key-kvmemory",
            {"fview": "Calculator"},
            Question("How large is that one cache?", ("1.3 MB", "1.3 GB", "130 GB"), _large),
        ),
        Step(
            "serving",
            "Many at once",
            "Six requests on one server: memory is cut into pages, and those who begin alike share them until each writes its "
            "own "
            "word. With ten pages there are too few, and some must give theirs back.",
            ".st-key-server",
            {"vpages": "10"},
        ),
    ),
)
