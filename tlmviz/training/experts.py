"""Models with experts and the dense one of the same active parameters, trained alike, and what was logged of their routing.

Two differ in nothing but what keeps all experts busy: a bias per expert that moves by a rule (DeepSeek-V3), or a loss
besides the model's own (Switch Transformer). Each leaves, besides its weights, `training.csv` (loss, bits per byte, balance),
`loads.safetensors` (loads and biases at moments of the training) and `survey.json` (what each expert answers to).
"""

from __future__ import annotations

from dataclasses import replace

import torch

from ..config import ModelConfig
from ..networks.transformer import TransformerLM
from ..recording import recording
from ..tokens import Tokenizer
from .data import Corpus
from .loop import Probe, Schedule
from .recipes import LanguageRecipe

WORDS = {
    "moe": "8 routed experts, 2 for each token, and a shared one; a bias keeps them busy",
    "moe-aux": "8 routed experts, 2 for each token, and a shared one; a loss keeps them busy",
    "dense": "the twin without experts, as wide as the three that a token meets there",
}
EXPERTS = dict(count=8, chosen=2, hidden=128, shared=1, score="sigmoid")
SCHEDULE = Schedule(
    steps=600,
    batch_tokens=1024,
    lengths=((0.8, 256), (0.2, 512)),
    learning_rate=3e-3,
    warmup=60,
    weight_decay=0.3,
    sentence_share=0.3,
    bpe_dropout=0.1,
    evaluate_every=300,
)
BALANCE: dict[str, dict[str, float]] = {
    "moe": dict(bias_rate=1e-3),
    "moe-aux": dict(balance_loss=1e-2),
    "dense": {},
}
LOOKED_AT = (8, 256)  # windows and tokens of held-out text that loads are counted on


def _recipe(kind: str) -> LanguageRecipe:
    experts = {} if kind == "dense" else dict(experts={**EXPERTS, "bias": kind == "moe"})
    config = ModelConfig.of(
        name=f"stories-{kind}", description=f"Stories: {WORDS[kind]}.", n_layers=4, d_model=128, n_heads=8, n_kv_heads=8,
        d_ff=384, context=512, dropout=0.1, **experts,
    )  # fmt: skip
    return LanguageRecipe(config, (replace(SCHEDULE, **BALANCE[kind]),))


RECIPES = {recipe.config.name: recipe for recipe in map(_recipe, WORDS)}


def probe_of(config: ModelConfig, steps: int, corpus: Corpus, tokenizer: Tokenizer) -> Probe | None:
    """What is logged of a network with experts; None for one without."""
    if not config.experts.count:
        return None
    rows, length = LOOKED_AT
    ids = [token for ids in tokenizer.encode_many(corpus.valid) for token in (tokenizer.end_of_text, *ids)]
    text = torch.tensor(ids[: rows * length]).view(-1, length)
    often = {*range(0, 100, 10), *range(100, steps, 20)}
    return Probe(frozenset(often), lambda network: look(network, text))


@torch.inference_mode()
def look(network: TransformerLM, ids: torch.Tensor) -> dict:
    """How many tokens of ids [B, T] each expert is chosen by, and its bias: lists `load` and `bias` [layers with experts, E]."""
    training = network.training
    network.eval()
    with recording(lambda name: name.endswith((".mlp.chosen", ".mlp.bias"))) as record:
        network(ids)
    network.train(training)
    count = network.config.experts.count
    loads = [
        torch.bincount(value.flatten(), minlength=count).tolist()
        for name, value in record.values.items()
        if name.endswith("chosen")
    ]
    biases = [value[0, 0].tolist() for name, value in record.values.items() if name.endswith("bias")]
    return {"load": loads, "bias": biases}
