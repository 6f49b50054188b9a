"""Two runs laid side by side: tokens aligned, every head's maps, the residual streams and the predictions compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float, Int
from rapidfuzz.distance import Levenshtein

from tlmviz.errors import BadShape, UnknownName
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from ..attention.heads import kl_divergence
from ..streams.mixing import stream

if TYPE_CHECKING:
    import pandas as pd

POSITIONS_AT_ONCE = 64  # of a large vocabulary, predictions are compared for so many at a time
CELLS_AT_ONCE = 1 << 24  # of maps, as many heads at a time as have so many
LIKELIEST = 5  # next tokens of a prediction


@dataclass(frozen=True)
class Alignment:
    """Which tokens of two texts stand for each other: equal ones, and exchanged ones in place of each other.

    `a` and `b` [P] are their positions, `equal` [P] says which are the same token; `edits` is the number of tokens
    exchanged, left out or added (Levenshtein 1966), the smallest that turns one text into the other.
    """

    a: np.ndarray
    b: np.ndarray
    equal: np.ndarray
    edits: int

    def columns(self, a: int, b: int) -> list[tuple[int | None, int | None]]:
        """Both texts of `a` and `b` tokens side by side: a position of each in every column, None where one has no
        partner."""
        found: list[tuple[int | None, int | None]] = []
        here, there = 0, 0
        for i, j in [*zip(self.a.tolist(), self.b.tolist()), (a, b)]:
            found += [(left, None) for left in range(here, i)] + [(None, right) for right in range(there, j)]
            if (i, j) != (a, b):
                found.append((i, j))
            here, there = i + 1, j + 1
        return found

    @property
    def begun_alike(self) -> int:
        """How many tokens both texts have in common before the first edit."""
        alike = self.equal & (self.a == np.arange(len(self.a))) & (self.b == np.arange(len(self.b)))
        return int(np.cumprod(alike).sum())


def align(a: list[Any], b: list[Any]) -> Alignment:
    """Two lists of tokens, or of their ids, aligned with as few edits as possible."""
    pairs: list[tuple[int, int, bool]] = []
    edits = 0
    for step in Levenshtein.opcodes(a, b):
        if step.tag in ("equal", "replace"):
            rows = zip(range(step.src_start, step.src_end), range(step.dest_start, step.dest_end))
            pairs += [(i, j, step.tag == "equal") for i, j in rows]
        if step.tag != "equal":
            edits += max(step.src_end - step.src_start, step.dest_end - step.dest_start)
    first, second, equal = zip(*pairs) if pairs else ((), (), ())
    return Alignment(np.array(first, int), np.array(second, int), np.array(equal, bool), edits)


class Comparison:
    """What changed from a trace `a` to a trace `b`: of one model or of two with as many layers and heads.

    Everything is computed when it is asked for, a few heads at a time: no [L, H, T, T] is formed.
    """

    def __init__(self, a: Trace, b: Trace):
        self.a, self.b = a, b
        self.alignment = align(a.tokens, b.tokens)

    @property
    def tokens(self) -> list[str]:
        """The aligned tokens: one where both are equal, else "a→b"."""
        rows = zip(self.alignment.a, self.alignment.b)
        pairs = [(self.a.tokens[i], self.b.tokens[j]) for i, j in rows]
        return [first if first == second else f"{first}→{second}" for first, second in pairs]

    def difference(self, layer: int, head: int) -> Float[np.ndarray, "p p"]:
        """The signed difference b - a of one head's weights between aligned tokens: [P, P]. Raises UnknownName."""
        one, two = self.weights(layer, head)
        return two - one

    def weights(self, layer: int, head: int) -> tuple[Float[np.ndarray, "p p"], Float[np.ndarray, "p p"]]:
        """One head's weights between aligned tokens in both runs, each [P, P]. Raises UnknownName."""
        ours, theirs = self.alignment.a, self.alignment.b
        one = self.a.attention(layer, head).numpy()[np.ix_(ours, ours)]
        return one, self.b.attention(layer, head).numpy()[np.ix_(theirs, theirs)]

    def _maps(self) -> Iterator[tuple[int, range, np.ndarray, np.ndarray]]:
        """Layer, heads, and their weights in both runs, [H, P, P] each: so many heads at a time as fit the memory."""
        ours, theirs = self.alignment.a, self.alignment.b
        step = max(1, CELLS_AT_ONCE // max(len(self.a), len(self.b)) ** 2)
        for layer in range(self.a.n_layers):
            for start in range(0, self.a.n_heads, step):
                heads = range(self.a.n_heads)[start : start + step]
                part = slice(heads.start, heads.stop)
                one = self.a.attentions(layer, part).numpy()[:, ours[:, None], ours]
                yield layer, heads, one, self.b.attentions(layer, part).numpy()[:, theirs[:, None], theirs]

    @cached_property
    def heads(self) -> pd.DataFrame:
        """How far each head moved: columns layer, head, moved, row.

        moved is the mean over aligned rows of half the summed differences (total variation: the share of its attention
        that a row puts elsewhere), what goes to tokens without a partner counted as one cell; row is the aligned row
        that moved most.
        """
        import pandas as pd

        rows = []
        for layer, heads, one, two in self._maps():
            elsewhere = np.abs(two.sum(-1) - one.sum(-1))
            moved = (np.abs(two - one).sum(-1) + elsewhere) / 2  # [H, P]
            some = moved.shape[1] > 0
            rows += [
                (layer, head, float(own.mean()) if some else 0.0, int(own.argmax()) if some else 0)
                for head, own in zip(heads, moved)
            ]
        return pd.DataFrame(rows, columns=["layer", "head", "moved", "row"])

    def moved(self, count: int = 10) -> pd.DataFrame:
        """The heads that moved most, of `heads`."""
        return self.heads.nlargest(count, "moved").reset_index(drop=True)

    def small(self, side: int) -> Float[np.ndarray, "h n n"]:
        """Every head's signed difference on at most `side` x `side` cells, [L H, n, n]: of each block the largest."""
        count = len(self.alignment.a)
        starts = np.unique(np.arange(min(side, count)) * count // max(1, min(side, count)))
        found = []
        for _, _, one, two in self._maps():
            whole = two - one
            most, least = whole, whole
            for axis in (1, 2):
                most = np.maximum.reduceat(most, starts, axis)
                least = np.minimum.reduceat(least, starts, axis)
            found.append(np.where(most >= -least, most, least))
        return np.concatenate(found)

    @cached_property
    def cosines(self) -> Float[np.ndarray, "n p"]:
        """The cosine of both residual streams at each aligned token: before the first layer and behind each, [L + 1,
        P].

        Of several streams, of their mean. Raises BadShape where the models differ in width, NoNetwork where a trace has
        none.
        """
        names = ["blocks.0.resid_pre", *(f"blocks.{i}.resid_post" for i in range(self.a.n_layers))]
        for trace in (self.a, self.b):
            trace.tensors(names)
        rows = []
        for name in names:
            one, two = stream(self.a, name)[self.alignment.a], stream(self.b, name)[self.alignment.b]
            if one.shape[-1] != two.shape[-1]:
                raise BadShape(
                    f"The streams are {one.shape[-1]} and {two.shape[-1]} wide, and no angle is between them; "
                    "compare models of one width."
                )
            rows.append(torch.cosine_similarity(one.double(), two.double(), dim=-1))
        return torch.stack(rows).float().numpy()

    @property
    def kl(self) -> Float[np.ndarray, " p"]:
        """KL(a || b) of the next-token predictions behind each aligned token, in nats, [P].

        Raises BadShape where the vocabularies differ in size.
        """
        return self._predictions[0]

    @property
    def likeliest(self) -> tuple[Int[np.ndarray, "p r n"], Float[np.ndarray, "p r n"]]:
        """The ids of the five likeliest next tokens behind each aligned token in both runs, [P, 2, 5], and their
        probabilities.

        Raises BadShape where the vocabularies differ in size.
        """
        return self._predictions[1:]

    @cached_property
    def _predictions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        kl, ids, shares = [], [], []
        for start in range(0, len(self.alignment.a), POSITIONS_AT_ONCE):
            part = slice(start, start + POSITIONS_AT_ONCE)
            both = [
                trace.logits_at(where[part].tolist())
                for trace, where in ((self.a, self.alignment.a), (self.b, self.alignment.b))
            ]
            sizes = [logits.shape[-1] for logits in both]
            if sizes[0] != sizes[1]:
                raise BadShape(
                    f"One model knows {sizes[0]:,} tokens and the other {sizes[1]:,}: their predictions cannot be laid "
                    "over each other; compare models of one vocabulary."
                )
            kl.append(kl_divergence(*both))
            values, found = torch.stack(both, 1).topk(min(LIKELIEST, sizes[0]))  # [P, 2, N]
            totals = torch.stack([logits.logsumexp(-1) for logits in both], 1)
            ids.append(found)
            shares.append((values - totals[..., None]).exp())
        if not kl:
            return np.zeros(0, np.float32), np.zeros((0, 2, 0), int), np.zeros((0, 2, 0), np.float32)
        return torch.cat(kl).numpy(), torch.cat(ids).numpy(), torch.cat(shares).numpy()


def check_vocabulary(a: LanguageModelLike, b: LanguageModelLike) -> None:
    """Raise BadShape where two models do not share their tokens."""
    size, other = a.tokenizer.vocab_size, b.tokenizer.vocab_size
    if size != other:
        raise BadShape(
            f"{a.name} knows {size:,} tokens and {b.name} {other:,}: their predictions cannot be laid over each other; "
            "compare models of one vocabulary."
        )
    for i in range(size):
        if a.tokenizer.token_bytes(i) != b.tokenizer.token_bytes(i):
            raise BadShape(
                f"Token {i} is {a.tokenizer.name(i)!r} to {a.name} and {b.tokenizer.name(i)!r} to {b.name}: they have "
                "different vocabularies; compare models of one vocabulary."
            )


def compare(a: Trace, b: Trace) -> Comparison:
    """What changed from one trace to another: two texts, two models, or one model changed.

    Tokens are aligned with as few edits as possible. `.heads` says how far each head moved and `.moved(10)` which moved
    most, `.difference(layer, head)` is the signed difference of two maps, `.cosines` and `.kl` follow streams and
    predictions along the text. Raises BadShape for different numbers of layers or heads; UnknownName for maps between
    two texts.
    Example: `tlmviz.compare(lm.trace("Lily had a red ball."), lm.trace("Lily had a big ball.")).moved(10)`.
    """
    if a.crosses or b.crosses:
        raise UnknownName("These maps are between two texts; compare traces whose tokens attend to their own text.")
    shapes = [(trace.n_layers, trace.n_heads) for trace in (a, b)]
    if shapes[0] != shapes[1]:
        (layers, heads), (others, other_heads) = shapes
        raise BadShape(
            f"{a.model or 'The first'} has {layers} layers of {heads} heads, {b.model or 'the second'} {others} of "
            f"{other_heads}: no head stands for another; compare traces of models with as many layers and heads."
        )
    return Comparison(a, b)
