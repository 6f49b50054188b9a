"""A language model that looks several tokens ahead: what `tlmviz.load("stories-mtp")` and its parallel twin return."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from jaxtyping import Float

from ..config import MTPConfig, ParallelMTPConfig
from ..decoding.speculative import Modules, ParallelHeads, Proposer
from ..networks.mtp import LooksAhead, ParallelMTPNetwork
from .language_model import LanguageModel


@dataclass(frozen=True)
class Ahead:
    """What a model and its modules predict all over a text.

    `probabilities[k]` [T - k, V] are for k = 0 the model's, else the k-th module's: row i, for token i + k + 1 of the
    text, having read the tokens up to i + k.
    """

    ids: list[int]
    tokens: list[str]
    probabilities: list[Float[torch.Tensor, "_ v"]] = field(repr=False)

    def right(self, depth: int) -> list[bool]:
        """Of each prediction of a token that the text still has, whether it stands first: T - k - 1 of them."""
        if depth >= len(self.probabilities):
            return []
        first = self.probabilities[depth].argmax(-1).tolist()
        return [guess == token for guess, token in zip(first, self.ids[depth + 1 :])]


class NextTokenModel(LanguageModel):
    """A decoder language model and modules after it, each of which predicts one token further (DeepSeek-V3, section
    2.2), or further heads side by side on its final state (003 section 6.4).

    To everything else it is a language model like others: the modules are asked by `ahead` and `speculate` alone.
    """

    network: LooksAhead

    @property
    def config(self) -> MTPConfig | ParallelMTPConfig:
        """The network's configuration."""
        return self.network.config

    @property
    def depth(self) -> int:
        """How many modules there are."""
        return len(self.network.ahead)

    def ahead(self, text: str) -> Ahead:
        """The predictions for the next 1 + `depth` tokens at every position of a text. Raises BadText (empty, too
        long)."""
        return self.ahead_ids(self.encode(text))

    @torch.inference_mode()
    def ahead_ids(self, ids: list[int]) -> Ahead:
        """`ahead` for ids that are tokenised already."""
        given = torch.tensor([ids])
        hidden = self.network.read(given)
        rows = self.network.logits_ahead(hidden, given)
        probabilities = [logits[0].softmax(-1).cpu() for logits in rows]
        return Ahead(ids, [self.tokenizer.name(i) for i in ids], probabilities)

    def _proposer(self, ahead: int | None, least: float) -> Proposer:
        if isinstance(self.network, ParallelMTPNetwork):
            return ParallelHeads(self.network, least, ahead)
        return Modules(self.network, least, ahead)
