"""What the parts Steps and Cost of the page KV cache share: a recorded generation, and its operations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tlmviz.analysis.caches import cost, decode_steps
from tlmviz.analysis.caches.cost import Shape
from tlmviz.analysis.caches.decode_steps import Decoding, Generation
from tlmviz.checks import Check, caches_decoding, measure
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute
from tlmviz.ui.cached import cached

from .state import Cache


@dataclass(frozen=True)
class Data:
    """A generation with the rows, keys, values and bytes of each step."""

    chosen: Cache

    @property
    def lm(self) -> LanguageModel:
        """The model that generates."""
        return compute.model(self.chosen.model)

    @property
    def shape(self) -> Shape:
        return Shape.of(self.lm.config)

    @cached(24)
    def generation(model: str, text: str, tokens: int, temperature: float, seed: int) -> Generation:
        """What all heads did; another head is looked up in it."""
        lm = compute.model(model)
        ids = lm.encode(text)
        return compute.run_in_worker(
            lambda: decode_steps.generate(lm, ids, tokens, temperature, seed), len(ids) + tokens
        )

    @cached(24)
    def done(model: str, text: str, head: tuple[int, int], tokens: int, temperature: float, seed: int) -> Decoding:
        """The same for every part and every view of it."""
        written = Data.generation(model, text, tokens, temperature, seed)
        return compute.run_in_worker(lambda: written.of(*head), len(written.ids))

    @cached_property
    def flops(self) -> list[tuple[int, int]]:
        """Operations of each step with the cache and without, the prompt's first."""
        config, prompt = self.lm.config, self.done.prompt
        return [
            tuple(cost.step_flops(config, prompt + step, cached).total for cached in (True, False))
            for step in range(self.done.steps + 1)
        ]

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Operations of all generated tokens, with the cache and without."""
        cached, again = map(sum, zip(*self.flops[1:], strict=True))
        return cached, again

    @cached(24)
    def checks(model: str, text: str, head: tuple[int, int], tokens: int, temperature: float, seed: int) -> list[Check]:
        """The identities behind the page, measured on the generation."""
        lm, done = compute.model(model), Data.done(model, text, head, tokens, temperature, seed)
        return compute.run_in_worker(lambda: measure(caches_decoding, lm, done, *head), len(done.ids))
