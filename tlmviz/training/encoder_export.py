"""From a finished run to models/stories-encoder/: weights, tokenizer, and a card with what was measured on held-out
stories."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tlmviz.checkpoints.native import for_inference, save_network

from ..facades.encoder import EncoderModel
from ..networks.encoder import TransformerEncoder
from ..tokens import Tokenizer
from .cards import CURVE, card, command, held_out_stories, size, table
from .curves import draw
from .data import Corpus
from .encoder import HELD_OUT, EncoderRecipe, PairBatches, Rows, finished, held_out_rows, measured, told_exchanged
from .machine import machine
from .precision import stored_dtype

PAIRS_JUDGED = 300  # held-out pairs of each length
PAIR = (
    "Once upon a time there was a little girl named Lily. Lily had a red ball.",
    "One day, Lily lost her ball. She was very sad.",
    "One day, Lily lost ball her. She was very sad.",
    "Tom and his dog went to the lake. The dog saw a big fish.",
)
SENTENCES = (
    "Once upon a time there was a little [MASK] named Lily.",
    "The dog was sad because he lost his [MASK].",
    "Tom was hungry, so he ate the [MASK].",
)


def export(
    recipe: EncoderRecipe, log: dict[str, Any], corpus: Corpus, tokenizer: Tokenizer, run: Path, folder: Path
) -> None:
    """Write the model's folder from the checkpoint in `run`."""
    network = finished(recipe, corpus, tokenizer, run)
    held_out = held_out_rows(corpus.valid, tokenizer, recipe)
    dtype, _, _ = stored_dtype(network, lambda: measured(network, held_out)["hidden"])
    save_network(folder, network, tokenizer, dtype)
    points = log["curve"]
    draw(
        folder / "curve.svg",
        "Training",
        [point["tokens"] / 1e6 for point in points],
        ("held-out loss (nats per hidden token)", [point["hidden"] for point in points]),
        ("training loss (nats per hidden token)", [point["train"][0] for point in points]),
    )
    model = EncoderModel(for_inference(network), tokenizer)
    text = _card(recipe, log, corpus, model, folder, held_out)
    (folder / "card.md").write_text(text, encoding="utf-8")


def guessing(held_out: list[Rows], stories: list[str], tokenizer: Tokenizer) -> float:
    """The share of hidden tokens that are the most common one of the stories: what a guess without reading gets
    right."""
    ids = np.concatenate([np.array(each) for each in tokenizer.encode_many(stories)])
    common = int(np.bincount(ids).argmax())
    truth = torch.cat([rows.truth[rows.truth >= 0] for rows in held_out])
    return (truth == common).float().mean().item()


def pairs_judged(corpus: Corpus, tokenizer: Tokenizer, recipe: EncoderRecipe, length: int) -> Rows:
    """Held-out rows of a length with nothing hidden, words exchanged in half of them; the same for every
    measurement."""
    return PairBatches(corpus.valid, tokenizer, recipe, 3000).plain(length, PAIRS_JUDGED)


@torch.inference_mode()
def told_stories(network: TransformerEncoder, rows: Rows) -> np.ndarray:
    """Whether the means are right of each row of two pieces, [N]."""
    pairs = rows.story >= 0
    ids, truth = rows.ids[pairs], rows.story[pairs]
    return ((network.of_one_story(ids, network.read(ids)) > 0) == (truth > 0)).cpu().numpy()


def bags(rows: Rows, size: int) -> np.ndarray:
    """How often each of `size` entries stands in each row, [B, V]."""
    return np.stack([np.bincount(row, minlength=size) for row in rows.ids.numpy()])


def told_by_bags(corpus: Corpus, tokenizer: Tokenizer, recipe: EncoderRecipe, judged: list[Rows]) -> list[np.ndarray]:
    """Whether a logistic regression on bags of words, fitted to as many training rows as the means were, is right of
    each row."""
    from sklearn.linear_model import LogisticRegression  # late: it takes half a second to import

    batches, size = PairBatches(corpus.train, tokenizer, recipe, 2002), recipe.config.vocab_size
    learned = [batches.plain(length, recipe.pairs) for length in recipe.judged]
    fitted = LogisticRegression(C=0.1, max_iter=500).fit(
        np.concatenate([bags(rows, size) for rows in learned]),
        torch.cat([rows.moved[:, 0] for rows in learned]).numpy(),
    )
    return [fitted.predict(bags(rows, size)) == rows.moved[:, 0].numpy() for rows in judged]


def _judgements(model: EncoderModel, corpus: Corpus, recipe: EncoderRecipe) -> list[str]:
    """A row of the card for each length, and one for all."""
    judged = [pairs_judged(corpus, model.tokenizer, recipe, length) for length in recipe.judged]
    columns = (
        [told_exchanged(model.network, rows) for rows in judged],
        told_by_bags(corpus, model.tokenizer, recipe, judged),
        [told_stories(model.network, rows) for rows in judged],
    )
    rows = [
        (length, *(f"{100 * right.mean():.1f} % of {len(right)}" for right in row))
        for length, *row in zip(recipe.judged, *columns)
    ]
    whole = [np.concatenate(column) for column in columns]
    rows.append(("all", *(f"**{100 * right.mean():.1f} %** of {len(right)}" for right in whole)))
    return table(("tokens", "words exchanged? ([CLS])", "the same by a bag of words", "of one story? (means)"), rows)


