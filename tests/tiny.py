"""Small models, and attention written a second time as plainly as possible, to compare with."""

import torch

from tlmviz import DigitReader, EncoderModel, HullFinder, LanguageModel, MixtureModel
from tlmviz.config import (
    EncoderConfig,
    EncoderDecoderConfig,
    LatentsConfig,
    ModelConfig,
    MTPConfig,
    PointerConfig,
    ScenesConfig,
    SentinelConfig,
    Seq2SeqConfig,
    WordsConfig,
)
from tlmviz.facades.next_tokens import NextTokenModel
from tlmviz.facades.scenes.language import every_word
from tlmviz.facades.scenes.models import PictureMarker, PictureReader
from tlmviz.facades.translator import Translator
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.networks.encoder import TransformerEncoder
from tlmviz.networks.encoder_decoder import EncoderDecoder
from tlmviz.networks.latents import LatentReader
from tlmviz.networks.mtp import MTPNetwork
from tlmviz.networks.pointer import PointerNetwork
from tlmviz.networks.scenes import SceneMarker, SceneReader
from tlmviz.networks.sentinel import SentinelLSTM
from tlmviz.networks.seq2seq import Seq2Seq
from tlmviz.networks.transformer import TransformerLM
from tlmviz.networks.words import WordNetwork
from tlmviz.tokens import Tokenizer
from tlmviz.tokens.whole_words import WordTokenizer
from tlmviz.training.words import WordText

SENTENCES = [
    "Once upon a time there was a little girl named Lily. She had a red ball.",
    "One day, Lily lost the red ball. She looked and looked for the red ball.",
    "Tom saw a big dog. The dog was sad, so Tom gave the dog a big hug.",
    "They were happy. The end.",
]
TEXT = "Lily had a red ball. Lily lost the red ball."

VARIANTS = {
    "rope": {},
    "alibi-window": dict(positions="alibi", window=5, n_kv_heads=2),
    "notes": dict(positions="learned", norm="layernorm", feedforward="gelu", bias=True, tied=False),
    "post-sinusoidal": dict(positions="sinusoidal", norm="layernorm", norm_place="post", feedforward="relu", bias=True),
    "none-mqa": dict(positions="none", n_kv_heads=1),
    "latent": dict(latent_dim=12, rope_dim=4),
    "relative": dict(positions="relative", relative_distance=6),
    "hyper": dict(connection="hyper", streams=3),
    "manifold": dict(connection="manifold", streams=4),
    # The parts of released families, several of them in each.
    "qwen": dict(
        qk_norm="head", n_kv_heads=2, positions={"layout": "half"}, attention={"q_bias": True, "k_bias": True}
    ),
    "olmo": dict(norm_place="output", qk_norm="full", n_kv_heads=2, positions={"layout": "half"}),
    "gemma": dict(
        norm_place="sandwich",
        softcap=2.0,
        logit_softcap=8.0,
        embedding_scale=5.7,
        feedforward="geglu-tanh",
        qk_norm="head",
        positions={"layout": "half", "rope_base": 1e5, "scaling": "linear", "factor": 4.0},
        layers=({"window": 5, "rope_base": 1e4, "scaled": False}, {}),
    ),
    "neox": dict(
        norm={"kind": "layernorm", "placement": "parallel"},
        rotary_dim=4,
        feedforward="gelu",
        bias=True,
        tied=False,
        positions={"layout": "half"},
    ),
    "phi": dict(
        norm={"kind": "layernorm", "placement": "parallel-shared"},
        rotary_dim=4,
        feedforward="gelu-tanh",
        bias=True,
        tied=False,
        head_bias=True,
    ),
    "smollm": dict(n_kv_heads=2, positions={"layout": "half"}, layers=({}, {"rotary": False})),
    "experts": dict(
        experts=dict(count=6, chosen=2, hidden=20, shared=1, score="sigmoid", bias=True, groups=3, chosen_groups=2)
    ),
    "sparse": dict(  # Qwen2-MoE's parts: a gate of the shared expert, weights that do not sum to 1, a dense layer
        experts=dict(
            count=5,
            chosen=3,
            hidden=16,
            shared=1,
            shared_hidden=24,
            shared_gate=True,
            normalised=False,
            dense_layers=(0,),
        )
    ),
    "deepseek": dict(
        latent_dim=12,
        rope_dim=4,
        query_latent_dim=10,
        value_dim=6,
        attention={"scale": 0.4},
        positions={"scaling": "yarn", "factor": 4.0, "trained_context": 40},
    ),
}
TRANSLATORS = {
    "transformer": {},
    "dot": dict(score="dot"),
    "general": dict(score="general"),
    "additive": dict(score="additive"),
    "coverage": dict(score="additive", coverage=True),
    "pointer": dict(score="additive", pointer=True),
}
WORDS = ("skipgram", "negative", "cbow", "fasttext", "glove", "hierarchical")


