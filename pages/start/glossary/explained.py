"""The page that explains each term, by the example of it that shows what the term means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from pages import ALL, Page
from tlmviz.hosting import pictures
from tlmviz.ui.gallery import Card

FOLDERS = {page.path: page for page in ALL}
# Page -> title of one of its cards -> the terms that the card shows.
SHOWN: dict[str, dict[str, tuple[str, ...]]] = {
    "explorer": {
        "What followed last time": ("attention", "head", "induction head"),
        "One token back": ("token",),
        "Who said “bird”?": ("logit", "attribution", "MLP"),
        "She is Lily": ("entropy", "vocabulary"),
        "The way of a word": ("layer", "Transformer"),
        "A name made up a moment ago": ("tokenizer",),
    },
    "inside_block": {
        "A head that looks one back": ("query", "key", "keys and values"),
        "The future, before it is hidden": ("causal mask", "softmax"),
        "Nobody expected the loss": ("loss", "nat", "perplexity"),
        "What followed last time": ("sublayer", "tensor"),
        "It has seen this before": ("logit lens",),
    },
    "chat": {"Who reads the system prompt?": ("chat template",), "A token to rest on": ("attention sink",)},
    "einstein": {"A formula that is the model": ("einsum",), "A cross is two terms": ("rank-1", "SVD")},
    "rope_planes": {"Tuned to one back": ("RoPE", "plane", "previous-token head")},
    "position_schemes": {
        "What each adds": ("positional encoding", "sinusoidal"),
        "Eight heads, eight reaches": ("ALiBi",),
        "Beyond what training showed": ("context window",),
        "Four ways past the limit": ("NTK-aware", "fine-tuning"),
    },
    "kv_cache": {"One row in, one column on": ("KV cache", "prefill")},
    "serving": {
        "The slowest decides": ("batch", "TTFT"),
        "Six requests, one memory": ("page size",),
        "Too little memory": ("preemption",),
    },
    "attention_family": {
        "From MHA to MLA": ("MLA", "MHA", "GQA", "FLOP"),
        "An eighth of the cache": ("MQA", "bits per byte"),
        "Heads nobody misses": ("CKA",),
        "Positions tell them apart": ("hidden state",),
    },
    "beam_search": {"Greedy goes astray": ("beam", "greedy"), "The coat is to blame": ("top-p",)},
    "alignment": {
        "The colour waits its turn": ("context vector",),
        "A translator that stutters": ("coverage", "covloss", "BLEU"),
        "A word nobody looked at": ("cp",),
        "Two of four never look at “red”": ("dot product",),
    },
    "encoder_decoder": {"Three attentions, one mask": ("decoder", "encoder", "cross-attention")},
    "latents": {
        "Which latent reads which digit": ("latent array", "latent"),
        "The square and the strip": ("self-attention",),
    },
    "encoder_only": {
        "What [CLS] gathers": ("[CLS]", "[SEP]"),
        "The reason stands at the right": ("[MASK]", "bidirectional"),
    },
    "text_and_image": {"Patches look for a word": ("patch",)},
    "pointers": {"Corner by corner": ("convex hull", "LSTM"), "A name nobody ever saw": ("gate",)},
    "mhc": {
        "Four streams, shared out": ("doubly stochastic", "mHC", "residual stream", "H_res", "H_pre", "H_post"),
        "Nothing binds them": ("HC",),
        "Row sums that never reach 1": ("Sinkhorn",),
        "24 layers deep": ("seed",),
    },
    "experts": {
        "One that reads nouns": ("expert", "router"),
        "The bias decides": ("router's bias",),
        "Room for seven": ("capacity factor",),
        "Half of it at work": ("SwiGLU",),
    },
    "next_tokens": {
        "Writing several tokens a pass": ("speculative decoding",),
        "Heads side by side": ("held-out",),
        "A smaller model proposes": ("temperature",),
    },
    "word_vectors": {
        "They never meet, and are alike": ("co-occurrence", "cosine", "one-hot"),
        "The arrow of one pair": ("skip-gram", "gradient", "negative sampling", "CBOW"),
        "A probability is a path": ("Huffman tree",),
        "Colours find each other": ("GloVe", "epoch"),
        "A typo finds its word": ("n-gram",),
    },
    "train": {"By heart": ("BPE",)},
    "projector": {"Numbers find numbers": ("embedding",), "How it came about": ("PCA", "t-SNE")},
    "formats": {
        "Nobody has 0.1": ("FP32", "FP8", "FP4", "ULP"),
        "A gradient that vanishes": ("underflow", "subnormal"),
        "Four bits, one scale": ("INT8", "quantization"),
        "One loud channel": ("outlier", "SQNR"),
    },
    "norms": {
        "Every token, one spread": ("LayerNorm", "norm", "variance"),
        "Three times as loud, the same after": ("RMS",),
        "A sentence less, and all others change": ("BatchNorm",),
    },
    "training": {
        "Four in five too small": ("loss scaling", "activation"),
        "Weights that stand still": ("master weights", "Adam"),
        "Saved by a warm-up": ("warm-up", "pre-norm", "learning rate"),
        "What masks cost": ("dropout", "overfitting"),
    },
    "layer_bill": {"Where the parameters are": ("parameters", "ReLU"), "One and two and so on to N": ("prompt",)},
    "flash_attention": {
        "Tiles never loaded": ("tile", "FlashAttention"),
        "A maximum that grows nine times": ("lse",),
        "138 GB or 17 GB": ("HBM", "roofline", "GPU"),
        "The naive sum breaks": ("NaN",),
    },
    "long_context": {"A window of 256 loses nothing": ("linear attention",), "32 keys for nine tenths": ("indexer",)},
    "pipeline": {
        "Three of eleven wait": ("micro-batch", "bubble"),
        "Same wait, twice the memory": ("GPipe",),
        "Memory bought with time": ("recompute",),
        "Gaps filled with weights' gradients": ("backward pass",),
    },
    "compare": {"A ball becomes a hat": ("KL divergence",)},
    "patch": {"One head copies the ball": ("activation patching", "logit difference")},
    "why": {"Who listens to whom": ("composition",)},
    "head_atlas": {"The heads that repeat stand alone": ("survey",)},
    "doctor": {"Padded, and healthy": ("padding",)},
}


@dataclass(frozen=True)
class Shown:
    """What explains a term: a page, and the title of its card.

    The cards themselves are not imported: pages that are opened at the same moment would import them in another thread.
    """

    page: Page
    title: str

    @cached_property
    def picture(self) -> Path:
        """The card's picture."""
        return Path(__file__).parents[2] / self.page.folder / pictures.FOLDER / Card(self.title, "", {}, "").file


@cache
def explained() -> dict[str, Shown]:
    """What explains each term, by its name."""
    return {
        name: Shown(FOLDERS[path], title)
        for path, cards in SHOWN.items()
        for title, names in cards.items()
        for name in names
    }
