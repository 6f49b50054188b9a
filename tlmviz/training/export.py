"""From a finished run to models/<name>/: weights at half precision, tokenizer, and a card for people."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from tlmviz.analysis.attention.heads import head_scores
from tlmviz.checkpoints.native import save_network
from tlmviz.evaluation import bits_per_byte

from ..config import ModelConfig
from ..facades.language_model import LanguageModel
from ..networks.transformer import TransformerLM
from ..tokens import Tokenizer
from .cards import CURVE, card, command, held_out_stories, size, table
from .curves import draw
from .data import Corpus
from .loop import read_weights
from .machine import machine
from .precision import LOSS_MARGIN, stored_dtype
from .recipes import LanguageRecipe

PROMPTS = ("Once upon a time there was a little", "Tom and Anna went to the park. Anna saw", "The dog was sad because")


def export(
    recipe: LanguageRecipe, logs: list[dict[str, Any]], corpus: Corpus, tokenizer: Tokenizer, run: Path, folder: Path
) -> None:
    """Write the model folder from the last stage's checkpoint in `run`; `logs` holds every stage's."""
    network = TransformerLM(recipe.config)
    network.load_state_dict(read_weights(run), strict=False)
    network.eval().requires_grad_(False)
    # A margin in nats per token, as bits per byte.
    margin = LOSS_MARGIN * _tokens_per_byte(tokenizer, corpus.valid) / math.log(2)
    dtype, full, stored = stored_dtype(network, lambda: bits_per_byte(network, tokenizer, corpus.valid), margin)
    save_network(folder, network, tokenizer, dtype)
    _curve(logs, folder / "curve.svg")
    lm = LanguageModel(network, tokenizer)
    (folder / "card.md").write_text(_card(recipe, logs, corpus, lm, folder, full, stored), encoding="utf-8")


def _streams(config: ModelConfig) -> list[str]:
    part = config.connection
    bound = "" if part.bound is None else f" of logits z bounded to {part.bound:g} tanh(z / {part.bound:g})"
    kinds = {
        "hyper": "free hyper-connections",
        "manifold": f"doubly stochastic by {part.iterations} Sinkhorn iterations{bound} (mHC)",
    }
    if part.kind == "residual":
        return []
    return [f"- {part.streams} residual streams, mixed around every sublayer: {kinds[part.kind]}"]


def _feedforward(config: ModelConfig) -> str:
    part = config.experts
    if not part.count:
        return f"feed-forward {config.feedforward.hidden} ({config.feedforward.kind})"
    return (
        f"{part.count} experts of width {part.hidden} (swiglu), {part.chosen} for each token, and {part.shared} "
        f"shared; scores: {part.score}{', a bias in the choice' if part.bias else ''}"
    )


def _tokens_per_byte(tokenizer: Tokenizer, documents: list[str]) -> float:
    return sum(map(len, tokenizer.encode_many(documents))) / sum(len(d.encode()) for d in documents)


def _curve(logs: list[dict[str, Any]], path: Path) -> None:
    """Held-out bits per byte and training loss of all stages in a row."""
    before = [sum(log["tokens"] for log in logs[:stage]) for stage in range(len(logs))]  # tokens of earlier stages
    tokens = [(point["tokens"] + base) / 1e6 for log, base in zip(logs, before) for point in log["curve"]]
    held_out, training = ([point[key] for log in logs for point in log["curve"]] for key in ("valid_bpb", "train_loss"))
    # Learning to copy forgets the stories for a while: cut off, so that what follows can be told apart.
    draw(
        path,
        "Training",
        tokens,
        ("held-out bits per byte", held_out),
        ("training loss (nats per token, with dropout)", training),
        [base / 1e6 for base in before[1:]],
        top=min(2.0, 1.03 * max(held_out)),
    )


def _card(
    recipe: LanguageRecipe,
    logs: list[dict[str, Any]],
    corpus: Corpus,
    lm: LanguageModel,
    folder: Path,
    full: float,
    stored: float,
) -> str:
    config = recipe.config
    steps, tokens = (sum(log[key] for log in logs) for key in ("step", "tokens"))
    passes = sum(log.get("passes", 0) for log in logs)
    return card(
        config,
        {
            "Model": model(lm, folder),
            "Data and licences": _data(recipe, corpus),
            "Quality": [
                f"- **held-out stories: {stored:.4f} bits per byte** ({full:.4f} before rounding the weights)",
                f"- {steps:,} steps, {tokens / 1e6:.1f} M tokens, {passes} passes over the stories",
                *CURVE,
            ],
            "Heads": _heads(recipe, lm),
            "Recipe": _recipe(recipe, sum(log["seconds"] for log in logs), logs[-1].get("machine") or machine()),
            "Samples": samples(lm),
            "Limits": [
                "It knows the words of small children's stories and nothing else: no facts, no instructions, English "
                "only. It was made to be looked into."
            ],
        },
    )


def model(lm: LanguageModel, folder: Path) -> list[str]:
    """What a language model is made of."""
    config, mlp = lm.config, lm.config.feedforward
    attention = {config.n_heads: "multi-head", 1: "multi-query"}.get(config.n_kv_heads, "grouped-query")
    return [
        f"- {config.n_layers} layers, {config.n_heads} heads ({attention} attention), d_model {config.d_model}, "
        f"head dimension {config.head_dim}, {_feedforward(config)}, context {config.context} tokens",
        f"- positions: {config.positions.kind}; norm: {config.norm.kind}, {config.norm.placement}; "
        f"biases: {'yes' if mlp.bias else 'no'}; head: {'tied to the embedding' if config.tied else 'untied'}",
        *_streams(config),
        size(folder, lm.n_parameters),
        f"- tokenizer: byte-level BPE, {config.vocab_size:,} entries, learned on the training stories",
    ]


def _data(recipe: LanguageRecipe, corpus: Corpus) -> list[str]:
    first = recipe.stages[0]
    lines = [held_out_stories(corpus)]
    if first.sentence_share:
        lines.append(
            f"- {len(corpus.sentences):,} English sentences, {first.sentence_share:.0%} of the windows at first and "
            "none at the end: Tatoeba pairs prepared by manythings.org, CC BY 2.0 (tatoeba.org)"
        )
    return lines


def _heads(recipe: LanguageRecipe, lm: LanguageModel) -> list[str]:
    """The heads that look at the previous token or do induction, and where induction comes from."""
    lines = telling_heads(lm)
    copying = [n for n, stage in enumerate(recipe.stages, start=1) if stage.repeat_share > 0.5]
    if copying:
        share = recipe.stages[copying[0] - 1].repeat_share
        lines += [
            "",
            f"Stage {copying[0]} of the training taught the induction: {share:.0%} of its windows repeat a span of "
            "random tokens. On the stories alone none formed.",
        ]
    return lines


def telling_heads(lm: LanguageModel) -> list[str]:
    """The heads that look at the previous token or do induction, with their scores."""
    scores = head_scores(lm)
    rows = [
        (kind, f"{row.layer}.{row.head}", f"{getattr(row, kind):.3f}")
        for kind in ("previous", "induction")
        for row in scores.nlargest(3, kind).itertuples()
    ]
    lines = [
        "Mean attention weight on 8 texts of 64 random tokens that repeat once: *previous* is the weight on the token "
        "before, *induction* the weight, in the second copy, on the token that followed the first.",
        "",
        *table(("kind", "layer.head", "score"), rows),
    ]
    if scores["induction"].max() < 0.1:
        lines += ["", "No induction head formed: too few stories reward copying from earlier in the text."]
    return lines


def _recipe(recipe: LanguageRecipe, seconds: float, where: str) -> list[str]:
    config = recipe.config
    return [
        *command(config.name),
        *table(
            ("setting", *(f"stage {n}" for n in range(1, len(recipe.stages) + 1))),
            ((name, *(getattr(stage, name) for stage in recipe.stages)) for name in vars(recipe.stages[0])),
        ),
        "",
        f"Dropout {config.dropout}; AdamW; {seconds / 60:.0f} minutes of wall time on {where}.",
    ]


def samples(lm: LanguageModel) -> list[str]:
    """How a language model goes on from PROMPTS."""
    lines = ["Temperature 0.7, top-k 40, seed 0:", ""]
    for prompt in PROMPTS:
        text = lm.generate(prompt, 60, 0.7, 40).replace("\n", " ").strip()
        lines.append(f"> **{prompt}** {text}\n")
    return lines
