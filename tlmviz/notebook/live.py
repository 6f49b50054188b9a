"""A language model as one file of HTML: its weights, its tokenizer and the engine that runs them where the file is
opened."""

from __future__ import annotations

import base64
import html
import json
import os
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save
from torch import Tensor, nn

from tlmviz import figures
from tlmviz.checkpoints.few_bits import in_eight_bits, in_sixteen_bits, out_of_eight_bits
from tlmviz.checkpoints.native import own_weights
from tlmviz.errors import BadShape
from tlmviz.networks.twins import with_weights
from tlmviz.ui.components.attention_view import STATE, TAG_TABLE, clean_state

from .parts import LIVE_FORM, LIVE_STYLE, css, document, inside, notes_below, script, start, write_file

if TYPE_CHECKING:
    from tlmviz.facades.language_model import LanguageModel
    from tlmviz.tracing.trace import Trace

MOST = 64_000_000  # bytes of weights: of more, a browser makes minutes and gigabytes
HEIGHT = 560  # pixels of the view
OVERVIEW = 48  # cells along a side of a head's picture in the overview
# As of a file without a model; the engine's kernels are WebAssembly, which asks for a word of its own.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"
)
COMPUTED = (
    "Maps, statistics and predictions are computed in this page from the model's own weights, in float32. In the "
    "console, tlmviz.trace(text) gives ids, tokens, logits and map(layer, head)."
)
BODY = """{form}
{notes}
<noscript>This file runs its model with JavaScript, which is switched off here.</noscript>
<script id="css" type="text/plain">{css}</script>
<script id="data" type="application/json">{data}</script>
<script id="tokenizer" type="application/json">{tokenizer}</script>
<script id="weights" type="text/plain">{weights}</script>
<script type="module">{script}</script>"""


def page(lm: LanguageModel, text: str, bits: int = 16) -> str:
    """The file, opening on a text. Raises BadText for one that the model cannot read, BadShape for a model that it
    cannot run."""
    if bits not in (8, 16):
        raise BadShape(
            f"bits is {bits}; give 16, which loses nothing where 16 bits are enough, or 8 for half of the size."
        )
    trace = lm.trace(text)
    check(lm, bits)
    weights = stored(lm.network, bits)
    given = opening(text) | {
        "config": json.dumps(json.loads(lm.config.to_json()), separators=(",", ":")),
        "state": clean_state(start(trace), trace),
    }
    body = BODY.format(
        form=LIVE_FORM.format(name=html.escape(lm.name)),
        notes=notes_below(_notes(lm, trace, weights, bits)),
        css=css(),
        data=inside(json.dumps(given, ensure_ascii=False)),
        tokenizer=inside(_tokenizer(lm)),
        weights=base64.b64encode(save(weights)).decode(),
        script=script("live.js"),
    )
    return document(policy=POLICY, title=f"{lm.name}, live", body=body, style=LIVE_STYLE)


def _tokenizer(lm: LanguageModel) -> str:
    """Its file in fewer letters, as the engine reads it: the pieces in the order of their ids, and of each merge the
    length of its first piece, where the last pieces are what the merges make, in their order."""
    said = json.loads(lm.tokenizer.to_json())
    ids, merges = said["model"]["vocab"], said["model"]["merges"]
    if sorted(ids.values()) == list(range(len(ids))):
        pieces = said["model"]["vocab"] = sorted(ids, key=ids.__getitem__)
        if merges and list(map("".join, merges)) == pieces[-len(merges) :] and max(map(max, pieces)) < "\ud800":
            said["model"]["merges"] = [len(first) for first, _second in merges]
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


HOLES = {name: f"{{{{tlmviz {name}}}}}" for name in ("name", "data", "tokenizer", "weights")}


def template() -> dict[str, Any]:
    """The file without a model, for a browser that has trained one: `page` with HOLES for its parts, and `opening`, to
    which the page's data add a text, a state and the configuration.
    """
    name = HOLES["name"]
    notes = [
        f"{name}: trained in a browser, on a page of tlmviz; this file holds the model and needs no network.",
        COMPUTED,
    ]
    body = BODY.format(
        form=LIVE_FORM.format(name=name),
        notes=notes_below(notes),
        css=css(),
        script=script("live.js"),
        **{part: HOLES[part] for part in ("data", "tokenizer", "weights")},
    )
    file = document(policy=POLICY, title=f"{name}, live", body=body, style=LIVE_STYLE)
    return {"page": file, "opening": opening("") | {"state": STATE}}


def opening(text: str) -> dict[str, Any]:
    """What a live page is given beside its state: live_page.js says how."""
    return {"text": text, "colors": figures.palette(), "height": HEIGHT, "overview": OVERVIEW, "tags": TAG_TABLE}


def stored(network: nn.Module, bits: int) -> dict[str, Tensor]:
    """The weights of a network as its file holds them: in 16 bits where they lose nothing by it, or in 8."""
    own = {name: value.detach().cpu().float().contiguous() for name, value in own_weights(network).items()}
    return in_eight_bits(own) if bits == 8 else in_sixteen_bits(own)


def save_html(lm: LanguageModel, path: str | os.PathLike[str], text: str, bits: int = 16) -> None:
    """See `LanguageModel.save_html`, which is the public name. Raises BadFile, BadText and BadShape."""
    write_file(path, page(lm, text, bits))


# --- parts ---------------------------------------------------------------------------------------


def check(lm: LanguageModel, bits: int) -> None:
    """Raise BadShape for a model that the engine in the browser does not run; it looks at parts again when the file is
    opened."""
    words = json.loads(lm.tokenizer.to_json())
    byte_level = (words.get("pre_tokenizer") or {}).get("type") == "ByteLevel" and not words.get("normalizer")
    if (
        words["model"]["type"] != "BPE"
        or not byte_level
        or (lm.config.bos and lm.tokenizer.begin is None)
        or lm.tokenizer.after
    ):
        raise BadShape(
            f"{lm.name} spells texts in a way that the engine in the browser does not know; it runs models with a "
            "tokenizer of tlmviz, write `lm.trace(text).save_html(path)` without live=True instead."
        )
    if (size := bits // 8 * lm.n_parameters) > MOST:
        raise BadShape(
            f"{lm.name} would make a file of more than {size / 0.75e6:,.0f} MB, too large for a browser to open; a "
            f"live file holds models of up to {MOST / 2e6:,.0f} M parameters, with bits=8 twice as many."
        )


def _rounding(lm: LanguageModel, trace: Trace, stored: dict[str, Tensor]) -> str:
    """What 8 bits cost on the text."""
    weights = out_of_eight_bits(stored)
    with torch.inference_mode():
        logits = with_weights(lm.on_cpu.network, weights, torch.tensor([trace.ids]))[0]
    off = float((logits - trace.logits).norm() / trace.logits.norm())
    return (
        "Its matrices are rounded to 8 bits with a scale for each row: on the text that it opens on, logits are off by "
        f"{off:.1%} (relative root mean square)."
    )


def _notes(lm: LanguageModel, trace: Trace, stored: dict[str, Tensor], bits: int) -> list[str]:
    return [
        f"{lm.name}: {lm.sizes}. Written by tlmviz; this file holds the model and needs no network.",
        COMPUTED,
        *([_rounding(lm, trace, stored)] if bits == 8 else []),
    ]
