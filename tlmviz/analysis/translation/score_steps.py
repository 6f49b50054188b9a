"""Recurrent attention step by step: states, scores, weights and the mixture, and the same by scaled dot-product
attention."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from tlmviz import kernels
from tlmviz.config import Seq2SeqConfig
from tlmviz.errors import BadShape
from tlmviz.layers.alignment import Additive, weights
from tlmviz.networks.seq2seq import Seq2Seq
from tlmviz.protocols import TranslatorLike
from tlmviz.recording import recording

WARM = 3  # rounds that are not counted


@dataclass(frozen=True)
class Steps:
    """One pass over a sentence [S] and its translation [T]; D is the size of a state.

    `keys` is what the score makes of the source once: z itself for the dot score, W z for the general one.
    """

    z: Float[np.ndarray, "s d"]
    keys: Float[np.ndarray, "s d"]
    h: Float[np.ndarray, "t d"]
    scores: Float[np.ndarray, "t s"]
    a: Float[np.ndarray, "t s"]
    context: Float[np.ndarray, "t d"]
    logp: Float[np.ndarray, " t"]  # nats of each translated token
    product: bool  # whether the score is a product of h with a key, which SDPA could compute

    @property
    def entropy(self) -> Float[np.ndarray, " t"]:
        """Bits of every row of weights: 0 looks at one token, log2 S at all alike."""
        return entropy(self.a)

    def shares(self, t: int) -> Float[np.ndarray, "s d"]:
        """What every source state brings to the mixture c_t: a_tj z_j (Eq. 44)."""
        return self.a[t][:, None] * self.z


@torch.inference_mode()
def read(mt: TranslatorLike, text: str, translation: list[int]) -> Steps:
    """A given translation read token by token; `mt` must be recurrent. Raises BadText."""
    network: Seq2Seq = mt.network
    found: dict[str, list[torch.Tensor]] = {name: [] for name in ("h", "score.scores", "a", "context")}
    logps = []
    state = network.start(torch.tensor([mt.encode(text)]))
    for token, following in zip([mt.tokenizer.end_of_text, *translation[:-1]], translation):
        with recording(lambda name: name in found) as record:
            logits, state = network.step(torch.tensor([token]), state)
        for name, values in found.items():
            values.append(record.values[name][0].cpu())
        logps.append(logits[0].log_softmax(-1)[following].cpu())
    h, scores, a, context = (torch.stack(values).numpy() for values in found.values())
    z, keys = state.reading.z[0].cpu().numpy(), state.reading.keys[0].cpu().numpy()
    return Steps(z, keys, h, scores, a, context, torch.stack(logps).numpy(), not isinstance(network.score, Additive))


def entropy(a: Float[np.ndarray, "t s"]) -> Float[np.ndarray, " t"]:
    """Bits of each row of weights, 0 log 0 being 0."""
    a = np.asarray(a, np.float64)
    return -(a * np.log2(a, out=np.zeros_like(a), where=a > 0)).sum(-1)


@torch.inference_mode()
def as_attention(steps: Steps, scale: float = 1.0) -> tuple[Float[np.ndarray, "t d"], Float[np.ndarray, "t s"]]:
    """Mixtures and weights from `kernels.attention` with q = h, k = the keys, v = z (000 section 1.3, Eq. 5-6).

    `scale` multiplies the scores: 1 as in the notes; SDPA's own is D ** -0.5. Raises BadShape for an additive score.
    """
    if not steps.product:
        raise BadShape(
            "An additive score v·tanh(W1 h + W2 z) is no product of h with a key; take a dot or general model."
        )
    q, k, v = (torch.from_numpy(part)[None, None] for part in (steps.h, steps.keys, steps.z))
    mixture, lse = kernels.attention(q, k, v, scale=scale, causal=False)
    return mixture[0, 0].numpy(), kernels.attention_map(q, k, lse, scale=scale, causal=False)[0, 0].numpy()


def entropy_at(steps: Steps, scales: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Mean bits per step of softmax(scale · scores), for every scale."""
    scores = torch.from_numpy(steps.scores)
    return np.array([entropy(weights(scores * float(scale)).numpy()).mean() for scale in scales])


@dataclass(frozen=True)
class Times:
    """Milliseconds of every round, [N]: reading for the score, once per source; one step's scores with their
    softmax."""

    prepare: Float[np.ndarray, " n"]
    step: Float[np.ndarray, " n"]


@torch.inference_mode()
def times(passes: Sequence[tuple[TranslatorLike, Steps]], rounds: int = 31) -> list[Times]:
    """How long each model's score alone takes on its states, with a batch of one.

    The models take turns, after rounds that are not counted: what else the machine does meets all alike.
    """
    works = [work for mt, steps in passes for work in _works(mt, steps)]
    taken = np.array([[_milliseconds(work) for work in works] for _ in range(rounds + WARM)])[WARM:].T
    return [Times(prepare, step) for prepare, step in zip(taken[::2], taken[1::2])]


def _works(mt: TranslatorLike, steps: Steps) -> tuple[Callable[[], object], Callable[[], object]]:
    """What is timed of a model: its keys, and one step."""
    score, z, h = mt.on_cpu.network.score, torch.from_numpy(steps.z)[None], torch.from_numpy(steps.h[:1])
    config = mt.config
    assert isinstance(config, Seq2SeqConfig)  # a Transformer has no one score
    covered = z.new_zeros(1, len(steps.z)) if config.score.coverage else None
    keys = score.prepare(z)
    return lambda: score.prepare(z), lambda: weights(score(h, keys, covered))


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)
