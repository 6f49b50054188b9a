"""From a finished run to models/digits-scenes/ or models/digits-scenes-turned/: weights, and a card with what they get
right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tlmviz.checkpoints.native import for_inference, save_network
from tlmviz.config import ScenesConfig

from .. import digits
from ..facades.scenes import language
from ..facades.scenes.models import PictureMarker, PictureReader
from . import marks
from .cards import card, command, size, table
from .curves import draw
from .loop import read_weights
from .precision import stored_dtype
from .scenes import NETWORKS, SceneBatches, ScenesRecipe, Teacher, loss_of, tokenizer

SCENES, SEED = 1000, 7
ALL_OF = 300  # scenes about which every question is asked
OUTCOMES = {
    (True, "marked"): "the digit stands there once, and a neighbour on that side",
    (True, "blank"): "no neighbour on that side, or the digit is not there",
    (True, "several"): "the digit is there several times, and all of it is to be marked",
    (False, "marked"): "there is something to mark",
    (False, "blank"): "there is nothing to mark",
}
ASKED = {
    "side": "what is left of / right of / above / below the 7",
    "where": "where is the 3",
    "place": "what is at the top left",
    "there": "is there a 4",
    "count": "how many digits are there",
    "describe": "describe the picture",
}

DATA = (
    "Scenes drawn on the fly: one to nine digits in the cells of a 3 x 3 grid, 24 x 24 pixels, in half of them none "
    "twice. The digits are handwritten, from E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI "
    "Machine Learning Repository (CC BY 4.0), of which scikit-learn ships 1,797 of 8 x 8 pixels. 1,415 of them are "
    "trained on, each time turned, leaned, stretched, moved and pressed a little differently; 382, on forms of their "
    "own, are held out and in no scene of the training. Questions and true answers are made from the labels "
    "(`tlmviz.facades.scenes.language`).",
)


def export(recipe: ScenesRecipe, log: dict[str, Any], run: Path, folder: Path) -> None:
    """Write the model folder from the checkpoint in `run`."""
    words, network = tokenizer(), NETWORKS[recipe.config.kind](recipe.config)
    network.load_state_dict(read_weights(run))
    teacher = Teacher(network, {word: number for number, word in enumerate(words.words)})
    dtype, _, _ = stored_dtype(network, lambda: loss_of(teacher, _held_out(), recipe))
    save_network(folder, network, words, dtype)
    points = log["curve"]
    draw(
        folder / "curve.svg",
        "Training",
        [point["step"] * recipe.scenes / 1e3 for point in points],
        ("held-out scenes answered exactly", [_mean(point["right"]) for point in points]),
        ("training loss (nats)", [point["train_loss"] for point in points]),
        read="scenes seen (thousands)",
    )
    measuring = Teacher(for_inference(network), teacher.ids)
    apart = measuring.marked_right(_held_out(), ALL_OF) if recipe.config.kind == "scenes-turned" else {}
    (folder / "card.md").write_text(_card(recipe, log, folder, measured(measuring), apart), encoding="utf-8")


def measured(teacher: Teacher, number: int = SCENES) -> dict[str, float]:
    """The share of questions of each kind that are answered, or marked, exactly: each about a scene of held-out digits
    of its own."""
    return {kind: teacher.right(_held_out(), kind, number) for kind in language.KINDS}


def measured_on(model: PictureReader | PictureMarker, number: int) -> dict[str, float]:
    """The same of a loaded model."""
    return measured(_teacher_of(model), number)


def _teacher_of(model: PictureReader | PictureMarker) -> Teacher:
    return Teacher(model.network, {word: i for i, word in enumerate(model.tokenizer.words)})


def usual(kind: str, number: int = SCENES) -> float:
    """What the most frequent answer of a kind would get right."""
    batches = _held_out()
    scenes = batches.scenes(number)
    given = (scenes.of(scene) for scene in range(number))
    answers = Counter(language.answer(labels, batches.question(labels, kind)) for labels in given)
    return answers.most_common(1)[0][1] / number


def _held_out() -> SceneBatches:
    return SceneBatches(digits.held_out(), SEED, varied=False)


def _mean(right: dict[str, float]) -> float:
    return sum(right.values()) / len(right)


def _card(
    recipe: ScenesRecipe, log: dict[str, Any], folder: Path, right: dict[str, float], apart: dict[str, dict[str, float]]
) -> str:
    config, turned = recipe.config, recipe.config.kind == "scenes-turned"
    short = {kind: share for kind, share in right.items() if kind != "describe"}
    rows = [(kind, ASKED[kind], f"{100 * share:.1f} %", f"{100 * usual(kind):.1f} %") for kind, share in right.items()]
    rows.append(("mean of the five kinds of questions", "", f"{100 * _mean(short):.1f} %", ""))
    head = "kind", "for example", "right", "always the usual answer"
    columns = 3 if turned else 4
    return card(
        config,
        {
            "Model": [
                *_parts(config),
                size(folder, sum(p.numel() for p in NETWORKS[config.kind](config).parameters())),
            ],
            "Data": DATA,
            "Quality": [
                f"{SCENES:,} fresh scenes of held-out digits per kind of question, one question each, mostly about "
                "digits that are there. "
                + (
                    "A marking is right where all 36 patches are."
                    if turned
                    else "An answer is right where every word is."
                ),
                "",
                *table(head[:columns], (row[:columns] for row in rows)),
                "",
                *_apart(apart),
                "![Training curve](curve.svg)",
            ],
            "Recipe": [*command(config.name, files=False), _effort(recipe, log)],
            "Limits": _limits(short),
        },
    )


def _apart(apart: dict[str, dict[str, float]]) -> list[str]:
    """What is right where something is to be marked, and where nothing is."""
    if not apart:
        return []
    rows = [
        (f"{kind}: {OUTCOMES[kind == 'side', name]}", f"{100 * share:.1f} %")
        for kind, shares in apart.items()
        for name, share in shares.items()
    ]
    return [
        f"The same apart for what is true, all {len(marks.QUESTIONS)} questions about each of {ALL_OF} such scenes:",
        "",
        *table(("kind, and what is true", "right"), rows),
        "",
    ]


def _parts(config: ScenesConfig) -> list[str]:
    heads = (
        f"{config.n_heads} heads, d {config.d_model}, SwiGLU of {config.feedforward.hidden}, RMSNorm before each part"
    )
    if config.kind == "scenes":
        return [
            f"- picture: 36 patches of {config.patch} x {config.patch} pixels, {config.image_layers} layers of "
            "self-attention among them, their places learned",
            f"- text: {config.cross_layers} layers, each causal self-attention with RoPE, then cross-attention whose "
            "queries are words and whose keys and values are patches (note 000, Eq. 33)",
            f"- {heads}",
        ]
    return [
        f"- text: the question and an end, {config.text_layers} layer of self-attention with RoPE, both directions",
        f"- picture: 36 patches of {config.patch} x {config.patch} pixels, {config.image_layers} layers of "
        f"self-attention among them, then {config.cross_layers} layers of self-attention and cross-attention whose "
        "queries are patches and whose keys and values are words (note 000, Eq. 32)",
        "- each patch says in the end whether it belongs to the digits that the answer speaks of",
        f"- {heads}",
    ]


def _limits(right: dict[str, float]) -> list[str]:
    worst = min(right, key=right.__getitem__)
    return [
        f"It is worst at questions of the kind {worst}: {100 * right[worst]:.1f} %.",
        "",
        "It knows the words of its small language only, digits of one collection, and cells that stand in a fixed "
        "grid. A digit that it reads wrongly makes several answers wrong, and descriptions name every digit, so one is "
        "enough.",
    ]


def _effort(recipe: ScenesRecipe, log: dict[str, Any]) -> str:
    schedule = recipe.schedule
    if recipe.config.kind == "scenes":
        told = f" and one description (weight {recipe.described})"
    else:
        told = ", half of them with something to mark"
        if recipe.sides_from:
            told += f", about neighbours mostly from step {recipe.sides_from:,} on"
    told += f", and the naming of each patch's digit (weight {recipe.named})"
    return (
        f"{log['step']:,} steps of {recipe.scenes} scenes with {recipe.questions} questions each{told}, AdamW, "
        f"learning rate {schedule.learning_rate} with warm-up {schedule.warmup} and a cosine, betas {schedule.betas}, "
        f"weight decay {schedule.weight_decay}, clipping {schedule.clip}, seed {schedule.seed}. "
        f"{log['seconds'] / 60:.0f} minutes of wall time on {log['machine']}."
    )