def tokenizer(vocab_size: int = 320) -> Tokenizer:
    return Tokenizer.train(SENTENCES, vocab_size)


def config(**changes) -> ModelConfig:
    sizes = dict(vocab_size=320, n_layers=2, d_model=32, n_heads=4, n_kv_heads=4, d_ff=48, context=160)
    return ModelConfig.of(name="tiny", **{**sizes, **changes})


def network(seed: int = 0, **changes) -> TransformerLM:
    """Random weights large enough that every head prefers some tokens: fresh ones attend evenly."""
    return randomise(TransformerLM(config(**changes)), seed)


def randomise(model, seed: int, size: float = 0.25, centre: float = 1.0):
    """The network with weights N(0, size) around 0; vectors, which norms have, around `centre`."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(
                (centre if parameter.ndim == 1 else 0.0) + size * torch.randn(parameter.shape, generator=generator)
            )
    return model.eval().requires_grad_(False)


def translation_network(kind: str = "transformer", seed: int = 0, **changes) -> EncoderDecoder | Seq2Seq:
    """Random weights, of a kind that TRANSLATORS names."""
    settings = {"vocab_size": 320, "d_model": 16, "context": 40, **TRANSLATORS[kind], **changes}
    if kind == "transformer":
        sizes = dict(encoder_layers=2, decoder_layers=2, n_heads=2, d_ff=24)
        return randomise(EncoderDecoder(EncoderDecoderConfig.of(name="tiny", **{**sizes, **settings})), seed)
    return randomise(Seq2Seq(Seq2SeqConfig.of(name="tiny", **{"hidden": 12, **settings})), seed, 0.5, centre=0.0)


def translator(tokenizer: Tokenizer, kind: str = "transformer", seed: int = 0, **changes) -> Translator:
    return Translator(translation_network(kind, seed, vocab_size=tokenizer.vocab_size, **changes), tokenizer)


def word_config(method: str, text: WordText, **changes) -> WordsConfig:
    sizes = dict(vocab_size=len(text.vocabulary), d_model=12, window=3, subsample=0.0, least=1)
    return WordsConfig.of(
        "tiny", method=method, **{**sizes, **({"buckets": 50} if method == "fasttext" else {}), **changes}
    )


def word_vectors(method: str, seed: int = 0, **changes) -> WordVectors:
    """Random vectors for the words of SENTENCES."""
    text = WordText.of_text(" ".join(SENTENCES))
    network = randomise(WordNetwork(word_config(method, text, **changes)), seed, 0.5, centre=0.0)
    return WordVectors(network, text.vocabulary, text.counts)


def language_model(tokenizer: Tokenizer, seed: int = 0, **changes) -> LanguageModel:
    return LanguageModel(network(seed, vocab_size=tokenizer.vocab_size, **changes), tokenizer)


def hull_finder(seed: int = 0) -> HullFinder:
    """Weights that draw some corners before they end."""
    sizes = dict(d_model=16, n_layers=2, n_heads=2, d_ff=24)
    return HullFinder(randomise(PointerNetwork(PointerConfig(name="tiny", **sizes)), seed, 0.5, centre=0.0))


def digit_reader(seed: int = 0, **changes) -> DigitReader:
    """Weights whose maps are not flat."""
    sizes = dict(n_latents=3, d_model=16, n_layers=2, n_heads=2, d_ff=24)
    config = LatentsConfig(**{"name": "tiny", **sizes, **changes})
    return DigitReader(randomise(LatentReader(config), seed, 0.5, centre=0.0))


def next_token_model(seed: int = 0, **changes) -> NextTokenModel:
    words = tokenizer()
    sizes = dict(vocab_size=words.vocab_size, n_layers=2, d_model=16, n_heads=4, n_kv_heads=2, d_ff=24, context=64)
    config = MTPConfig.of("tiny", **{**sizes, **changes})
    return NextTokenModel(randomise(MTPNetwork(config), seed), words)


def mixture_model(pointer: bool = True, seed: int = 0, **changes) -> MixtureModel:
    words = WordTokenizer.train(SENTENCES, 2)
    sizes = dict(vocab_size=words.vocab_size, stand_ins=3, d_model=12, n_layers=2, context=60, pointer=pointer)
    network = SentinelLSTM(SentinelConfig(name="tiny", **{**sizes, **changes}))
    return MixtureModel(randomise(network, seed, 0.5, centre=0.0), words)


def scenes_config(kind: str, **changes) -> ScenesConfig:
    words = WordTokenizer.train(every_word(), 1)
    sizes = dict(vocab_size=words.vocab_size, d_model=16, n_heads=2, d_ff=24, image_layers=1, cross_layers=2)
    return ScenesConfig.of("tiny", kind=kind, **{**sizes, **changes})


def picture_reader(seed: int = 0) -> PictureReader:
    """Random weights that say some words before they end."""
    network = randomise(SceneReader(scenes_config("scenes")), seed, 0.5, centre=0.0)
    return PictureReader(network, WordTokenizer.train(every_word(), 1))


def picture_marker(seed: int = 0) -> PictureMarker:
    network = randomise(SceneMarker(scenes_config("scenes-turned", text_layers=1)), seed, 0.5, centre=0.0)
    return PictureMarker(network, WordTokenizer.train(every_word(), 1))


def encoder(tokenizer: Tokenizer, seed: int = 0, **changes) -> EncoderModel:
    special = tokenizer.with_special("[CLS]", "[SEP]", "[MASK]")
    sizes = dict(vocab_size=special.vocab_size, n_layers=2, d_model=32, n_heads=4, d_ff=48, context=60)
    network = TransformerEncoder(EncoderConfig.of(name="tiny", **{**sizes, **changes}))
    return EncoderModel(randomise(network, seed), special)


def relative_bias(q, keys, relative):
    """[B, H, T, S] in float64, cell by cell: each query times its vector for the key's distance."""
    result = torch.zeros(*q.shape[:3], keys, dtype=torch.float64)
    for t in range(q.shape[2]):
        for s in range(keys):
            row = min(abs(t + keys - q.shape[2] - s), relative.shape[0] - 1)
            result[:, :, t, s] = (q[:, :, t].double() * relative[row].double()).sum(-1)
    return result


