"""Recurrent translation with attention and input feeding (004 section 7; Luong et al. 2015, Bahdanau et al. 2015).

With a pointer it also copies from the source (004 Eq. 52-53; See et al. 2017).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..config import Seq2SeqConfig
from ..layers.alignment import SCORES, weights
from ..tracing.trace import Tap
from .base import Network


@dataclass(frozen=True)
class Reading:
    """A source as the decoder sees it: its ids [B, S], states z [B, S, D] and what the score makes of them."""

    ids: Tensor
    z: Tensor
    keys: Tensor


@dataclass
class State:
    """The decoder between two tokens: h [B, D], attentional_hidden h~ [B, C], coverage [B, S], last weights [B, S].

    `gate` [B, 1] is what a pointer's gate was before its sigmoid at the last token; None without a pointer.
    """

    reading: Reading
    h: Tensor
    attentional_hidden: Tensor
    coverage: Tensor
    weights: Tensor | None = None
    gate: Tensor | None = None

    def pick(self, rows: Int[Tensor, " r"]) -> State:
        """Row i of the result is row `rows[i]`; a batch of beams that share one source keeps one copy of it."""
        reading = self.reading
        if len(reading.z) != 1:
            reading = Reading(reading.ids[rows], reading.z[rows], reading.keys[rows])
        return State(reading, self.h[rows], self.attentional_hidden[rows], self.coverage[rows])


class Seq2Seq(Network):
    """A bidirectional GRU reads, a GRU writes; between them one attention whose score is the model's choice.

    At every target token: h = GRU([y; h~], h), a = softmax(score(h, z)), c = sum of a z (Eq. 44),
    h~ = tanh(W [c; h]) (Eq. 45, then a layer of its own), logits = h~ E', with one embedding E for all three places.

    With a pointer the logits are log p of a mixture, p(w) = g p_vocab(w) + (1 - g) p_ptr(w) (Eq. 53), with p_vocab =
    softmax(h~ E'), p_ptr(w) = the sum of a over places where w stands in the source, g = sigmoid(u [c; h; y] + b).
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
        with torch.random.fork_rng(devices=[]):  # all else begins with the same numbers in a twin without it
            self.gate = nn.Linear(2 * hidden + width, 1) if config.pointer else None
        self.z, self.h, self.a, self.context = Tap(), Tap(), Tap(), Tap()
        self.covered, self.attentional_hidden, self.logits = Tap(), Tap(), Tap()
        self.gate_logit = Tap()  # [B, T], before the sigmoid
        nn.init.normal_(self.token_emb.weight, std=width**-0.5)
        for name, weight in (*self.encoder.named_parameters(), *self.cell.named_parameters()):
            if "weight_hh" in name:
                for gate in weight.data.chunk(3):
                    nn.init.orthogonal_(gate)
        self.finish()

    def start(self, source: Int[Tensor, "b s"]) -> State:
        """Read the sources; nothing is written yet. All sources of a batch have the same length."""
        source = source.to(self.device)
        states, last = self.encoder(self.drop(self._embed(source)))
        z = self.z(self.drop(states))  # [B, S, D]
        h = self.bridge(torch.cat((last[0], last[1]), -1)).tanh()
        nothing = z.new_zeros(z.shape[:2])
        return State(Reading(source, z, self.score.prepare(z)), h, z.new_zeros(len(z), self.config.d_model), nothing)

    def advance(self, embedded: Float[Tensor, "b c"], state: State) -> State:
        """One target token further, with input feeding: the state behind it, with its attention weights."""
        h = self.h(self.cell(torch.cat((embedded, state.attentional_hidden), -1), state.h))  # [B, D]
        coverage = self.covered(state.coverage)
        scores = self.score(self.drop(h), state.reading.keys, coverage if self.config.score.coverage else None)
        a = self.a(weights(scores))  # [B, S]
        context = self.context(torch.einsum("bs,bsd->bd", a, state.reading.z.expand(len(a), -1, -1)))
        combined = self.combine(torch.cat((context, self.drop(h)), -1)).tanh()
        attentional_hidden = self.attentional_hidden(self.drop(combined))  # [B, C]
        gate = None if self.gate is None else self.gate(torch.cat((context, h, embedded), -1))
        return State(state.reading, h, attentional_hidden, coverage + a, a, gate)

    def step(self, ids: Int[Tensor, " b"], state: State) -> tuple[Float[Tensor, "b v"], State]:
        """Logits after one more token in each row, and the state behind it."""
        state = self.advance(self._embed(ids.to(self.device)), state)
        return self.logits(self._out([state])[:, 0]), state

    def forward(self, source: Int[Tensor, "b s"], target: Int[Tensor, "b t"]) -> tuple[Tensor, Tensor]:
        """Logits after each token of a whole target [B, T, V], and the attention weights there [B, T, S]."""
        state, states = self.start(source), []
        for embedded in self.drop(self._embed(target.to(self.device))).unbind(1):
            states.append(state := self.advance(embedded, state))
        return self._out(states), _side_by_side(states, "weights")

    def map_names(self) -> list[str]:
        """The name of its one map between target and source."""
        return ["attention"]

    def alignment_map(self) -> int | None:
        """Its one map is the alignment."""
        return 0

    def cross_maps(self, values: dict[str, Tensor], attention: Float[Tensor, "1 t s"] | None) -> Float[Tensor, "t 1 s"]:
        """The map of one pass, from its attention weights."""
        assert attention is not None  # its own pass gives them; another network's gives None
        return attention[0, :, None]

    def _embed(self, ids: Tensor) -> Tensor:
        # As in the Transformer: one matrix for input and output, small for the one, of unit size for the other.
        return self.token_emb(ids) * self.config.d_model**0.5

    def _out(self, states: list[State]) -> Float[Tensor, "b t v"]:
        """Logits after each of the tokens that led to these states; with a pointer log p of the mixture."""
        logits = nn.functional.linear(_side_by_side(states, "attentional_hidden"), self.token_emb.weight)
        if self.gate is None:
            return logits
        gate = self.gate_logit(_side_by_side(states, "gate")[..., 0])
        return mixture(logits, gate, _side_by_side(states, "weights"), states[0].reading.ids)


def _side_by_side(states: list[State], part: str) -> Tensor:
    """One part of the states of successive tokens, as [B, T, ...]."""
    return torch.stack([getattr(state, part) for state in states], 1)


def mixture(
    logits: Float[Tensor, "b t v"],
    gate: Float[Tensor, "b t"],
    attention: Float[Tensor, "b t s"],
    source: Int[Tensor, "#b s"],
) -> Float[Tensor, "b t v"]:
    """log(g softmax(logits) + (1 - g) p_ptr), g = sigmoid(gate): p_ptr gives a token the attention on all its places
    (Eq. 53)."""
    written = gate.sigmoid()[..., None] * logits.softmax(-1)
    copied = (-gate).sigmoid()[..., None] * attention  # 1 - g, whose digits a g near 1 no longer has
    p = written.scatter_add(-1, source[:, None].expand(attention.shape), copied)
    return p.clamp_min(torch.finfo(p.dtype).tiny).log()


def overlap(attention: Float[Tensor, "b t s"]) -> Float[Tensor, "b t"]:
    """covloss_t = sum over the source of min(a_t, coverage so far), in [0, 1] (Eq. 48-49)."""
    before = attention.cumsum(1) - attention
    return torch.minimum(attention, before).sum(-1)
