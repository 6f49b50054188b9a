"""A trained translation model with its tokenizer: what `tlmviz.load("eng-fra")` returns."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import torch
from jaxtyping import Float

from ..config import Seq2SeqConfig, TranslatorConfig
from ..decoding.beam import BeamOptions, beam_search
from ..decoding.penalties import Penalties, Score
from ..decoding.records import Search
from ..decoding.steppers import Stepper, stepper_of
from ..errors import BadText
from ..networks.encoder_decoder import EncoderDecoder
from ..networks.seq2seq import Seq2Seq
from ..networks.teacher_forcing import teacher_forced_pass
from ..tokens import Tokenizer
from .base import Facade

if TYPE_CHECKING:
    import pandas as pd

SPACES = re.compile(r"[\s\u200b]+")  # \s has the no-break spaces; the zero-width one is not among them
PER_SOURCE, SPARE = 3, 10  # a translation may have 3 |X| + 10 tokens: longer ones only repeat themselves


def tidy(text: str) -> str:
    """A sentence as the models read it: one space between words, none around, straight apostrophes."""
    return SPACES.sub(" ", text).strip().replace("’", "'")


@dataclass(frozen=True)
class Hypothesis:
    """A translation. `tokens` and `logps` (nats) have an entry for each written token, the end token included.

    `attention` [|Y|, |X|] says how much each written token looked at each source token, rows summing to 1: the map that
    the coverage penalty reads. `score` is the sum of `parts`. `tree` is the search as a table, a line per candidate.
    """

    text: str
    score: float
    attention: Float[np.ndarray, "t s"] = field(repr=False)
    tree: pd.DataFrame = field(repr=False)
    tokens: list[str]
    source: list[str]
    logps: list[float] = field(repr=False)
    parts: Score = field(repr=False)
    finished: bool
    stopped: str
    others: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True)
class Reading:
    """What a model says of a given translation: nats per token [|Y|], and every attention map [|Y|, A, |X|]."""

    logp: Float[np.ndarray, " t"]
    attention: Float[np.ndarray, "t a s"]


class Translator(Facade[EncoderDecoder | Seq2Seq, TranslatorConfig]):
    """An English-to-French model: translates, and shows the whole search behind a translation."""

    task: ClassVar[str] = "translation"
    default_text: ClassVar[str] = "The black cat is sleeping on the red chair."

    def __init__(self, network: EncoderDecoder | Seq2Seq, tokenizer: Tokenizer):
        super().__init__(network)
        self.tokenizer = tokenizer

    @cached_property
    def on_cpu(self) -> Translator:
        """This model with its weights on the CPU, for what is computed from the weights: itself where they are
        there."""
        if self.device.type == "cpu":
            return self
        return Translator(copy.deepcopy(self.network).cpu(), self.tokenizer)

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        return f"{self.n_parameters / 1e6:.1f} M parameters, reads {self.config.context:,} tokens"

    @property
    def maps(self) -> list[str]:
        """Names of the attention maps between target and source, in the order of `Step.attention`'s A."""
        return self.network.map_names()

    @property
    def align(self) -> int | None:
        """Which of `maps` counts as a_ij unless told otherwise: the one measured to align best; None is their mean."""
        return self.network.alignment_map()

    @property
    def has_pointer(self) -> bool:
        """Whether it can copy what stands in the source (004 section 7.2)."""
        return isinstance(self.config, Seq2SeqConfig) and self.config.pointer

    def encode(self, text: str) -> list[int]:
        """Ids of a source sentence. Raises BadText when it is empty or longer than the model reads."""
        text = tidy(text)
        if not text:
            raise BadText("The sentence is empty; type at least one word.")
        ids = self.tokenizer.encode(text)
        if len(ids) > self.config.context:
            raise BadText(
                f"This text has {len(ids):,} tokens, and {self.name} translates one sentence "
                f"of at most {self.config.context} tokens; shorten it."
            )
        return ids

    def encode_target(self, text: str) -> list[int]:
        """Ids of a (begun) translation, as `search` takes them for `prefix`; empty for no text."""
        return self.tokenizer.encode(tidy(text)) if tidy(text) else []

    def familiar(self, text: str) -> float:
        """Share of the sentence's tokens that are no lone bytes of a longer character: low for text unlike what was
        learned."""
        pieces = [self.tokenizer.token_bytes(i) for i in self.encode(text)]
        return sum(len(piece) > 1 or piece.isascii() for piece in pieces) / len(pieces)

    def stepper(self, text: str, pins: dict[int, int] | None = None) -> Stepper:
        """The model with a source read and nothing written. `pins` forces steps (from 0) to attend to one source token.

        Raises BadText, also for a pin on a token that the source does not have.
        """
        source = self.encode(text)
        for step, place in (pins or {}).items():
            if not 0 <= place < len(source) or step < 0:
                raise BadText(
                    f"Step {step} cannot look at source token {place}; the source has tokens 0 to {len(source) - 1}."
                )
        return stepper_of(self.network, source, self.tokenizer.end_of_text, pins)

    def longest(self, text: str) -> int:
        """Tokens that a translation of this sentence may have."""
        return min(self.config.context, PER_SOURCE * len(self.encode(text)) + SPARE)

    def search(self, text: str, options: BeamOptions | None = None, pins: dict[int, int] | None = None) -> Search:
        """Beam search for a translation; the attention that counts is `align` unless the options choose another.

        Raises BadText and BadSearch.
        """
        options = options or BeamOptions()
        if options.align is None:
            options = replace(options, align=self.align)
        longest = max(self.longest(text), len(options.prefix))
        return beam_search(self.stepper(text, pins), replace(options, max_length=min(options.max_length, longest)))

    def translate(
        self,
        text: str,
        beam: int = 5,
        alpha: float = 0.6,
        beta: float = 0.2,
        gamma: float = 0.0,
        max_length: int = 60,
        n_best: int | None = None,
    ) -> Hypothesis:
        """The best translation that a beam of this width finds, under length, coverage and end penalties.

        Raises BadText (empty, too long) and BadSearch (a width outside 1-20, a negative weight).
        """
        options = BeamOptions(width=beam, max_length=max_length, n_best=n_best, penalties=Penalties(alpha, beta, gamma))
        search = self.search(text, options)
        best, *others = search.hypotheses()
        attention = best.map(search.align)
        assert attention is not None  # every step of a translator looks at the source
        return Hypothesis(
            text=self.text(best.tokens),
            score=best.score,
            attention=attention,
            tree=search.table(self.tokenizer.name),
            tokens=self.names(best.tokens),
            source=self.names(self.encode(text)),
            logps=list(best.logps),
            parts=best.parts,
            finished=best.finished,
            stopped=search.stopped,
            others=tuple(self.text(one.tokens) for one in others[: (n_best or beam) - 1]),
        )

    def text(self, ids: Sequence[int]) -> str:
        """The sentence that some ids spell; the end token leaves nothing."""
        return self.tokenizer.decode(ids).strip()

    def names(self, ids: Iterable[int]) -> list[str]:
        """Readable names of ids."""
        return [self.tokenizer.name(i) for i in ids]

    @torch.inference_mode()
    def read(self, text: str, translation: list[int]) -> Reading:
        """A given translation (ids) read in one pass, as in training. Raises BadText."""
        keep = (".cross.q", ".cross.k", ".cross.lse")
        forced = teacher_forced_pass(self.network, self.encode(text), translation, self.tokenizer.end_of_text, keep)
        maps = self.network.cross_maps(forced.values, forced.attention)
        return Reading(forced.logp.cpu().numpy(), maps[: len(translation)].cpu().numpy())
