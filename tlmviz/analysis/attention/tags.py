"""What each head measurably does on a text: a table of tags, each with its measure and the threshold from which it
holds.

A measure is the share of a query's attention that falls on certain keys, averaged over the queries that have such keys.
Tags hold on the text at hand, where enough queries have such keys: another text may show a head at something else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tlmviz import kernels
from tlmviz.analysis.attention.attribution import can_compare, compared
from tlmviz.protocols import LanguageModelLike
from tlmviz.tokens import END_OF_TEXT
from tlmviz.tracing.trace import Trace

MOST_QUERIES = 64  # of a longer text the last ones are measured: typing stays live with a thousand heads
NEAR = 3  # tokens before the query that count as local
SETTLED = 8  # queries before it have hardly anything that is not near
WEIGHTS_AT_ONCE = 1 << 22  # numbers: 16 MB
ENDS_SENTENCE = '.!?"“”:\n'


@dataclass(frozen=True)
class Text:
    """Tokens, and of the queries that are measured their positions."""

    tokens: Sequence[str]
    queries: Tensor  # [R]

    @property
    def keys(self) -> Tensor:
        """Positions of all keys, [S]."""
        return torch.arange(len(self.tokens))

    @property
    def back(self) -> Tensor:
        """How many tokens a key lies before its query, [R, S]; negative after it."""
        return self.queries[:, None] - self.keys

    def equal(self, names: Sequence[str]) -> Bool[Tensor, "r s"]:
        """Where query and key have the same name; an empty name equals none."""
        codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
        of = torch.tensor([codes[name] for name in names])
        named = torch.tensor([bool(name) for name in names])
        return (of[self.queries][:, None] == of) & named

    @property
    def telling(self) -> Bool[Tensor, "r s"]:
        """Earlier keys but the first: heads rest on that one whatever it says."""
        return (self.back > 0) & (self.keys > 0)


def words(tokens: Sequence[str]) -> list[str]:
    """Each token as a word without case and spaces; empty where it has no letter."""
    return [
        token.strip().casefold() if any(letter.isalpha() for letter in token) and token != END_OF_TEXT else ""
        for token in tokens
    ]


def is_punctuation(token: str) -> bool:
    """Whether a token is nothing but punctuation."""
    text = token.strip()
    return bool(text) and text != END_OF_TEXT and all(unicodedata.category(c)[0] == "P" for c in text)


def names(tokens: Sequence[str]) -> list[bool]:
    """Which tokens are names: words of several letters that are written with a capital where no sentence begins."""
    found = set()
    for before, token in zip(tokens, tokens[1:]):
        word = token.strip()
        begins = before == END_OF_TEXT or not before.strip() or before.strip()[-1] in ENDS_SENTENCE
        if token.startswith(" ") and len(word) > 1 and word[0].isupper() and word[1:].islower() and not begins:
            found.add(word)
    return [token.strip() in found for token in tokens]


# --- which keys a tag counts, [R, S] ----------------------------------------------------------------


def _followers(text: Text) -> Tensor:
    return text.equal(text.tokens).roll(1, -1) & (text.keys > 0) & (text.back >= 0)


def _duplicates(text: Text) -> Tensor:
    return text.equal(text.tokens) & text.telling


def _same_words(text: Text) -> Tensor:
    return text.equal(words(text.tokens)) & ~text.equal(text.tokens) & text.telling


def _names(text: Text) -> Tensor:
    return torch.tensor(names(text.tokens)) & text.telling


def _before(text: Text) -> Tensor:
    return text.back == 1


def _first(text: Text) -> Tensor:
    return (text.keys == 0) & (text.back > 0)


def _own(text: Text) -> Tensor:
    return text.back == 0


def _punctuation(text: Text) -> Tensor:
    return torch.tensor([is_punctuation(token) for token in text.tokens]) & text.telling


def _near(text: Text) -> Tensor:
    settled = text.queries[:, None] >= SETTLED
    return (text.back >= 0) & (text.back <= NEAR) & settled


@dataclass(frozen=True)
class Tag:
    """One thing a head may do: it does from `least` of its measure on, the mean over `fewest` queries or more, as one
    alone may be chance. Without `keys` the measure is evenness."""

    name: str
    label: str
    short: str  # for a tile
    meaning: str
    least: float
    keys: Callable[[Text], Tensor] | None
    fewest: int = 3


# The most telling come first: a head is called by the first that holds.
TAGS = (
    Tag("induction", "induction", "ind", "looks at what followed an earlier copy of the token", 0.25, _followers),
    Tag("duplicate", "duplicate token", "dup", "looks at earlier copies of the token", 0.3, _duplicates),
    Tag("word", "same word", "word", "looks at the same word, spaced or written otherwise", 0.3, _same_words),
    Tag("names", "names", "name", "looks at earlier names", 0.4, _names),
    Tag("previous", "previous token", "prev", "looks at the token before", 0.5, _before),
    Tag("punctuation", "punctuation", ".,;", "looks at earlier punctuation", 0.4, _punctuation),
    Tag("sink", "first token", "sink", "rests on the first token", 0.5, _first),
    Tag("own", "own token", "own", "looks at the token itself", 0.5, _own),
    Tag("local", "local", "local", f"stays within {NEAR} tokens", 0.75, _near),
    Tag("broad", "broad", "all", "spreads evenly over all that it sees", 0.85, None),
)

# What looks at those words from anywhere, a verb or a full stop, does not look at them for what stood before; and a
# head of the first layer, to which every token is but itself, cannot know what did.
FOLLOWERS = 0  # of TAGS
SPECIFIC = 3  # times as much weight as the same keys get from other queries


@dataclass(frozen=True)
class Tagged:
    """`values` [K, L, H]: every tag's measure of every head, NaN where the text has no such keys, and of induction
    where it is another thing that looks like it; `counts` [K]: over how many queries each is the mean."""

    values: Float[np.ndarray, "k l h"]
    counts: Int[np.ndarray, k]  # noqa: F821 - a shape

    @property
    def holds(self) -> Bool[np.ndarray, "k l h"]:
        """Which tags hold."""
        return self.met & (self.counts >= [tag.fewest for tag in TAGS])[:, None, None]

    @property
    def met(self) -> Bool[np.ndarray, "k l h"]:
        """Which measures reach what their tag needs, on however few queries."""
        least = np.array([tag.least for tag in TAGS], np.float32)
        return np.nan_to_num(self.values) >= least[:, None, None]

    def of(self, layer: int, head: int) -> list[Tag]:
        """The tags of one head, the most telling first."""
        return [tag for tag, holds in zip(TAGS, self.holds[:, layer, head]) if holds]


_TAGGED: WeakKeyDictionary[Trace, Tagged] = WeakKeyDictionary()  # every picture of a trace shows them


def tag_heads(trace: Trace) -> Tagged:
    """Every tag's measure of every head, on the last MOST_QUERIES queries of the text; the first query, which sees only
    itself, is left out. Measured once per trace."""
    if trace not in _TAGGED:
        _TAGGED[trace] = _measured(trace)
    return _TAGGED[trace]


@torch.inference_mode()
def _measured(trace: Trace) -> Tagged:
    """See `tag_heads`. Rows are made a strip at a time, so that no map is held whole."""
    size = len(trace)
    if trace.crosses:  # every measure is of a query's place among the keys
        nothing = np.full((len(TAGS), trace.n_layers, trace.n_heads), np.nan, np.float32)
        return Tagged(nothing, np.zeros(len(TAGS), int))
    first = max(min(1, size - 1), size - MOST_QUERIES)
    text = Text(trace.tokens, torch.arange(first, size))
    keys = torch.stack([tag.keys(text) for tag in TAGS if tag.keys is not None])  # [K - 1, R, S]
    sums = torch.zeros(trace.n_layers, trace.n_heads, len(TAGS))
    others = (text.back > 0) & ~keys[FOLLOWERS]  # [R, S]: queries that see a key for another reason
    elsewhere = torch.zeros(trace.n_layers, trace.n_heads, size)
    for layers, rows, weights in _strips(trace, first):
        there = keys[:, rows.start - first : rows.stop - first].permute(1, 2, 0).to(weights)  # [R, S, K - 1]
        mass = torch.einsum("lhrs,rsk->lhk", weights, there)
        evenness = _evenness(weights).sum(-1, keepdim=True)
        sums[layers] += torch.cat((mass, evenness), -1)
        elsewhere[layers] += torch.einsum(
            "lhrs,rs->lhs", weights, others[rows.start - first : rows.stop - first].to(weights)
        )
    counts = torch.cat((keys.any(-1).sum(-1), torch.tensor([len(text.queries)])))
    values = torch.where(counts > 0, sums / counts, torch.nan)
    usual = elsewhere / others.sum(0).clamp(min=1) @ keys[FOLLOWERS].sum(0).float()  # [L, H], over as many queries
    follows = sums[..., FOLLOWERS] >= SPECIFIC * usual
    if trace.n_layers > 1:
        follows[0] = False
    values[..., FOLLOWERS].masked_fill_(~follows, torch.nan)
    return Tagged(values.permute(2, 0, 1).numpy(), counts.numpy())


def _strips(trace: Trace, first: int) -> Iterator[tuple[slice, slice, Tensor]]:
    """Layers, queries from `first` on, and their weights [L, H, R, S], few at a time."""
    size, done = len(trace), 0
    if trace.weights_only:
        for layer in range(trace.n_layers):
            maps = [trace.attention(layer, head, slice(first, size)) for head in range(trace.n_heads)]
            yield slice(layer, layer + 1), slice(first, size), torch.stack(maps)[None].float().cpu()
        return
    for q, k, lse, spec in trace.batches():
        layers = slice(done, done + len(q))
        done = layers.stop
        strip = max(1, WEIGHTS_AT_ONCE // (len(q) * q.shape[1] * size))
        for start in range(first, size, strip):
            rows = slice(start, min(start + strip, size))
            yield layers, rows, kernels.attention_map(q, k, lse, spec.mask, rows=rows, scale=spec.scale)


def _evenness(weights: Float[Tensor, "*b s"]) -> Float[Tensor, "*b"]:
    """Entropy as a share of the largest that so many visible keys can have; 1 is uniform, one key alone is 0."""
    seen = (weights > 0).sum(-1)
    entropy = -torch.xlogy(weights, weights).sum(-1)
    return torch.where(seen > 1, entropy / seen.clamp(min=2).log(), 0.0)


# --- the row that a picture opens on ----------------------------------------------------------------

WORTH_SEEING = ("induction", "duplicate", "names", "word", "previous", "punctuation")  # the most telling first
ASLEEP = 1e9  # bits, in place of those of a head that rests on the first token
CLOSE = 0.6  # of the strongest row: the last query is shown where it comes as close, as the prediction follows it


@dataclass(frozen=True)
class Row:
    """One head, one of its queries, the key that the query weighs most, and the name of the tag that says why; "": none
    does."""

    layer: int
    head: int
    query: int
    key: int
    tag: str = ""


@torch.inference_mode()
def striking_row(
    trace: Trace, tagged: Tagged, lm: LanguageModelLike | None = None, besides: tuple[int, int] | None = None
) -> Row:
    """The row that shows the most: of the strongest head with a measure WORTH_SEEING, the query that does most clearly
    what its tag says; one such query is enough, as one row is shown. Where there is none, the sharpest head that does
    not rest on the first token, at the last query.

    With the model, of several heads that look there for what followed an earlier copy, the one that adds most to the
    logit of what they look at: the strongest may merely look. `besides` is a head that looks one back and is shown
    beside this row: neither it nor another that does the same is taken.
    """
    free = np.ones((trace.n_layers, trace.n_heads), bool)
    if besides:
        free[besides] = False
    for tag, values, met in zip(TAGS, tagged.values, tagged.met & free):
        if besides and tag.name == "previous":
            continue
        if tag.name in WORTH_SEEING and tag.keys is not None and met.any():
            layer, head = divmod(int((np.nan_to_num(values) * free).argmax()), trace.n_heads)
            row = _clearest(trace, tag, layer, head)
            if tag is TAGS[FOLLOWERS] and lm is not None and can_compare(lm, trace):
                return _telling(lm, trace, row, [(layer, head) for layer, head in np.argwhere(met).tolist()])
            return row
    statistics = trace.statistics()
    awake = np.where(np.nan_to_num(statistics["sink"]) < 0.5, statistics["entropy"], np.nan)
    sharpest = np.where(free.ravel(), np.nan_to_num(awake, nan=ASLEEP), np.inf).argmin()
    layer, head = divmod(int(sharpest), trace.n_heads)
    last = len(trace) - 1
    return Row(layer, head, last, int(trace.attention(layer, head, slice(last, last + 1)).argmax()))


def _telling(lm: LanguageModelLike, trace: Trace, row: Row, heads: list[tuple[int, int]]) -> Row:
    """The same row of that one of several heads, of those that weigh the same key most, that adds most to the key's
    logit."""
    rows = slice(row.query, row.query + 1)
    there = [head for head in heads if int(trace.attention(*head, rows).argmax()) == row.key]
    added = compared(lm, trace, there, row.query, trace.ids[row.key])
    layer, head = there[int(np.argmax(added))]
    return replace(row, layer=layer, head=head)


def _clearest(trace: Trace, tag: Tag, layer: int, head: int) -> Row:
    """The row of a head with the largest weight on one of the keys that count; the last row where that is CLOSE to
    it."""
    size = len(trace)
    first = max(0, size - MOST_QUERIES)
    weights = trace.attention(layer, head, slice(first, size))
    assert tag.keys is not None
    counted = weights * tag.keys(Text(trace.tokens, torch.arange(first, size)))
    best = counted.amax(-1) * (counted.amax(-1) >= weights.amax(-1))  # the largest weight of all is what is shown
    row = len(best) - 1 if best[-1] >= CLOSE * best.max() else int(best.argmax())
    return Row(layer, head, first + row, int(weights[row].argmax()), tag.name)
