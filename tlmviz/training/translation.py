"""Training translation models: the recipes, and the loop from sentence pairs to weights."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional as F
from tqdm import tqdm

from tlmviz.checkpoints import native
from tlmviz.checkpoints.registry import KINDS

from ..config import EncoderDecoderConfig, Seq2SeqConfig, TranslatorConfig
from ..networks.encoder_decoder import EncoderDecoder
from ..networks.seq2seq import Seq2Seq, overlap
from ..tokens import Tokenizer
from . import loop
from .loop import Schedule
from .machine import fastest
from .names import RenamedBatches
from .pairs import PairBatches, Pairs


@dataclass(frozen=True)
class TranslationRecipe:
    """A translation model and how it is trained. `overlap` weighs covloss (004 Eq. 49) against the loss per token; such
    a model goes on from the weights of the recipe `start`, as in See et al. 2017: one that knows nothing yet would only
    learn to look elsewhere. A `renamed` share of the pairs with names has invented ones in their place, others in every
    pass.

    One that is not `bundled` leaves no model: it was trained for the numbers that it gives.
    """

    config: TranslatorConfig
    schedule: Schedule
    smoothing: float = 0.1
    overlap: float = 0.0
    renamed: float = 0.0
    start: str | None = None
    bundled: bool = True


TRANSFORMER = Schedule(
    steps=5000, batch_tokens=2048, learning_rate=2e-3, warmup=800, weight_decay=0.05, seed=3, evaluate_every=250
)
RECURRENT = Schedule(
    steps=2800, batch_tokens=2048, learning_rate=2e-3, warmup=200, weight_decay=0.02, seed=3, evaluate_every=250
)
COPYING = replace(RECURRENT, steps=1500, batch_tokens=8192, learning_rate=1e-3, warmup=50, seed=5)
COVERAGE = replace(RECURRENT, steps=600, learning_rate=5e-4, warmup=50, seed=4, evaluate_every=200)


def _recurrent(suffix: str, description: str, score: str) -> TranslationRecipe:
    config = Seq2SeqConfig.of(name=f"eng-fra-{suffix}", description=description, score=score, dropout=0.2)
    return TranslationRecipe(config, RECURRENT)


RECIPES = {
    recipe.config.name: recipe
    for recipe in (
        TranslationRecipe(
            EncoderDecoderConfig.of(
                name="eng-fra",
                description="English to French, Transformer encoder-decoder: 3 + 3 layers, RoPE, RMSNorm, SwiGLU.",
                dropout=0.1,
            ),
            TRANSFORMER,
        ),
        _recurrent("dot", "English to French, GRUs with attention scored by the dot product h.z.", "dot"),
        _recurrent("general", "English to French, GRUs with attention scored by h W z.", "general"),
        _recurrent("additive", "English to French, GRUs with attention scored by v.tanh(W1 h + W2 z).", "additive"),
        TranslationRecipe(
            Seq2SeqConfig.of(
                name="eng-fra-coverage",
                description="eng-fra-additive, trained on with a coverage vector in the score and covloss.",
                score="additive",
                coverage=True,
                dropout=0.2,
            ),
            COVERAGE,
            overlap=1.0,
            start="eng-fra-additive",
        ),
        *(
            TranslationRecipe(
                Seq2SeqConfig.of(name=name, description=said, score="additive", pointer=pointer, dropout=0.2),
                COPYING,
                smoothing=0.0,  # it would keep g, the share that is not copied, away from 0
                renamed=0.7,
                start="eng-fra-additive",
            )
            for name, said, pointer in (
                (
                    "eng-fra-copy",
                    "eng-fra-additive, trained on with a pointer: what it looks at in the source it can copy, such as "
                    "names.",
                    True,
                ),
                (
                    "eng-fra-copy-plain",
                    "eng-fra-additive, trained on as eng-fra-copy was, on the same pairs with the same names, without "
                    "a pointer.",
                    False,
                ),
            )
        ),
        # What the same steps do without coverage: what is left of the difference is coverage's.
        TranslationRecipe(
            Seq2SeqConfig.of(
                name="eng-fra-additive-more",
                description="eng-fra-additive, trained on as eng-fra-coverage was, without coverage and covloss.",
                score="additive",
                dropout=0.2,
            ),
            COVERAGE,
            start="eng-fra-additive",
            bundled=False,
        ),
    )
}


def network_of(config: TranslatorConfig) -> EncoderDecoder | Seq2Seq:
    """A network with starting weights."""
    network = KINDS[config.kind].network(config)
    assert isinstance(network, EncoderDecoder | Seq2Seq)
    return network


def train(
    recipe: TranslationRecipe, pairs: Pairs, tokenizer: Tokenizer, folder: Path, start: Path | None = None
) -> dict[str, Any]:
    """Train a network, resuming from `folder` if it holds a checkpoint. Returns the log; weights stay in `folder`.

    `start` is the folder of a finished run, or of a model, whose weights a new one begins with; what it did not have
    starts fresh. It runs on an NVIDIA GPU where there is one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    schedule, config = recipe.schedule, recipe.config
    torch.manual_seed(schedule.seed)
    network = network_of(config)
    network.to(fastest())
    if start is not None:
        network.load_state_dict(starting_weights(start), strict=False)
    optimizer = loop.optimizer_of(network, schedule)
    packer = batches_of(recipe, pairs, tokenizer)
    held_out = PairBatches(pairs.held_out(), tokenizer, 0, config.context)
    log = loop.empty_log(schedule, network.device) | {"pairs": 0}
    if (folder / "log.json").is_file():
        log = loop.resume(folder, network, optimizer, packer)
    began = time.monotonic() - log["seconds"]
    bar = tqdm(
        range(log["step"], schedule.steps), initial=log["step"], total=schedule.steps, mininterval=5, unit="step"
    )
    recent: list[tuple[float, float]] = []
    network.train()
    for step in bar:
        source, target, following = packer.batch(schedule.batch_tokens)
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate(step)
        loss, covered = losses(network, source, target, following, recipe.smoothing)
        optimizer.zero_grad(set_to_none=True)
        (loss + recipe.overlap * covered if recipe.overlap else loss).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), schedule.clip)
        optimizer.step()
        recent.append((loss.item(), torch.as_tensor(covered).item()))
        log["tokens"] += int((following >= 0).sum())
        log["pairs"] += len(source)
        if (step + 1) % schedule.evaluate_every == 0 or step + 1 == schedule.steps:
            nats = held_out_loss(network, held_out)
            now, over = (sum(part) / len(recent) for part in zip(*recent))
            point = {"step": step + 1, "tokens": log["tokens"], "train_loss": now, "valid_loss": nats, "overlap": over}
            log["curve"].append(point)
            log.update(step=step + 1, seconds=time.monotonic() - began, passes=packer.passes)
            bar.set_postfix(loss=f"{now:.3f}", held_out=f"{nats:.4f}")
            recent.clear()
            loop.save(folder, network, optimizer, log)
    return log


