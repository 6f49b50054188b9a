"""Identities of tokens predicted ahead: proposals change no text and no distribution (Leviathan et al. 2023;
DeepSeek-V3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from scipy import stats

from ..decoding import speculative
from ..decoding.speculative import Greedy
from ..networks.mtp import MTPNetwork
from .cases import is_language_model
from .registry import identity
from .result import Measured

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel
    from ..facades.next_tokens import NextTokenModel

WRITTEN = 24  # tokens
DRAWS, OFTEN = 10_000, 5  # and how often a token must be expected to be counted by itself
RARE = 0.001  # the share of honest samplers that the test would call broken


def looks_ahead(model: Any) -> bool:
    """Whether the model has modules or heads that predict further tokens."""
    return is_language_model(model) and getattr(model.config, "depth", 0) > 0


def chains_modules(model: Any) -> bool:
    """Whether each predicts with a cache of its own, from what the one before it made."""
    return looks_ahead(model) and isinstance(model.network, MTPNetwork)


def proposing(lm: LanguageModel, text: str) -> tuple[LanguageModel, str, LanguageModel | None]:
    """(lm, text, draft): a text that leaves room for some tokens, its end cut off if need be, and no draft. Raises
    BadText."""
    ids = lm.encode(text)
    room = lm.config.context - WRITTEN
    return lm, text if len(ids) <= room else lm.fit(lm.tokenizer.decode(ids[: room - 8]))[0], None


@identity(
    "Speculative = greedy",
    "tokens that differ from those the model writes alone",
    0.0,
    "tokens",
    when=looks_ahead,
    inputs=proposing,
)
def same_as_greedy(lm: LanguageModel, text: str, draft: LanguageModel | None) -> float:
    said = lm.speculate(text, WRITTEN, draft, least=0.0)
    alone = lm.continue_ids(lm.encode(text), WRITTEN, temperature=0)
    longest = max(len(said.ids), len(alone))
    return float(sum(a != b for a, b in zip(said.ids, alone)) + longest - min(len(said.ids), len(alone)))


@identity(
    "Rejection keeps p",
    "χ² of 10,000 drawn tokens against the model's p, over what chance exceeds once in 1,000",
    1.0,
    "ratio",
    when=looks_ahead,
    inputs=proposing,
)
def keeps_the_distribution(lm: LanguageModel, text: str, draft: LanguageModel | None) -> float | Measured:
    """Tokens drawn from what proposes (q) pass through `reject` and must have the model's p, at the text's end."""
    p, q = _both(lm, text, draft)
    generator = torch.Generator().manual_seed(0)
    proposed = torch.multinomial(q, DRAWS, replacement=True, generator=generator)
    kept, drawn = speculative.reject(p.expand(DRAWS, -1), q.expand(DRAWS, -1), proposed, generator)
    counts, expected = torch.bincount(drawn, minlength=len(p)).double(), DRAWS * p.double()
    often = expected >= OFTEN
    cells = [
        torch.cat((each[often], each[~often].sum()[None])) if (~often).any() else each for each in (counts, expected)
    ]
    if len(cells[1]) < 2:
        return 0.0 if cells[0].sum() == DRAWS else float("inf")
    square = float(((cells[0] - cells[1]).square() / cells[1].clamp_min(1e-9)).sum())
    limit = float(stats.chi2.isf(RARE, len(cells[1]) - 1))
    return Measured(
        square / limit, f"{len(cells[1])} cells, {100 * float(kept.float().mean()):.0f} % of the proposals stayed"
    )


def _both(lm: LanguageModel, text: str, draft: LanguageModel | None) -> tuple[torch.Tensor, torch.Tensor]:
    """p of the token after next, the next one being the model's own, and the proposer's q for the same place."""
    ids = lm.encode(text)
    if draft is not None:
        return tuple(each(torch.tensor([ids]))[0, -1].softmax(-1) for each in (lm, draft))  # type: ignore[return-value]
    ids = [*ids, int(lm(torch.tensor([ids]))[0, -1].argmax())]
    p = lm(torch.tensor([ids]))[0, -1].softmax(-1)
    return p, lm.ahead_ids(ids).probabilities[1][-1]  # type: ignore[attr-defined]


@identity(
    "Cached proposals = one pass",
    "a module's probability of what it proposes, with caches and in one pass without",
    1e-4,
    when=chains_modules,
    inputs=proposing,
)
@torch.inference_mode()
def caches_change_nothing(lm: NextTokenModel, text: str, draft: LanguageModel | None) -> float:
    network, ids, worst = lm.network, lm.encode(text), 0.0
    assert isinstance(network, MTPNetwork)  # `chains_modules` says so
    rounds = speculative.speculate(network, ids, WRITTEN, speculative.Modules(network), Greedy(), lm.tokenizer.ends)
    for each in rounds:
        read = torch.tensor([[*ids, *each.proposed]])
        states = network.look_ahead(network.read(read), read)
        for depth, (token, chance) in enumerate(zip(each.proposed, each.chances)):
            p = network.unembed(states[depth][0, len(ids) - 2]).softmax(-1)
            worst = max(worst, abs(float(p[token]) - chance))
        ids = [*ids, *each.written]
    return worst
