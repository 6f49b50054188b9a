"""The identities behind translating: search, penalties, attention and the mask, in the manner of `identities`."""

from __future__ import annotations

import math
from copy import deepcopy
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..decoding import penalties
from ..decoding.beam import BeamOptions, greedy
from ..decoding.penalties import Penalties
from ..decoding.records import aligned
from ..decoding.steppers import Step
from .registry import identity
from .result import largest, worst
from .translation_cases import Translation, is_translator, translated

if TYPE_CHECKING:
    from ..facades.translator import Translator

HORIZON = 3  # tokens, of three different ones: few enough that the widest beam loses none
NOTICED = 1e-3  # nats by which removing the mask must change some loss
EXTREMES = {  # 004 Eq. 40, and one more: matrix, capped column sums, cp with beta 0.2 and floor 0.01
    "least": (((1, 0, 0), (1, 0, 0), (1, 0, 0)), (1, 0, 0), 0.2 * 2 * -4.605170186),
    "most": (((1, 0, 0), (0, 1, 0), (0, 0, 1)), (1, 1, 1), 0.0),
    "between": (((0.5, 0.3, 0.2), (0.9, 0.1, 0.0)), (1, 0.4, 0.2), 0.2 * (-0.916290732 - 1.609437912)),
}


@identity(
    "Written rows sum to 1",
    "each written token spreads a weight of 1 over the source",
    1e-5,
    when=is_translator,
    inputs=translated,
)
def rows_sum_to_one(mt: Translator, given: Translation) -> float:
    """sum_j a_ij = 1 for every written token and every map (Eq. 39, 43)."""
    return worst(torch.from_numpy(given.attention.sum(-1) - 1))


@identity(
    "Score = read again",
    "the beam's log P and maps are those of one pass over its text",
    2e-4,
    when=is_translator,
    inputs=translated,
)
def score_is_read_again(mt: Translator, given: Translation) -> float:
    """What a search adds up token by token is what one pass over the finished text says, and so are the maps."""
    reading = mt.read(given.text, list(given.best.tokens))
    error = worst(torch.from_numpy(reading.logp - np.array(given.best.logps, np.float32)))
    return max(error, worst(torch.from_numpy(reading.attention - given.attention)))


@identity(
    "Reordering is neutral",
    "moving a text among the rows changes none of its numbers",
    2e-4,
    when=is_translator,
    inputs=translated,
)
def rows_may_move(mt: Translator, given: Translation) -> float:
    """A text that changes its row at every step, beside others, is continued as if it were alone."""
    first, vocabulary = torch.tensor([0]), mt.config.vocab_size
    alone, moved, row, count, errors = mt.stepper(given.text), mt.stepper(given.text), 0, 1, []
    alone.advance(first, None), moved.advance(first, None)
    for at, token in enumerate(given.best.tokens[:-1]):
        place = (at + 1) % 3
        rows, ids = [count - 1] * 3, [(token + other) % vocabulary for other in (1, 2, 3)]
        rows[place], ids[place] = row, token
        one, many = (alone.advance(first, torch.tensor([token])), moved.advance(torch.tensor(rows), torch.tensor(ids)))
        errors += [worst(many.logp[place] - one.logp[0]), worst(_maps(many)[place] - _maps(one)[0])]
        row, count = place, 3
    return largest(errors)


@identity(
    "Width 1 = greedy",
    "a beam of one takes the most probable token each time",
    0.0,
    "tokens",
    when=is_translator,
    inputs=translated,
)
def narrowest_is_greedy(mt: Translator, given: Translation) -> float:
    """A beam of width 1 writes what always taking the most probable token writes."""
    longest = mt.longest(given.text)
    found = mt.search(given.text, BeamOptions(width=1, shown=1)).hypotheses()[0].tokens
    taken = tuple(greedy(mt.stepper(given.text), min(longest, BeamOptions().max_length)))
    return abs(len(found) - len(taken)) + sum(a != b for a, b in zip(found, taken))


