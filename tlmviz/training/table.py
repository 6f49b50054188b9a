"""Every recipe that the command knows, by name."""

from __future__ import annotations

from . import (
    encoder,
    experts,
    hull,
    hull_export,
    kept,
    latents,
    latents_export,
    recipes,
    scenes,
    scenes_export,
    translation,
)
from .recipe import (
    AheadTwins,
    Copying,
    CoverageControl,
    Distillation,
    Drawn,
    Encoding,
    ExpertStories,
    FewBits,
    Group,
    KeptStories,
    MaskedTranslation,
    Recipe,
    Stories,
    StreamStories,
    Translation,
    Twins,
    WarmUp,
)
from .streams import SEEDS, STREAMS, VARIANTS
from .word_recipes import WORDS
from .zoo import ZOO, write_table

TRANSLATIONS = {
    ("encoder-decoder", True, False): MaskedTranslation,
    ("seq2seq", True, False): Translation,
    ("seq2seq", True, True): Copying,
    ("seq2seq", False, False): CoverageControl,
}

_stories = tuple(Stories(recipe) for recipe in recipes.RECIPES.values())
_kept = (KeptStories(kept.RECIPE),)
_zoo = tuple(Stories(recipe) for recipe in ZOO.values())
_streams = tuple(StreamStories(recipe) for recipe in STREAMS.values())
_seeds = tuple(StreamStories(recipe) for recipe in SEEDS.values())
_variants = tuple(StreamStories(recipe) for recipe in VARIANTS.values())
_expert_seeds = tuple(ExpertStories(recipe) for recipe in experts.SEEDS.values())
_experts = tuple(ExpertStories(recipe) for recipe in experts.RECIPES.values())
_latents = tuple(Drawn(recipe, latents, latents_export) for recipe in latents.RECIPES.values())
_pointers = (Drawn(hull.RECIPE, hull, hull_export), Twins())
_scenes = tuple(Drawn(recipe, scenes, scenes_export) for recipe in scenes.RECIPES.values())
_translations = tuple(
    TRANSLATIONS[recipe.config.kind, recipe.bundled, recipe.renamed > 0](recipe)
    for recipe in translation.RECIPES.values()
)

_every: tuple[Recipe, ...] = (
    *_stories,
    *_kept,
    Distillation(),
    Group("zoo", _zoo, write_table),
    Group("streams", _streams),
    *_streams,
    Group("streams-seeds", _seeds),
    *_seeds,
    Group("streams-variants", _variants),
    *_variants,
    Group("experts", _experts),
    *_experts,
    Group("experts-seeds", _expert_seeds),
    *_expert_seeds,
    Group("translation", _translations),
    *_translations,
    Group("words", tuple(WORDS.values())),
    *WORDS.values(),
    Group("pointers", _pointers),
    *_pointers,
    Encoding(encoder.RECIPE),
    Group("latents", _latents),
    *_latents,
    Group("scenes", _scenes),
    *_scenes,
    *_zoo,
    AheadTwins(),
    WarmUp(),
    FewBits(),
)
RECIPES = {recipe.name: recipe for recipe in _every}
