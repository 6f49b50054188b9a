"""A trained encoder: what `tlmviz.load("stories-encoder")` returns."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import torch
from jaxtyping import Float

from ..config import EncoderConfig
from ..errors import BadText, UnknownName
from ..layers import Attention
from ..layers.positions import Positions
from ..networks.encoder import TransformerEncoder
from ..tokens import Tokenizer
from ..tracing.trace import Edit, Recording, Trace, keep_attention, recording
from .base import Facade

MASK = "[MASK]"
_HIDDEN = re.compile(r"[ \t]*\[MASK\]")  # the space before a hidden word is part of its token


@dataclass(frozen=True)
class Guess:
    """What may stand at a hidden place. `position` counts tokens from [CLS], which is 0; `words` are (token,
    probability), the most probable first; `probabilities` [V] are those of all tokens.
    """

    position: int
    words: list[tuple[str, float]]
    probabilities: Float[torch.Tensor, " v"] = field(repr=False)


class EncoderModel(Facade[TransformerEncoder, EncoderConfig]):
    """An encoder-only model: guesses hidden tokens from both sides, tells whether two neighbouring words of a text are
    exchanged, and whether two texts belong together.

    Texts are read as [CLS] text [SEP], two of them as [CLS] a [SEP] b [SEP]. [MASK] in a text stands for a hidden
    token.
    """

    task: ClassVar[str] = "encoder"
    default_text: ClassVar[str] = (
        "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the [MASK]."
    )

    def __init__(self, network: TransformerEncoder, tokenizer: Tokenizer):
        super().__init__(network)
        self.tokenizer = tokenizer

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        config = self.config
        return (
            f"{config.n_layers} layers × {config.n_heads} heads, d {config.d_model}, "
            f"{self.n_parameters / 1e6:.1f} M parameters, reads {config.context:,} tokens"
        )

    @cached_property
    def causal(self) -> EncoderModel:
        """The same weights with the causal mask of a decoder: each token reads itself and those before it.

        It was not trained so, and [CLS], the first token, then reads nothing but itself.
        """
        network = copy.deepcopy(self.network)
        for block in network.blocks:
            assert isinstance(block.attn, Attention)  # an encoder has no latents to read
            block.attn.causal = True
        return EncoderModel(network, self.tokenizer)

    def encode(self, text: str, second: str | None = None) -> list[int]:
        """Ids of a text, or of two, with [CLS] and [SEP]. Raises BadText: an empty text, or more than the context."""
        ids = [self.config.cls]
        for which, part in enumerate((text,) if second is None else (text, second)):
            if not part.strip():
                what = "The text is" if second is None else f"The {('first', 'second')[which]} text is"
                raise BadText(f"{what} empty; type at least one word.")
            ids += [*self._read(part.strip()), self.config.sep]
        if len(ids) > self.config.context:
            raise BadText(
                f"This text has {len(ids):,} tokens, [CLS] and [SEP] included, and {self.name} reads at most "
                f"{self.config.context:,}; shorten it."
            )
        return ids

    def _read(self, text: str) -> list[int]:
        """Ids of a text in which [MASK] stands for hidden tokens; other special tokens are plain text.

        It begins with a space, as words within a story do, where that takes no more tokens: a first word is then the
        same token as anywhere else.
        """
        spaced, bare = (self._spell(_HIDDEN.split(each)) for each in (f" {text}", text))
        return spaced if len(spaced) <= len(bare) else bare

    def _spell(self, pieces: list[str]) -> list[int]:
        ids = self.tokenizer.encode(pieces[0]) if pieces[0] else []
        for piece in pieces[1:]:
            ids += [self.config.mask, *self.tokenizer.encode(piece)]
        return ids

    def names(self, ids: list[int]) -> list[str]:
        """Readable names of ids."""
        return [self.tokenizer.name(i) for i in ids]

    def predict(self, text: str, top: int = 10) -> list[Guess]:
        """What may stand at each [MASK] of a text. Raises BadText, also for a text without one."""
        ids = self.encode(text)
        places = [place for place, i in enumerate(ids) if i == self.config.mask]
        if not places:
            raise BadText(f"The text has no {MASK}; write {MASK} for each word that is to be guessed.")
        rows = self.probabilities(torch.tensor([ids]))[0, places]
        return [self.guess(place, row, top) for place, row in zip(places, rows)]

    def guess(self, position: int, probabilities: Float[torch.Tensor, " v"], top: int = 10) -> Guess:
        """A row of `probabilities` as a Guess."""
        best = probabilities.topk(min(top, len(probabilities)))
        words = [(self.tokenizer.name(i), p) for i, p in zip(best.indices.tolist(), best.values.tolist())]
        return Guess(position, words, probabilities)

    @torch.inference_mode()
    def probabilities(self, ids: torch.Tensor) -> Float[torch.Tensor, "b t v"]:
        """At every place of ids [B, T], the probability of each token, that it stands there."""
        logits: torch.Tensor = self.network(ids)
        return logits.softmax(-1).cpu()

    def belong(self, a: str, b: str) -> float:
        """The probability that two texts are of one story, judged by comparing their mean vectors. Raises BadText."""
        ids, normed = self._vectors(a, b)
        return float(self.network.of_one_story(ids, normed).sigmoid())

    def exchanged(self, text: str, second: str | None = None) -> float:
        """The probability that two neighbouring words of a text, or of two, stand exchanged, read from [CLS]. Raises
        BadText."""
        return float(self.misplaced(text, second)[0])

    def misplaced(self, text: str, second: str | None = None) -> Float[torch.Tensor, " t"]:
        """Of each token the probability that it is one of two exchanged words, read from its own vector; at 0, where
        [CLS] is, that there are any. Raises BadText.
        """
        return self.network.misplaced(self._vectors(text, second)[1][0]).sigmoid().cpu()

    @torch.inference_mode()
    def _vectors(self, text: str, second: str | None) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids [1, T], and the vectors that all is read from [1, T, C]."""
        ids = torch.tensor([self.encode(text, second)])
        return ids, self.network.read(ids)

    def trace(
        self,
        text: str,
        second: str | None = None,
        edit: Mapping[str, Edit] | None = None,
        keep: Callable[[str], bool] = keep_attention,
    ) -> Trace:
        """One pass over a text, or two, watched: tokens, every map, and logits of what stands at each place.

        `edit` maps tap names to functions that change tensors on the way. Raises BadText, and UnknownName for an edit
        of a tap that does not exist.
        """
        ids, names = self.encode(text, second), self.network.tap_names()
        unknown = set(edit or {}) - names
        if unknown:
            raise UnknownName(f"There is no tensor named {sorted(unknown)[0]!r} to edit in {self.name}.")

        def run(
            keep: Callable[[str], bool],
            edit: Mapping[str, Edit] | None = edit,
            place: Callable[[Positions], Positions] | None = None,
        ) -> Recording:
            with torch.inference_mode(), recording(keep, edit) as record:
                self.network(torch.tensor([ids]), place(self.network.positions) if place else None)
            return record

        return Trace(
            ids,
            self.names(ids),
            run(keep),
            self.network.specs(),
            names,
            run,
            None if "logits" in (edit or {}) else self.network.unembed,
            model=self.name,
            made_by="tlmviz",
        )
