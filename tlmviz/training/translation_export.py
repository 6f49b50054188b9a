"""From a finished translation run to models/<name>/: weights, tokenizer, BLEU, and a card for people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from tlmviz.analysis.translation.alignment import ALIGNMENTS, error_rates, read_alignments
from tlmviz.checkpoints.native import save_network
from tlmviz.config import EncoderDecoderConfig, Seq2SeqConfig

from ..errors import BadText
from ..facades.translator import Translator
from ..tokens import Tokenizer
from .cards import CURVE, card, command, size, table
from .curves import draw
from .loop import read_weights
from .machine import machine
from .pairs import PairBatches, Pairs
from .precision import stored_dtype
from .translation import TranslationRecipe, held_out_loss, network_of

SHOWN = 5  # examples of each sort on the card


def export(
    recipe: TranslationRecipe, log: dict[str, Any], pairs: Pairs, tokenizer: Tokenizer, run: Path, folder: Path
) -> None:
    """Write the model folder from the checkpoint in `run`. Raises BadText without the alignments that choose the
    head."""
    if not ALIGNMENTS.is_file():
        raise BadText(f"{ALIGNMENTS} is not there; export from an installation that has it.")
    network = network_of(recipe.config)
    network.load_state_dict(read_weights(run), strict=False)
    network.eval().requires_grad_(False)
    held_out = PairBatches(pairs.held_out(), tokenizer, 0, recipe.config.context)
    dtype, _, stored = stored_dtype(network, lambda: held_out_loss(network, held_out))
    network.eval()
    rates = error_rates(Translator(network, tokenizer), read_alignments(ALIGNMENTS))
    network.config = network.config.aligned(rates.index[0])
    save_network(folder, network, tokenizer, dtype)
    points = log["curve"]
    draw(
        folder / "curve.svg",
        "Training",
        [point["tokens"] / 1e6 for point in points],
        ("held-out loss (nats per token)", [point["valid_loss"] for point in points]),
        ("training loss (with dropout and smoothing)", [point["train_loss"] for point in points]),
    )
    mt = Translator(network, tokenizer)
    (folder / "card.md").write_text(_card(recipe, log, pairs, mt, folder, stored, rates), encoding="utf-8")


def bleu(translations: list[str], references: list[list[str]]) -> float:
    """Corpus BLEU (sacreBLEU's defaults) against any number of references each."""
    from sacrebleu import corpus_bleu

    most = max(map(len, references))
    streams = [[many[i] if i < len(many) else None for many in references] for i in range(most)]
    return corpus_bleu(translations, streams).score  # type: ignore[arg-type]  # None: no further reference


def _card(
    recipe: TranslationRecipe,
    log: dict[str, Any],
    pairs: Pairs,
    mt: Translator,
    folder: Path,
    nats: float,
    rates: pd.Series,
) -> str:
    references = pairs.references()
    translations = {source: mt.translate(source).text for source in references}
    return card(
        mt.config,
        {
            "Model": [
                *DESCRIPTIONS[mt.config.kind](mt.config),
                size(folder, mt.n_parameters),
                "- one embedding for source, target and output; byte-level BPE learned on both languages, "
                f"{mt.config.vocab_size:,} entries, one for all translation models",
            ],
            "Data and licence": [
                f"- {len(pairs.train):,} English-French pairs to learn from, {len(pairs.valid):,} English sentences "
                "held out with all their translations (chosen by a hash of the English): Tatoeba pairs prepared by "
                "manythings.org, CC BY 2.0 (tatoeba.org)",
                "- French marks have one plain space before ? ! ; : and inside guillemets, whatever the pair had",
            ],
            "Quality": [*_quality(mt, translations, references, nats, rates), *CURVE],
            "Recipe": _recipe(recipe, log, len(pairs.train), mt),
            "Examples": _examples(translations, references),
            "Limits": [
                "It learned from short everyday sentences, many of them about Tom: "
                f"{'' if recipe.renamed else 'names, '}numbers and topics outside of them come out wrong, and long "
                "sentences lose parts. It reads English only. It was made to be looked into."
            ],
        },
    )


def _quality(
    mt: Translator, translations: dict[str, str], references: dict[str, list[str]], nats: float, rates: pd.Series
) -> list[str]:
    """BLEU of the held-out translations, with beam and without, held-out loss and alignment error rates."""
    many = list(references.values())
    score = bleu(list(translations.values()), many)
    greedy = bleu([mt.translate(source, beam=1).text for source in references], many)
    return [
        f"- **sacreBLEU {score:.1f}** with beam 5 and {greedy:.1f} with beam 1, on {len(many)} held-out sentences of "
        f"4 to 12 words with {sum(map(len, many)) / len(many):.1f} references each",
        f"- held-out loss {nats:.3f} nats per token",
        f"- alignment error rate of the attention on {len(read_alignments(ALIGNMENTS))} sentences aligned by hand: "
        + _rates(rates),
    ]


def _recipe(recipe: TranslationRecipe, log: dict[str, Any], pairs: int, mt: Translator) -> list[str]:
    """Command, settings and effort of the run over `pairs` pairs."""
    names = "steps", "batch_tokens", "learning_rate", "warmup", "weight_decay", "betas", "clip", "seed"
    settings = {name: getattr(recipe.schedule, name) for name in names}
    settings |= {"label smoothing": recipe.smoothing, "dropout": mt.config.dropout}
    if recipe.start:
        settings["begins with the weights of"] = recipe.start
    if recipe.overlap:
        settings["weight of covloss"] = recipe.overlap
    if recipe.renamed:
        settings["pairs with names that have invented ones instead, in each pass"] = f"{recipe.renamed:.0%}"
    return [
        *command(mt.name),
        f"{log['step']:,} steps, {log['pairs'] / 1e6:.2f} M pairs ({log['pairs'] / pairs:.1f} passes), "
        f"{log['tokens'] / 1e6:.1f} M target tokens.",
        "",
        *table(("setting", "value"), settings.items()),
        "",
        f"AdamW; {log['seconds'] / 60:.0f} minutes of wall time on {log.get('machine') or machine()}.",
    ]


def _examples(translations: dict[str, str], references: dict[str, list[str]]) -> list[str]:
    """Tables of the best and the worst translations by sentence BLEU."""
    from sacrebleu import sentence_bleu

    ascending = sorted(translations, key=lambda source: sentence_bleu(translations[source], references[source]).score)
    lines = []
    for title, sources in (("Its best, by sentence BLEU", ascending[-SHOWN:]), ("Its worst", ascending[:SHOWN])):
        rows = ((source, translations[source], references[source][0]) for source in sources)
        lines += [f"{title}:", "", *table(("English", "its French", "one reference"), rows), ""]
    return lines


def _transformer(config: EncoderDecoderConfig) -> list[str]:
    return [
        f"- {config.encoder_layers} encoder and {config.decoder_layers} decoder layers, {config.n_heads} heads, "
        f"d_model {config.d_model}, head dimension {config.head_dim}, feed-forward {config.feedforward.hidden} "
        f"({config.feedforward.kind}), at most {config.context} tokens",
        f"- RoPE in self-attention, none in cross-attention; {config.norm.kind}, before each part; "
        f"biases: {'yes' if config.feedforward.bias else 'no'}",
    ]


def _recurrent(config: Seq2SeqConfig) -> list[str]:
    return [
        f"- bidirectional GRU of {config.hidden // 2} units a direction, GRU decoder of {config.hidden} with input "
        f"feeding, embedding {config.d_model}, at most {config.context} tokens",
        f"- attention score: {config.score.kind}{', with a coverage vector' if config.score.coverage else ''}",
        *(
            ["- a pointer: the attention is also a distribution over the source's tokens, mixed in by a gate"]
            * config.pointer
        ),
    ]


DESCRIPTIONS: dict[str, Callable[[Any], list[str]]] = {"encoder-decoder": _transformer, "seq2seq": _recurrent}


def _rates(rates: pd.Series) -> str:
    if len(rates) == 2:  # one map, which is its own mean
        return f"{rates.iloc[0]:.3f}"
    named = {name: "mean of all heads" if name == "mean" else f"layer.head {name}" for name in rates.index[:4]}
    return ", ".join(f"{rates[name]:.3f} ({words})" for name, words in named.items())
