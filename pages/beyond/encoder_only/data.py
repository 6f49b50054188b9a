"""Everything that the page Encoder-only shows: hidden tokens, what [CLS] reads, maps of three models, and the
identities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
from jaxtyping import Float

import tlmviz
from tlmviz.analysis.beyond.encoding import each_hidden, read_by_first
from tlmviz.analysis.translation import masks
from tlmviz.checks import Check, beyond_encoder, measure
from tlmviz.errors import BadText
from tlmviz.facades.encoder import EncoderModel
from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.translator import Translator
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import translation
from tlmviz.ui.cached import cached

from .state import CLS, HIDDEN, KINDS, LONGEST, MASKS, Choice

THREE = NAME, DECODER, BOTH = "stories-encoder", "zoo-rope", "eng-fra"
SHOWN = 7  # words of a prediction


@st.cache_resource(show_spinner=False)
def model() -> EncoderModel:
    """The encoder."""
    loaded = tlmviz.load(NAME)
    assert isinstance(loaded, EncoderModel)
    return loaded


@dataclass(frozen=True)
class Hidden:
    """Each token of a text hidden alone: probabilities [T, V] read from both sides, and with a causal mask on."""

    ids: list[int]
    tokens: list[str]
    both: Float[np.ndarray, "t v"]
    causal: Float[np.ndarray, "t v"]

    def of_truth(self, rows: Float[np.ndarray, "t v"]) -> Float[np.ndarray, " t"]:
        """Probabilities of the tokens that stand there."""
        return rows[np.arange(len(self.ids)), self.ids]

    @property
    def asked(self) -> np.ndarray:
        """Places [n] of the text's own tokens."""
        config = model().config
        return np.array([at for at, i in enumerate(self.ids) if i < config.cls], dtype=int)

    def bits(self, rows: Float[np.ndarray, "t v"]) -> Float[np.ndarray, " n"]:
        """What each of the text's own tokens costs, hidden alone."""
        return -np.log2(np.maximum(self.of_truth(rows)[self.asked], 1e-12))

    def guessed(self, rows: Float[np.ndarray, "t v"]) -> int:
        """How many of them are guessed right."""
        return int((rows[self.asked].argmax(1) == np.array(self.ids)[self.asked]).sum())


@st.cache_resource(max_entries=32, show_spinner=False)
def hidden(text: str) -> Hidden:
    """Every token hidden once. Raises BadText."""
    encoder = model()
    ids = encoder.encode(text)

    def work() -> Hidden:
        return Hidden(ids, encoder.names(ids), each_hidden(encoder, ids), each_hidden(encoder.causal, ids))

    return shared.run_in_worker(work, len(ids) ** 2)


def most_gained(found: Hidden) -> int:
    """The place of the word whose probability gains most from what stands at its right; a [MASK] where the text has
    one."""
    if model().config.mask in found.ids:
        return found.ids.index(model().config.mask)
    gain = found.of_truth(found.both) - found.of_truth(found.causal)
    spelled = [at for at in found.asked if found.tokens[at].strip().isalpha()]
    return int(max(spelled or found.asked, key=lambda at: gain[at]))


@st.cache_resource(max_entries=32, show_spinner=False)
def trace(text: str, second: str | None = None, causal: bool = False) -> Trace:
    """One pass of the encoder, or of its copy with a causal mask. Raises BadText."""
    encoder = model().causal if causal else model()
    return shared.run_in_worker(lambda: encoder.trace(text, second), shared.about(text))


@dataclass(frozen=True)
class Verdict:
    """What is told of two texts: of each token the probability that it is one of two exchanged words, at 0 [CLS]'s that
    there are any, [T]; and from the means that both texts are of one story.
    """

    misplaced: Float[np.ndarray, " t"]
    belong: float

    @property
    def exchanged(self) -> float:
        """What [CLS] says."""
        return float(self.misplaced[0])

    @property
    def suspects(self) -> list[int]:
        """The places whose own vectors say that they are exchanged."""
        return [at for at, p in enumerate(self.misplaced) if at and p > 0.5]


@st.cache_data(max_entries=64, show_spinner=False)
def judge(first: str, second: str, causal: bool = False) -> Verdict:
    """What the encoder, or its copy with a causal mask, says of two texts. Raises BadText."""
    encoder = model().causal if causal else model()

    def work() -> Verdict:
        return Verdict(encoder.misplaced(first, second).numpy(), encoder.belong(first, second))

    return shared.run_in_worker(work, shared.about(first + second))


def telling_reader(first: str, second: str) -> tuple[int, int]:
    """The head in which [CLS] reads most of what says it is exchanged; where nothing does, most of both texts."""
    row, suspects = trace(first, second).row(0).numpy(), judge(first, second).suspects
    special = read_by_first(row, trace(first, second).ids, model().config.sep)[..., 2]
    weight = row[..., suspects].sum(-1) if suspects else 1 - special
    layer, head = divmod(int(weight.argmax()), weight.shape[1])
    return layer, head


def farthest_ahead(text: str) -> tuple[int, int]:
    """The head with the most weight on later tokens, [SEP] apart, which all read."""
    watched = trace(text)
    ahead = [
        float(watched.attention(layer, head)[:-1, :-1].triu(1).sum())
        for layer in range(watched.n_layers)
        for head in range(watched.n_heads)
    ]
    layer, head = divmod(int(np.argmax(ahead)), watched.n_heads)
    return layer, head


def three() -> tuple[EncoderModel, LanguageModel, Translator]:
    """An encoder, a decoder of its size and tokens, and a model with both."""
    return model(), shared.model(DECODER), translation.model(BOTH)


