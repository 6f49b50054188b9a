"""What searches are compared with: every text of a tiny vocabulary, and a stepper that reads a table of
probabilities."""

import copy
from itertools import product

import torch

from tlmviz.decoding.steppers import LanguageStepper, Step, stepper_of

from .. import tiny

SOURCE, END = [5, 1, 2, 4], 0
KINDS = [*tiny.TRANSLATORS, "language"]


def small(kind: str, vocabulary: int = 6, seed: int = 0):
    """A network with a vocabulary that can be enumerated; sources are read with the same few ids."""
    if kind == "language":
        return tiny.network(seed, vocab_size=vocabulary, context=40)
    return tiny.translation_network(kind, seed, vocab_size=vocabulary)


def source_of(network):
    return [token % network.config.vocab_size for token in SOURCE]


def stepper(network):
    if hasattr(network, "head"):
        return LanguageStepper(network, source_of(network), END)
    return stepper_of(network, source_of(network), END)


@torch.no_grad()
def logps(network, texts):
    """Log-probability of every token of several texts of one length [N, T], each read in one pass."""
    texts = torch.tensor(texts)
    source = torch.tensor([source_of(network)]).expand(len(texts), -1)
    if hasattr(network, "head"):
        logits = network(torch.cat((source, texts[:, :-1]), 1))[:, source.shape[1] - 1 :]
    else:
        logits = network(source, torch.cat((torch.full((len(texts), 1), END), texts[:, :-1]), 1))
        logits = logits[0] if isinstance(logits, tuple) else logits
    return logits.log_softmax(-1).gather(-1, texts[..., None])[..., 0]


def complete(network, longest: int) -> dict[tuple[int, ...], float]:
    """Every text that ends within `longest` tokens, and its log P."""
    found, words = {}, range(1, network.config.vocab_size)
    for length in range(1, longest + 1):
        texts = [(*text, END) for text in product(words, repeat=length - 1)]
        found |= dict(zip(texts, logps(network, texts).sum(1).tolist()))
    return found


def of_length(network, length: int) -> dict[tuple[int, ...], float]:
    """Every text of so many tokens that has not ended, and its log P."""
    texts = list(product(range(1, network.config.vocab_size), repeat=length))
    return dict(zip(texts, logps(network, texts).sum(1).tolist()))


class TableStepper:
    """Next-token probabilities by the text so far; a text that the table lacks goes on as `otherwise` says."""

    def __init__(self, table, otherwise, end: int = END, longest: int = 20, source: int = 0):
        self.table, self.otherwise, self.end, self.longest, self.source = (table, otherwise, end, longest, source)
        self.texts = [()]

    def advance(self, rows, ids):
        if ids is not None:
            self.texts = [(*self.texts[row], int(token)) for row, token in zip(rows, ids)]
        logp = torch.tensor([self.table.get(text, self.otherwise) for text in self.texts]).log()
        attention = torch.full((len(self.texts), 1, self.source), 1 / self.source) if self.source else None
        return Step(logp, attention, torch.zeros(len(self.texts), 1, 2))

    def fork(self):
        return copy.copy(self)
