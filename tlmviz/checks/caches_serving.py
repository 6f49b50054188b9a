"""The identities behind paged memory and batches of many requests, in the manner of `identities`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ..caches import ContiguousCache, PagedCache, PagePool, Sequence
from ..tracing.trace import Trace
from .cases import is_dense, is_language_model, reading
from .registry import identity
from .result import OF_LARGEST, ROUNDING, beside_largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

READ, STEPS, PAGE = (48, 6, 5)  # tokens of the text that are read at once, tokens after them one by one, an odd page


@identity(
    "Paged = contiguous",
    "attention through a block table gives the bits of one buffer",
    0.0,
    when=is_language_model,
    inputs=reading,
)
def paged_is_contiguous(lm: LanguageModel, trace: Trace) -> float:
    """One text through pages and through one buffer: the same numbers, for the prompt and for single tokens."""
    ids, buffer = _ids(lm, trace), ContiguousCache(lm.config.n_layers)
    sequence = Sequence(_pool(lm, 1, ids))
    errors = []
    for piece in (ids[: max(1, len(ids) - STEPS)], *([token] for token in ids[1:][-STEPS:] if len(ids) > STEPS)):
        errors.append(worst(_read(lm, [piece], sequence) - lm(torch.tensor([piece]), buffer)))
    return worst(torch.tensor(errors))


@identity("No leak in the batch", "another request's tokens move nothing", 0.0, when=is_dense, inputs=reading)
def requests_keep_apart(lm: LanguageModel, trace: Trace) -> float:
    """Two requests of different lengths in one batch: another text in one moves no bit of the other."""
    ids = _ids(lm, trace)
    other = ids[: max(1, len(ids) // 2)]
    beside = []
    for neighbour in (other, [(token + 1) % lm.config.vocab_size for token in other]):
        pool = _pool(lm, 2, ids)
        mine, theirs = Sequence(pool), Sequence(pool)
        _read(lm, [ids], mine)
        _read(lm, [neighbour], theirs)
        beside.append(torch.cat([_read(lm, [ids[-1:], neighbour[-1:]], mine, theirs)[0] for _ in range(2)]))
    return worst(beside[0] - beside[1])


@identity(
    "Batch = alone",
    "requests of different lengths in one step get what each gets alone",
    ROUNDING,
    OF_LARGEST,
    when=is_language_model,
    inputs=reading,
)
def batch_is_alone(lm: LanguageModel, trace: Trace) -> float:
    """A step for requests of different lengths at once gives each what it gets in a batch of its own."""
    ids = _ids(lm, trace)
    texts = [ids[: max(1, len(ids) * part // 3)] for part in (1, 2, 3)]
    pool = _pool(lm, 6, ids)
    together, alone = ([Sequence(pool) for _ in texts] for _ in range(2))
    for row in (together, alone):
        for text, sequence in zip(texts, row):
            _read(lm, [text], sequence)
    batch = _read(lm, [text[-1:] for text in texts], *together)
    single = torch.cat([_read(lm, [text[-1:]], sequence) for text, sequence in zip(texts, alone)])
    return beside_largest(batch, single)


@identity(
    "Shared = fresh",
    "a shared prefix reads like a fresh one and is not written to",
    ROUNDING,
    OF_LARGEST,
    when=is_language_model,
    inputs=reading,
)
def shared_is_fresh(lm: LanguageModel, trace: Trace) -> float:
    """A request that begins on another's pages reads like a fresh one, and its writes leave the other's memory
    alone."""
    ids, pool = _ids(lm, trace), _pool(lm, 3, _ids(lm, trace))
    donor, fresh = Sequence(pool), Sequence(pool)
    _read(lm, [ids], donor)
    before = [store[:, donor.table].clone() for store in (pool.k, pool.v)]
    common = max(0, len(ids) - 1 - PAGE // 2)  # seldom the end of a page: the last shared one has to be copied
    mine = [*ids[:common], *((token + 1) % lm.config.vocab_size for token in ids[common:])]
    shared = _read(lm, [mine[common:]], donor.prefix(common))[:, -1]
    errors = [beside_largest(shared, _read(lm, [mine], fresh)[:, -1])]
    errors += [worst(store[:, donor.table] - old) for store, old in zip((pool.k, pool.v), before)]
    return worst(torch.tensor(errors))


def _ids(lm: LanguageModel, trace: Trace) -> list[int]:
    """The tokens that are read; two more, which checks add, still fit the model's context."""
    return trace.ids[: max(1, min(READ + STEPS, lm.config.context - 2))]


def _pool(lm: LanguageModel, texts: int, ids: list[int]) -> PagePool:
    """Room for some texts and a few more tokens of each."""
    return PagePool.of(lm.config, PAGE, texts * (len(ids) // PAGE + 2))


def _read(lm: LanguageModel, ids: list[list[int]], *sequences: Sequence) -> Tensor:
    return lm(torch.tensor(ids), PagedCache(*sequences))
