"""The names of the models that tlmviz trained, by what `load` makes of them: an editor completes what such a model
has."""

from __future__ import annotations

from typing import Literal

LanguageName = Literal[
    "stories-rope",
    "stories-gpt",
    "stories-residual",
    "stories-hc",
    "stories-mhc",
    "stories-deep-hc",
    "stories-deep-mhc",
    "stories-induction",
    "stories-moe",
    "stories-moe-aux",
    "stories-dense",
    "stories-mtp-plain",
    "smollm2-135m",
    "zoo-rope",
    "zoo-learned",
    "zoo-sinusoidal",
    "zoo-alibi",
    "zoo-relative",
    "zoo-none",
    "zoo-gqa",
    "zoo-mqa",
    "zoo-mla",
    "zoo-mla-cq",
    "zoo-window",
    "zoo-layernorm",
    "zoo-post",
]
NextTokenName = Literal["stories-mtp", "stories-mtp-parallel"]
TranslatorName = Literal[
    "eng-fra",
    "eng-fra-additive",
    "eng-fra-copy",
    "eng-fra-copy-plain",
    "eng-fra-coverage",
    "eng-fra-dot",
    "eng-fra-general",
]
WordsName = Literal[
    "words-cbow", "words-fasttext", "words-glove", "words-hierarchical", "words-negative", "words-skipgram"
]
HullName = Literal["pointer-hull"]
MixtureName = Literal["stories-sentinel", "stories-sentinel-plain"]
EncoderName = Literal["stories-encoder"]
DigitsName = Literal["digits-perceiver", "digits-perceiver-1", "digits-perceiver-2", "digits-perceiver-4"]
ReaderName = Literal["digits-scenes"]
MarkerName = Literal["digits-scenes-turned"]
