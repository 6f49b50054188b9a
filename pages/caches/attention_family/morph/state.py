"""The state of the part Morph: the sizes of one layer, the text length of its costs, and the variant that is shown
first."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

LOADED, PUBLISHED, FREE = "Loaded model", "DeepSeek", "Free sizes"
LENGTHS = 64, 256, 1024, 4096, 16_384, 65_536, 131_072


class Morph(state.State):
    """Whose sizes, or free ones; a token's number; a variant by name, and without one the last, which is MLA."""

    model: str
    text: str
    source = state.menu(
        N_("Sizes"),
        {LOADED: N_("Loaded model"), PUBLISHED: N_("DeepSeek"), FREE: N_("Free sizes")},
        key="fset",
        segments=True,
        label_visibility="collapsed",
        help=N_("DeepSeek: d 7,168, 128 heads of 128, 576 = 512 + 64 cached numbers"),
    )
    length = state.menu(
        N_("Token"),
        LENGTHS,
        key="flen",
        default=4096,
        widget="select_slider",
        show="decoding token {:,}".format,
        label_visibility="collapsed",
    )
    opening = state.menu(N_("Open at"), key="fat", default="MLA", parse=link.up_to(40), label_visibility="collapsed")
    d_model = state.number(N_("d_model"), 0, 32_768, 128, key="fdm")
    heads = state.number(N_("Query heads"), 0, 128, 8, key="fqh")
    head_dim = state.number(N_("Head dimension"), 0, 1024, 16, key="fhd")
    latent = state.number(N_("Latent c_KV"), 0, 8192, 64, key="flat")
    rotary = state.number(N_("Rotary k_R"), 0, 1024, 8, key="frot")