@identity(
    "Wide = exhaustive",
    f"with three tokens allowed, the widest beam finds all texts of up to {HORIZON}, and the best",
    5e-4,
    when=is_translator,
    inputs=translated,
)
def widest_is_exhaustive(mt: Translator, given: Translation) -> float:
    """With three tokens allowed, all texts of up to three fit in the widest beam: it finds each, and the best of
    them."""
    step = mt.stepper(given.text).advance(torch.tensor([0]), None)
    end = mt.tokenizer.end_of_text
    words = [token for token in step.logp[0].topk(3).indices.tolist() if token != end][:2]
    rules, banned = Penalties(), frozenset(range(mt.config.vocab_size)) - {end, *words}
    options = BeamOptions(width=20, max_length=HORIZON, stop="never", banned=banned, shown=1, penalties=rules)
    found = {one.tokens: one.score for one in mt.search(given.text, options).hypotheses()}
    wanted = {}
    for text in (part for length in range(HORIZON) for part in product(words, repeat=length)):
        reading = mt.read(given.text, [*text, end])
        covered = aligned(reading.attention, mt.align).sum(0)
        wanted[(*text, end)] = rules.score(float(reading.logp.sum()), len(reading.logp), covered).total
    same = found.keys() == wanted.keys() and max(found, key=found.__getitem__) == max(wanted, key=wanted.__getitem__)
    return max(abs(found[text] - wanted[text]) for text in wanted) if same else math.inf


@identity(
    "Penalties by hand",
    "coverage, caps and both length penalties as worked by hand",
    1e-4,
    when=is_translator,
    inputs=translated,
)
def penalties_by_hand(mt: Translator, given: Translation) -> float:
    """Column sums, caps and both length penalties: worked by hand, then in plain loops on the best translation."""
    errors = [
        penalties.length_penalty(7, 0.6) - 1.515716567,  # (12 / 6)^0.6
        penalties.length_penalty(8, 1 / 3, "power") - 2.0,
        penalties.end_penalty(3, 2, 0.5) - 0.75,
    ]
    for matrix, capped, cost in EXTREMES.values():
        columns = np.array(matrix, float).sum(0)
        errors += [
            *(np.minimum(columns, 1) - capped),
            penalties.coverage_penalty(np.array(matrix, float), 0.2, 0.01) - cost,
        ]
    best, rules = given.best, given.search.penalties
    cost = 0.0
    for column in zip(*given.alignment.tolist()):
        cost += rules.beta * math.log(min(max(math.fsum(column), rules.floor), 1.0))
    logp, count = math.fsum(best.logps), len(best.tokens)
    divided = logp / (
        math.exp(rules.alpha * math.log((5 + count) / 6)) if rules.length == "gnmt" else count**rules.alpha
    )
    errors += [best.parts.coverage - cost, best.parts.logp + best.parts.length - divided]
    return largest(errors)


@identity(
    "Overlap = distance",
    "covloss_t is (1 + t - |a - c|) / 2, from another formula",
    1e-5,
    when=is_translator,
    inputs=translated,
)
def overlap_by_distance(mt: Translator, given: Translation) -> float:
    """covloss_t = sum_i min(a, c) = (1 + t - |a - c|) / 2, as a sums to 1 and c to t (Eq. 48-49)."""
    a = given.alignment.astype(np.float64)
    total, errors = np.zeros(a.shape[1]), []
    for t, (row, loss) in enumerate(zip(a, penalties.coverage_loss(a))):
        errors.append(loss - (1 + t - np.abs(row - total).sum()) / 2)
        total += row
    return largest(errors)


@identity(
    "Mask hides the future",
    "a later token moves no earlier loss, and does without the mask",
    1e-4,
    "nats",
    when=is_translator,
    inputs=translated,
)
def mask_hides_the_future(mt: Translator, given: Translation) -> float:
    """Another last token changes no earlier loss; in a Transformer whose decoder has lost its mask, it does."""
    written = given.best.tokens[: mt.config.context - 1]
    error = _moved(mt, mt.network, given.text, written)
    if mt.config.kind == "encoder-decoder":
        open_eyed: Any = deepcopy(mt.network)
        for block in open_eyed.decoder:
            block.attn.causal = False
        if len(written) and not _moved(mt, open_eyed, given.text, written) > NOTICED:
            error = math.inf
    return error


def _maps(step: Step) -> Tensor:
    """What a step attended to, [R, A, S]; a translator's step always has it."""
    assert step.attention is not None
    return step.attention


@torch.inference_mode()
def _moved(mt: Translator, network: torch.nn.Module, text: str, written: tuple[int, ...]) -> float:
    """The largest change of an earlier token's loss when the last token is another one."""
    source, last = torch.tensor([mt.encode(text)]), (written[-1] + 1) % mt.config.vocab_size
    losses = []
    for target in (written, (*written[:-1], last)):
        out = network(source, torch.tensor([[mt.tokenizer.end_of_text, *target]]))
        logits = out[0] if isinstance(out, tuple) else out
        losses.append(logits[0, :-1].log_softmax(-1).cpu().gather(-1, torch.tensor(written)[:, None]))
    return worst(losses[0] - losses[1])
