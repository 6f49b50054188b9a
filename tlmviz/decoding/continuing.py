"""Texts written without a search: several samples side by side, and contrastive search, behind any stepper."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from ..errors import BadShape
from .sampling import Sampling, contrast
from .steppers import Stepper

MOST, LONGEST = 64, 10_000  # texts written at once, tokens of a text


@dataclass(frozen=True)
class Continuation:
    """A written text. `logps` are the model's own log-probabilities of its tokens, in nats, whatever the filters made
    of them; the end token is among the tokens if it was written, and then `finished` holds."""

    tokens: tuple[int, ...]
    logps: tuple[float, ...]
    finished: bool

    @property
    def logp(self) -> float:
        """log P of the whole text."""
        return sum(self.logps)


def sample(
    stepper: Stepper, sampling: Sampling | None = None, count: int = 5, length: int = 40, seed: int = 0
) -> list[Continuation]:
    """`count` texts of at most `length` tokens. Text i draws from its own generator, seeded `seed` + i, so that it does
    not depend on how many are written. Raises BadShape for counts that make no sense.
    """
    sampling = sampling or Sampling()
    _check("count", count, MOST)
    _check("length", length, LONGEST)
    generators = [torch.Generator().manual_seed(seed + i) for i in range(count)]
    texts: list[list[int]] = [[] for _ in range(count)]
    logps: list[list[float]] = [[] for _ in range(count)]
    alive, rows, ids = list(range(count)), torch.tensor([0]), None
    for depth in range(min(length, stepper.longest)):
        step = stepper.advance(rows, ids)
        going = []
        for place, i in enumerate(alive):
            row = place if depth else 0  # all begin from one empty text
            token = sampling.draw(step.logp[row], generators[i], texts[i])
            texts[i].append(token)
            logps[i].append(step.logp[row, token].item())
            if token != stepper.end:
                going.append((row, i))
        if not going:
            break
        alive = [i for _, i in going]
        rows, ids = torch.tensor([row for row, _ in going]), torch.tensor([texts[i][-1] for i in alive])
    return [Continuation(tuple(text), tuple(own), text[-1:] == [stepper.end]) for text, own in zip(texts, logps)]


def contrastive(stepper: Stepper, k: int = 5, alpha: float = 0.6, length: int = 40) -> Continuation:
    """Contrastive search (Su et al. 2022): of the `k` most probable tokens, the one with the best `contrast` to the
    text so far, a prompt's tokens among it. Nothing is random; `alpha` 0 is greedy. Raises BadShape on impossible
    settings.
    """
    _check("k", k, MOST)
    _check("length", length, LONGEST)
    if not 0 <= alpha <= 1:
        raise BadShape(f"alpha is {alpha}; give 0 (probability alone) to 1 (contrast alone).")
    step = stepper.advance(torch.tensor([0]), None)
    earlier, logp = step.hidden[0], step.logp[0]  # [T, C], [V]
    text: list[int] = []
    own: list[float] = []
    for depth in range(min(length, stepper.longest)):
        best = logp.topk(min(k, len(logp)))
        if depth + 1 == stepper.longest:  # no room to read the candidates, which their vectors would need
            choice = 0
        else:
            rows = torch.full((len(best.indices),), choice if depth else 0)
            step = stepper.advance(rows, best.indices)
            choice = int(contrast(best.values.exp(), step.hidden[:, -1], earlier, alpha).argmax())
            earlier, logp = torch.cat((earlier, step.hidden[choice, -1:])), step.logp[choice]
        text.append(int(best.indices[choice]))
        own.append(best.values[choice].item())
        if text[-1] == stepper.end:
            break
    return Continuation(tuple(text), tuple(own), text[-1:] == [stepper.end])


def _check(name: str, value: int, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise BadShape(f"{name} is {value!r}; it must be a whole number from 1 to {most}.")