def batches_of(recipe: TranslationRecipe, pairs: Pairs, tokenizer: Tokenizer) -> PairBatches:
    """What a recipe learns from: the pairs as they are, or with invented names."""
    sizes = pairs.train, tokenizer, recipe.schedule.seed, recipe.config.context
    return RenamedBatches(*sizes, recipe.renamed) if recipe.renamed else PairBatches(*sizes)


def starting_weights(folder: Path) -> dict[str, torch.Tensor]:
    """The parameters in the folder of a run, else in that of a model (there rounded to what it is stored as)."""
    run = (folder / "state.safetensors").is_file()
    return loop.read_weights(folder) if run else native.read_weights(folder)


def losses(
    network: EncoderDecoder | Seq2Seq,
    source: torch.Tensor,
    target: torch.Tensor,
    following: torch.Tensor,
    smoothing: float,
) -> tuple[torch.Tensor, torch.Tensor | float]:
    """Cross-entropy per target token in nats, and covloss per target token (0 for a Transformer)."""
    out = network(source, target)
    logits, attention = out if isinstance(out, tuple) else (out, None)
    following = following.to(logits.device)
    loss = F.cross_entropy(logits.flatten(0, 1), following.flatten(), label_smoothing=smoothing)
    if attention is None:
        return loss, 0.0
    counted = following >= 0
    return loss, (overlap(attention) * counted).sum() / counted.sum()


@torch.inference_mode()
def held_out_loss(network: EncoderDecoder | Seq2Seq, held_out: PairBatches) -> float:
    """Nats per target token of the held-out pairs, without smoothing."""
    network.eval()
    nats, count = 0.0, 0
    for chosen in held_out.one_pass(8192):
        source, target, following = held_out.gather(chosen)
        number = int((following >= 0).sum())
        nats += losses(network, source, target, following, 0.0)[0].item() * number
        count += number
    network.train()
    return nats / count
