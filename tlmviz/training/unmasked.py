"""A copy of eng-fra that may look ahead: its decoder's self-attention is trained on without the causal mask.

It learns within minutes to copy the next token of the target it is given, and is then useless for writing one. What it
learned is small, and lies beside the model: models/eng-fra/unmasked.safetensors.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save_file
from torch.nn import functional as F
from tqdm import tqdm

from tlmviz.analysis.translation.masks import UNMASKED, self_attention, unmasked
from tlmviz.checkpoints.registry import load

from ..facades.translator import Translator
from .pairs import PairBatches, Pairs
from .translation import held_out_loss

HEADING = "## A copy that may look ahead"
STEPS, TOKENS, RATE = 800, 1024, 3e-3


def run(name: str, pairs: Pairs, models: Path) -> None:
    """Train the copy of models/<name>, write its weights beside the model's, and say in the card what came of it."""
    mt = load(models / name)
    assert isinstance(mt, Translator)
    network = unmasked(mt).network.train()
    trained = self_attention(network).keys()
    for key, parameter in network.named_parameters():
        parameter.requires_grad_(key in trained)
    packer = PairBatches(pairs.train, mt.tokenizer, 0, mt.config.context)
    held_out = PairBatches(pairs.held_out(), mt.tokenizer, 0, mt.config.context)
    before = held_out_loss(network, held_out)
    optimizer = torch.optim.AdamW(
        [p for p in network.parameters() if p.requires_grad], lr=RATE, weight_decay=0.0, fused=True
    )
    for step in (bar := tqdm(range(STEPS), mininterval=5, unit="step")):
        source, target, following = packer.batch(TOKENS)
        optimizer.param_groups[0]["lr"] = RATE * min(1, (step + 1) / 50, 2 * (STEPS - step) / STEPS)
        loss = F.cross_entropy(network(source, target).flatten(0, 1), following.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        bar.set_postfix(loss=f"{loss.item():.4f}")
    after = held_out_loss(network, held_out)
    weights = {key: value.half().contiguous() for key, value in self_attention(network).items()}
    path = models / name / UNMASKED
    save_file(weights, path, metadata={"format": "pt"})
    card = (models / name / "card.md").read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
    note = (
        f"\n\n{HEADING}\n\n`{UNMASKED}` ({path.stat().st_size / 1e6:.1f} MB) holds the decoder's self-attention, "
        f"trained on for {STEPS} steps without the causal mask. Held-out loss with the mask removed is {before:.3f} "
        f"nats per token before, and {after:.3f} after: it reads the answer in the target it is given. With nothing to "
        "read ahead it has little to say.\n"
    )
    (models / name / "card.md").write_text(card + note, encoding="utf-8")
