"""The galleries of all pages, and which part of a page each card's picture is taken of."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

import pages
from pages import ALL, Page
from tlmviz.hosting import pictures
from tlmviz.ui.gallery import Card

FOLDER = Path(pages.__file__).parent


@dataclass(frozen=True)
class Region:
    """A part of a page by its CSS selector, and what is cut out of it: left, top, right and bottom as shares."""

    selector: str = ".stPlotlyChart"
    crop: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)


def cards_of(page: Page) -> tuple[Card, ...]:
    """The cards of a page; none where it has no gallery."""
    if not (FOLDER / page.folder / "examples.py").is_file():
        return ()
    module = importlib.import_module(f"pages.{page.folder.replace('/', '.')}.examples")
    cards: tuple[Card, ...] = getattr(module, "CARDS", ())
    return cards


GALLERIES = {page: cards for page in ALL if (cards := cards_of(page))}
SECOND = Region(".stPlotlyChart >> nth=1")
REGIONS = {  # by a page's path, or by the path and a card's title
    "explorer": Region(".st-key-attention"),
    "explorer: The way of a word": Region(".st-key-flow-graph", (0.2, 0.0, 1.0, 1.0)),
    "inside_block": Region(".st-key-panel1"),
    "inside_block: Nobody expected the loss": Region(".st-key-losses", (0.45, 0.0, 1.0, 1.0)),
    "rope_planes": Region(".st-key-clocks-view", (0.0, 0.13, 1.0, 1.0)),
    "rope_planes: The wrong layout raises no error": Region(".st-key-layoutloss"),
    "rope_planes: Blind to positions": Region(".st-key-energy"),
    "rope_planes: A rotation is a matrix": Region(".st-key-steps"),
    "kv_cache": Region(".st-key-decode-view", (0.0, 0.1, 1.0, 1.0)),
    "kv_cache: An eighth of the cache": Region(),
    "attention_family: Heads nobody misses": Region(".st-key-effects"),
    "attention_family: Positions tell them apart": Region(".st-key-collapse-view", (0.0, 0.14, 0.85, 0.85)),
    "attention_family: An eighth of the cache": Region(".st-key-zootrade"),
    "beam_search: A proof that nothing is better": Region(".st-key-widths"),
    "alignment": Region(".st-key-ribbon-view"),
    "alignment: A translator that stutters": Region(".st-key-map-eng-fra-additive"),
    "alignment: A name that it never saw": Region(".st-key-copyparts"),
    "alignment: A word nobody looked at": Region(),
    "alignment: Two of four never look at “red”": Region(".stPlotlyChart >> nth=2"),
    "encoder_decoder": Region(".st-key-ed-decoder"),
    "encoder_decoder: Positions between two languages": Region(".st-key-ed-cross"),
    "experts": Region(".st-key-routing-view", (0.0, 0.0, 0.58, 0.72)),
    "experts: One that is missed": Region(".st-key-routing-view", (0.0, 0.0, 0.58, 0.72)),
    "experts: Room for seven": Region(".st-key-routing-view", (0.0, 0.0, 0.58, 0.72)),
    "experts: From two experts to all": Region(),
    "experts: Half of it at work": Region(),
    "mhc": Region(".st-key-sf-view"),
    "mhc: Nothing binds them": Region(".st-key-sm-view"),
    "mhc: Row sums that never reach 1": Region(".st-key-sd-view"),
    "mhc: One stream holds the story": Region(),
    "mhc: 24 layers deep": Region(),
    "mhc: The training, replayed": Region(),
    "formats": Region(".st-key-formats-view", (0.0, 0.08, 0.6, 0.6)),
    "formats: One loud channel": Region(".st-key-scaling-view", (0.0, 0.05, 1.0, 0.95)),
    "formats: Four bits, one scale": Region(".st-key-scaling-view", (0.0, 0.05, 1.0, 0.95)),
    "formats: Down is what breaks": Region(".st-key-divergence"),
    "norms": Region(".st-key-norms-view", (0.0, 0.05, 0.78, 0.62)),
    "norms: Maps that share a mean": Region(".st-key-norm-maps-view", (0.0, 0.05, 0.5, 0.62)),
    "norms: Thirty-two that pull together": Region(".st-key-growth"),
    "norms: All words lean one way": Region(".st-key-cloud-as"),
    "training": Region(".st-key-loss-scaling-view", (0.03, 0.22, 0.56, 1.0)),
    "training: Ruined, and rescued": Region(".st-key-losses", (0.5, 0.0, 1.0, 1.0)),
    "training: A step in eight bits": Region(".st-key-fproom"),
    "training: Weights that stand still": Region(".st-key-sums"),
    "training: Saved by a warm-up": Region(".st-key-firststeps"),
    "training: What masks cost": Region(".st-key-maskedlosses"),
    "patch": Region(".st-key-patch-view", (0.0, 0.17, 1.0, 0.94)),
    "patch: Where the answer travels": Region(".st-key-patch-view", (0.3, 0.17, 1.0, 0.94)),
    "layer_bill": Region(".st-key-layer-bill-view", (0.0, 0.21, 0.56, 0.82)),
    "layer_bill: Fill it in yourself": Region(".st-key-layer-bill-view", (0.0, 0.0, 0.68, 1.0)),
    "layer_bill: One and two and so on to N": Region(".st-key-layer-bill-view", (0.0, 0.16, 1.0, 0.92)),
    "layer_bill: Where the parameters are": Region(".st-key-treemap"),
    "layer_bill: Without the first one, nothing": Region(".st-key-removed"),
    "einstein": Region(".st-key-tensors-view"),
    "einstein: A cross is two terms": Region(".st-key-rank-view", (0.0, 0.08, 1.0, 1.0)),
    "einstein: Four tokens make most of it": Region(".st-key-rank-view", (0.0, 0.08, 1.0, 1.0)),
    # once it has learnt: the maps of the first run, and the curves
    "train": Region(".train[data-grown=true] .runs"),
    "learning": Region(".st-key-learning-view", (0.46, 0.1, 1.0, 0.82)),
    "learning: Before anything was learnt": Region(".st-key-learning-view", (0.0, 0.12, 0.53, 0.86)),
    "flash_attention: Tiles never loaded": Region(".st-key-memory-view"),
    "pipeline": Region(".st-key-pipeline-view"),
    "compare": Region(".st-key-compare-view", (0.0, 0.2, 0.7, 0.85)),
    "word_vectors": Region(".st-key-pairs-view"),
    "word_vectors: The arrow of one pair": Region(".st-key-one-step-view"),
    "word_vectors: A probability is a path": Region(".st-key-one-step-view"),
    "word_vectors: Colours find each other": Region(".st-key-trainnow"),
    "word_vectors: A typo finds its word": Region(".st-key-ftparts"),
    "projector": Region(".st-key-projector-view", (0.0, 0.05, 0.79, 0.85)),
    "projector: Boy to girl as he to she": Region(".st-key-wpplane"),
    "long_context": Region(".st-key-tile"),
    "long_context: A window of 256 loses nothing": Region(),
    "long_context: 32 keys for nine tenths": SECOND,
    "long_context: Farther than training reached": Region(".st-key-stat"),
    "latents": Region(".st-key-latentsview", (0.22, 0.0, 1.0, 1.0)),
    "latents: The square and the strip": Region(".st-key-latentcost"),
    "latents: Two things called MLA": Region(),
    "text_and_image": Region(".st-key-scene-view", (0.0, 0.05, 1.0, 0.95)),
    "next_tokens": Region(".st-key-ahead-view"),
    "pointers": Region(".st-key-hull-view", (0.0, 0.0, 0.75, 1.0)),
    "pointers: A name nobody ever saw": Region(".st-key-copies-view"),
    "pointers: Known names are copied too": Region(".st-key-copies-view"),
    "pointers: Little left but copying": Region(".st-key-copies-view"),
    "encoder_only": Region(".st-key-encodercls"),
    "encoder_only: The reason stands at the right": Region(".st-key-encoderhidden"),
    "encoder_only: The mask put on": Region(".st-key-enc-False"),
    "encoder_only: Encoder, decoder, both": Region(),
    "why": Region(".st-key-why-view"),
    **{f"doctor: {title}": SECOND for title in ("Another RoPE base", "Keys in noise", "A window of six")},
    "head_atlas": Region(".st-key-atlas-view", (0.0, 0.04, 0.72, 1.0)),
    "head_atlas: Where it repeats most": Region(".st-key-atlas-one-view", (0.0, 0.0, 0.95, 1.0)),
    "head_atlas: One word back, everywhere": Region(".st-key-atlas-one-view", (0.0, 0.0, 0.95, 1.0)),
}


def region_of(page: Page, card: Card) -> Region:
    """The part of a page that a card's picture shows."""
    return REGIONS.get(f"{page.path}: {card.title}", REGIONS.get(page.path, Region()))


def picture_of(page: Page, card: Card) -> Path:
    """The file of a card's picture."""
    return FOLDER / page.folder / pictures.FOLDER / card.file
