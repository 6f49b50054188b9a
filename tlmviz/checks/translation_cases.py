"""The standard inputs of translators' identities, and the predicates that say which translators have what; see
`cases`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from tlmviz.analysis.translation import copying, masks, score_steps

from ..decoding.records import Candidate, Search, aligned
from .registry import once

if TYPE_CHECKING:
    from ..facades.translator import Translator


@dataclass(frozen=True)
class Translation:
    """A sentence, the search for its translation, and the best candidate."""

    text: str
    search: Search
    best: Candidate

    @property
    def attention(self) -> Float[np.ndarray, "t a s"]:
        """Every map of the best candidate, which a search behind a source always has."""
        assert self.best.attention is not None
        return self.best.attention

    @property
    def alignment(self) -> Float[np.ndarray, "t s"]:
        """The best candidate's map that counts as a_ij."""
        return aligned(self.attention, self.search.align)


@dataclass(frozen=True)
class Attentions:
    """A sentence, a translation in ids, and the maps of all three attentions on both."""

    text: str
    translation: tuple[int, ...]
    maps: masks.Maps


def is_translator(model: Any) -> bool:
    """Whether the model translates sentences."""
    return bool(model.task == "translation")


def is_encoder_decoder(model: Any) -> bool:
    """Whether the model is a Transformer that translates."""
    return is_translator(model) and model.config.kind == "encoder-decoder"


def is_recurrent(model: Any) -> bool:
    """Whether the model is a recurrent network with attention."""
    return is_translator(model) and model.config.kind == "seq2seq"


def has_pointer(model: Any) -> bool:
    """Whether the model can copy from the source."""
    return is_translator(model) and model.has_pointer


def has_product_score(model: Any) -> bool:
    """Whether the score of recurrent attention is a product of a state with a key."""
    return is_recurrent(model) and model.config.score.kind != "additive"


def translation(mt: Translator, text: str) -> Translation:
    """A sentence translated by a beam of 5 under the usual penalties. Raises BadText."""
    search = mt.search(text)
    return Translation(text, search, search.hypotheses()[0])


def attentions(mt: Translator, text: str, target: tuple[int, ...]) -> Attentions:
    """A sentence and a translation, read in one pass. Raises BadText."""
    return Attentions(text, target, masks.read(mt, text, list(target)))


def translated(mt: Translator, text: str) -> tuple[Translator, Translation]:
    """(mt, translation): a beam of 5."""
    return mt, once(translation, mt, text)


def masked(mt: Translator, text: str) -> tuple[Translator, Attentions]:
    """(mt, attentions): the sentence and the best translation of a beam of 5, read in one pass."""
    return mt, attentions(mt, text, once(translation, mt, text).best.tokens)


def scored(mt: Translator, text: str) -> tuple[Translator, score_steps.Steps]:
    """(mt, steps): recurrent attention on the sentence and the best translation of a beam of 5."""
    return mt, score_steps.read(mt, text, list(once(translation, mt, text).best.tokens))


def copied(mt: Translator, text: str) -> tuple[Translator, copying.Copied]:
    """(mt, what is written and copied): the best translation of a beam of 5, read token by token."""
    return mt, copying.read(mt, text, list(once(translation, mt, text).best.tokens))