def bias(queries, keys, causal=True, window=None, slopes=None, heads=1):
    """[H, T, S] in float64, cell by cell: ALiBi's penalty, and -inf where a query may not look."""
    result = torch.zeros(heads, queries, keys, dtype=torch.float64)
    for t in range(queries):
        own = t + keys - queries  # queries are the last of the positions
        for s in range(keys):
            distance = own - s
            if slopes is not None:
                result[:, t, s] = -slopes.double() * abs(distance)
            if (causal and distance < 0) or (window is not None and abs(distance) >= window):
                result[:, t, s] = -torch.inf
    return result


def scores(q, k, scale=None, relative=None, softcap=None, **mask):
    """[B, H, T, S] in float64."""
    added = 0.0 if relative is None else relative_bias(q, k.shape[2], relative)
    k = k.double().repeat_interleave(q.shape[1] // k.shape[1], 1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    products = q.double() @ k.transpose(-1, -2) * scale
    products = products if softcap is None else softcap * torch.tanh(products / softcap)
    return products + added + bias(q.shape[2], k.shape[2], heads=q.shape[1], **mask)


def probabilities(q, k, **options):
    """[B, H, T, S] in float64; a row that sees nothing is zero."""
    return scores(q, k, **options).softmax(-1).nan_to_num(0.0)


def sentence(error) -> str:
    """The message of an error a user may see, checked to be readable."""
    text = str(error.value)
    assert text.endswith(".") and "\n" not in text and "Traceback" not in text and len(text) < 500
    return text