@dataclass(frozen=True)
class Answers:
    """What each kind of model makes of a sentence: the middle word guessed, the next word, the translation."""

    hidden: str
    guess: str
    p: float
    following: str
    p_following: float
    translated: str


def answers(text: str) -> Answers:
    """The live row of the comparison. Raises BadText."""
    found = hidden(text)
    place = most_gained(found)
    best = int(found.both[place].argmax())
    watched = shared.trace(DECODER, text)
    following = watched.probabilities()
    top = int(following.argmax())
    mt = translation.model(BOTH)
    own = translation.own_translation(BOTH, text)
    return Answers(
        found.tokens[place].strip(),
        model().tokenizer.name(best),
        float(found.both[place, best]),
        shared.model(DECODER).tokenizer.name(top),
        float(following[top]),
        mt.text(own),
    )


# --- what the page shows ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Data:
    """What the page shows; what the open part does not show is not computed. Raises BadText for what cannot be read, or
    is too long for the part."""

    chosen: Choice

    def __post_init__(self) -> None:
        ALLOWED[self.chosen.part](self.chosen)

    @property
    def read(self) -> tuple[str, str | None]:
        """What the encoder reads: one text, or two."""
        return self.chosen.read

    @property
    def encoder(self) -> EncoderModel:
        return model()

    @property
    def opening(self) -> tuple[int, int]:
        """The head that the part opens on."""
        return telling_reader(*self.read) if self.chosen.part == CLS else farthest_ahead(self.read[0])

    @property
    def found(self) -> Hidden:
        """Every token of the text hidden once."""
        return hidden(self.chosen.text)

    @property
    def place(self) -> int:
        """The hidden token that is looked at."""
        place, found = self.chosen.place, self.found
        return place if 0 < place < len(found.ids) - 1 else most_gained(found)

    def offers(self, rows: Float[np.ndarray, "t v"], place: int, truth: int | None) -> list[tuple[str, float]]:
        """The most probable tokens at a place, and the one that stands there."""
        best = np.argsort(-rows[place])[:SHOWN].tolist()
        if truth is not None and truth not in best:
            best[-1] = truth
        return [(model().tokenizer.name(i), float(rows[place, i])) for i in best]

    @property
    def masked(self) -> bool:
        """Whether it was hidden already, as [MASK] in the text."""
        return self.found.ids[self.place] == model().config.mask

    def first(self, rows: Float[np.ndarray, "t v"]) -> tuple[str, float]:
        """The likeliest token there, and its probability."""
        best = int(rows[self.place].argmax())
        return model().tokenizer.name(best), float(rows[self.place, best])

    @property
    def watched(self) -> Trace:
        """The encoder's pass over what is read."""
        return trace(*self.read)

    @property
    def rows(self) -> Float[np.ndarray, "l h s"]:
        """What [CLS] weighs in every layer and head."""
        return self.watched.row(0).numpy()

    @property
    def row(self) -> Float[np.ndarray, " s"]:
        """What it weighs in the chosen head."""
        return self.rows[self.chosen.layer, self.chosen.head]

    @property
    def judged(self) -> Verdict:
        """Whether words are exchanged, and both texts of one story."""
        return judge(*self.read)

    @property
    def blind(self) -> float:
        """Whether words are exchanged, with a causal mask on."""
        return judge(*self.read, causal=True).exchanged

    @cached_property
    def maps(self) -> tuple[np.ndarray, np.ndarray]:
        """The head's map as trained, and with a causal mask on."""
        both = (trace(self.chosen.text, None, causal) for causal in (False, True))
        free, masked = (each.attention(self.chosen.layer, self.chosen.head).numpy() for each in both)
        return free, masked

    @property
    def spread(self) -> float:
        """How far the masked map is from the free one whose forbidden cells' weight is spread over what is left."""
        free, masked = self.maps
        left = np.tril(free)
        return float(np.abs(left / left.sum(1, keepdims=True) - masked).max())

    @cached(16)
    def both_maps(sentence: str) -> masks.Maps:
        """The three maps of the model with encoder and decoder."""
        own = list(translation.own_translation(BOTH, sentence))
        return shared.run_in_worker(lambda: masks.read(translation.model(BOTH), sentence, own), shared.about(sentence))

    @property
    def nearest(self) -> tuple[int, int]:
        """The head of the model with both that is drawn: of the same numbers, or of its last layer and head."""
        maps, config = self.both_maps, translation.model(BOTH).config
        return min(self.chosen.layer, len(maps.decoder) - 1), min(self.chosen.head, config.n_heads - 1)

    @property
    def answers(self) -> Answers:
        """What three kinds of models make of the sentence."""
        return answers(self.chosen.sentence)

    @cached(32)
    def checks(read: tuple[str, str | None]) -> list[Check]:
        """The identities behind this page, on what is read."""
        watched = trace(*read)
        return shared.run_in_worker(lambda: measure(beyond_encoder, model(), *read, watched), shared.about(read[0]))


def _allow_text(chosen: Choice) -> None:
    count = len(model().encode(chosen.text))
    if not 4 <= count <= LONGEST:
        raise BadText(
            "This text has {count} tokens, [CLS] and [SEP] included; this page shows 4 to {most}.",
            count=count,
            most=LONGEST,
        )


def _allow_pair(chosen: Choice) -> None:
    model().encode(chosen.first, chosen.second)


def _allow_sentence(chosen: Choice) -> None:
    for each in three():
        each.encode(chosen.sentence)
    if len(model().encode(chosen.sentence)) > LONGEST // 2:
        raise BadText(
            "This sentence has more than {most} tokens, too many for five maps; shorten it.", most=LONGEST // 2 - 2
        )


ALLOWED = {HIDDEN: _allow_text, MASKS: _allow_text, CLS: _allow_pair, KINDS: _allow_sentence}
