"""Recurrent translation with attention and input feeding (004 section 7; Luong et al. 2015, Bahdanau et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..config import Seq2SeqConfig
from ..layers.alignment import SCORES, weights
from ..trace import Tap
from .base import Network


@dataclass(frozen=True)
class Reading:
    """A source as the decoder sees it: states z [B, S, D] and what the score makes of them."""

    z: Tensor
    keys: Tensor


@dataclass
class State:
    """The decoder between two tokens: h [B, D], attentional_hidden h~ [B, C], coverage [B, S], last weights [B, S]."""

    reading: Reading
    h: Tensor
    attentional_hidden: Tensor
    coverage: Tensor
    weights: Tensor | None = None

    def pick(self, rows: Int[Tensor, " r"]) -> State:
        """Row i of the result is row `rows[i]`; a batch of beams that share one source keeps one copy of it."""
        reading = self.reading
        if len(reading.z) != 1:
            reading = Reading(reading.z[rows], reading.keys[rows])
        return State(reading, self.h[rows], self.attentional_hidden[rows], self.coverage[rows])


class Seq2Seq(Network):
    """A bidirectional GRU reads, a GRU writes; between them one attention whose score is the model's choice.

    At every target token: h = GRU([y; h~], h), a = softmax(score(h, z)), c = sum of a z (Eq. 44),
    h~ = tanh(W [c; h]) (Eq. 45, then a layer of its own), logits = h~ E', with one embedding E for all three places.
    """

    def __init__(self, config: Seq2SeqConfig):
        super().__init__()
        self.config = config
        width, hidden = config.d_model, config.hidden
        self.token_emb = nn.Embedding(config.vocab_size, width)
        self.drop = nn.Dropout(config.dropout)
        self.encoder = nn.GRU(width, hidden // 2, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(hidden, hidden)
        self.cell = nn.GRUCell(2 * width, hidden)
        self.score = SCORES[config.score.kind](hidden, config.score.coverage)
        self.combine = nn.Linear(2 * hidden, width)
        self.z, self.h, self.a, self.context = Tap(), Tap(), Tap(), Tap()
        self.covered, self.attentional_hidden, self.logits = Tap(), Tap(), Tap()
        nn.init.normal_(self.token_emb.weight, std=width**-0.5)
        for name, weight in (*self.encoder.named_parameters(), *self.cell.named_parameters()):
            if "weight_hh" in name:
                for gate in weight.data.chunk(3):
                    nn.init.orthogonal_(gate)
        self.finish()

    def start(self, source: Int[Tensor, "b s"]) -> State:
        """Read the sources; nothing is written yet. All sources of a batch have the same length."""
        states, last = self.encoder(self.drop(self._embed(source.to(self.device))))
        z = self.z(self.drop(states))  # [B, S, D]
        h = self.bridge(torch.cat((last[0], last[1]), -1)).tanh()
        nothing = z.new_zeros(z.shape[:2])
        return State(Reading(z, self.score.prepare(z)), h, z.new_zeros(len(z), self.config.d_model), nothing)

    def advance(self, embedded: Float[Tensor, "b c"], state: State) -> State:
        """One target token further, with input feeding: the state behind it, with its attention weights."""
        h = self.h(self.cell(torch.cat((embedded, state.attentional_hidden), -1), state.h))  # [B, D]
        coverage = self.covered(state.coverage)
        scores = self.score(
            self.drop(h), state.reading.keys, coverage if self.config.score.coverage else None
        )
        a = self.a(weights(scores))  # [B, S]
        context = self.context(torch.einsum("bs,bsd->bd", a, state.reading.z.expand(len(a), -1, -1)))
        combined = self.combine(torch.cat((context, self.drop(h)), -1)).tanh()
        attentional_hidden = self.attentional_hidden(self.drop(combined))  # [B, C]
        return State(state.reading, h, attentional_hidden, coverage + a, a)

    def step(self, ids: Int[Tensor, " b"], state: State) -> tuple[Float[Tensor, "b v"], State]:
        """Logits after one more token in each row, and the state behind it."""
        state = self.advance(self._embed(ids.to(self.device)), state)
        return self.logits(self._out(state.attentional_hidden)), state

    def forward(self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]) -> tuple[Tensor, Tensor]:
        """Logits after each token of a whole target [B, T, V], and the attention weights there [B, T, S]."""
        state, hidden, attention = self.start(source), [], []
        for embedded in self.drop(self._embed(target.to(self.device))).unbind(1):
            state = self.advance(embedded, state)
            hidden.append(state.attentional_hidden)
            attention.append(state.weights)
        return self._out(torch.stack(hidden, 1)), torch.stack(attention, 1)

    def map_names(self) -> list[str]:
        """The name of its one map between target and source."""
        return ["attention"]

    def alignment_map(self) -> int | None:
        """Its one map is the alignment."""
        return 0

    def cross_maps(
        self, values: dict[str, Tensor], attention: Float[Tensor, "1 t s"]
    ) -> Float[Tensor, "t 1 s"]:
        """The map of one pass, from its attention weights."""
        return attention[0, :, None]

    def _embed(self, ids):
        # As in the Transformer: one matrix for input and output, small for the one, of unit size for the other.
        return self.token_emb(ids) * self.config.d_model**0.5

    def _out(self, attentional_hidden):
        return nn.functional.linear(attentional_hidden, self.token_emb.weight)


def overlap(attention: Float[Tensor, "b t s"]) -> Float[Tensor, "b t"]:
    """covloss_t = sum over the source of min(a_t, coverage so far), in [0, 1] (Eq. 48-49)."""
    before = attention.cumsum(1) - attention
    return torch.minimum(attention, before).sum(-1)