def _card(
    recipe: EncoderRecipe, log: dict[str, Any], corpus: Corpus, model: EncoderModel, folder: Path, held_out: list[Rows]
) -> str:
    config = recipe.config
    return card(
        config,
        {
            "Model": [
                f"- {config.n_layers} layers, {config.n_heads} heads, d_model {config.d_model}, feed-forward "
                f"{config.feedforward.hidden} ({config.feedforward.kind}), context {config.context} tokens; no causal "
                "mask: every token reads every other one (002 section 7.1; Devlin et al. 2018)",
                "- positions: RoPE; a vector for each of two parts, as in BERT; norm: RMSNorm, pre; the embedding is "
                "the output matrix too",
                "- [CLS] a [SEP], or [CLS] a [SEP] b [SEP]",
                size(folder, model.n_parameters),
                "- tokenizer: that of the story models, byte-level BPE learned on the training stories, and [CLS], "
                f"[SEP], [MASK]: {config.vocab_size:,} entries",
            ],
            "Data and licence": [
                held_out_stories(corpus),
                f"- {100 * recipe.hidden:.0f} % of the tokens are to be guessed: 80 % of these read as [MASK], 10 % "
                "as any token, 10 % as themselves",
                f"- {100 * (1 - recipe.single):.0f} % of the rows hold two pieces, cut where a sentence ends: in one "
                "half of them the second piece goes on from the first, in the other it is of another story",
                "- in half of the rows two neighbouring words, with nothing but a space between them, are exchanged: "
                "[CLS] is asked whether, and each other token whether it belongs to them",
            ],
            "Quality": _quality(recipe, corpus, model, held_out),
            "Recipe": _effort(recipe, log),
            "Samples": _samples(model),
            "Limits": [
                "It knows the words of small children's stories and nothing else, and writes nothing: it fills places "
                "that are there. Whether two pieces are of one story it says a little better than a coin does. It was "
                "made to be looked into."
            ],
        },
    )


def _quality(recipe: EncoderRecipe, corpus: Corpus, model: EncoderModel, held_out: list[Rows]) -> list[str]:
    """What was measured on held-out stories."""
    both, causal = measured(model.network, held_out), measured(model.causal.network, held_out)
    common = guessing(held_out, corpus.train, model.tokenizer)
    asked = sum(int((rows.truth >= 0).sum()) for rows in held_out)
    lengths = ", ".join(str(length) for length, _ in HELD_OUT)
    return [
        f"Hidden tokens of held-out stories ({asked:,}, in rows of {lengths} tokens). A guess of the most common token "
        f"is right in {100 * common:.1f} %. Put on after training, a causal mask takes away what it learned to read.",
        "",
        *table(
            ("reads", "bits per hidden token", "nats", "guessed right"),
            (
                (
                    name,
                    f"{value['hidden'] / math.log(2):.3f}",
                    f"{value['hidden']:.3f}",
                    f"{100 * value['right']:.1f} %",
                )
                for name, value in (("**both sides, as trained**", both), ("with a causal mask put on", causal))
            ),
        ),
        "",
        "From [CLS] alone the model tells whether two neighbouring words are exchanged somewhere in a row. Both orders "
        "have the same words, so a bag of words cannot tell (here a logistic regression on the counts of all tokens). "
        "Whether two pieces are of one story it was not trained to say: that is read from their mean vectors u, v, as "
        f"u v and |u − v|, by logistic regression on {recipe.pairs * len(recipe.judged):,} rows of training stories "
        "(Reimers and Gurevych 2019). Right on held-out rows from anywhere in the stories, chance being 50 %:",
        "",
        *_judgements(model, corpus, recipe),
        *CURVE,
    ]


def _effort(recipe: EncoderRecipe, log: dict[str, Any]) -> list[str]:
    config, schedule = recipe.config, recipe.schedule
    return [
        *command(config.name),
        f"{log['step']:,} steps of about {schedule.batch_tokens:,} tokens in rows of {min(recipe.lengths)} to "
        f"{max(recipe.lengths)}, {log['tokens'] / 1e6:.1f} M in all; AdamW, learning rate {schedule.learning_rate} "
        f"with warm-up {schedule.warmup} and a cosine, betas {schedule.betas}, weight decay {schedule.weight_decay}, "
        f"clipping {schedule.clip}, dropout {config.dropout}, BPE-dropout {schedule.bpe_dropout}, seed "
        f"{schedule.seed}. {log['seconds'] / 60:.0f} minutes of wall time on {machine()}.",
    ]


def _samples(model: EncoderModel) -> list[str]:
    guesses = [(text, model.predict(text, 5)[0].words) for text in SENTENCES]
    first, *others = PAIR
    return [
        *(
            f"> {text}  \n> " + ", ".join(f"{word.strip()} {p:.2f}" for word, p in words) + "\n"
            for text, words in guesses
        ),
        *(
            f"> {first}  \n> {after}  \n> words exchanged: {model.exchanged(first, after):.2f}, of one story: "
            f"{model.belong(first, after):.2f}\n"
            for after in others
        ),
    ]
