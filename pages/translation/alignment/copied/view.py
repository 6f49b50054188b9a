"""Draws the part Write or copy: both translations, what each token owes to the pointer, and where it looks."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.figures.translation import copying, token_map
from tlmviz.ui import address, frame, translation
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import SENTENCES, Pointing

HEIGHT = 400
EQUATION = (
    r"p(w) = g\, p_{\text{vocab}}(w) + (1 - g)\, p_{\text{ptr}}(w),\qquad p_{\text{ptr}}(w) = \sum_{j:\, x_j = w} "
    r"a_{ij},\qquad g = \sigma(\mathbf{u} \cdot [\mathbf{c}_i; \mathbf{h}_i; \mathbf{y}_{i-1}] + b)",
    "Mathematics in Modern NLP, section 7.2, Eq. 52–53; See et al. 2017.",
)


def controls(text: str) -> Pointing | None:
    """Draw the controls; what they say. A sentence of the user's own stands first. None, with a sentence, without the
    models."""
    if Data(Pointing(text=text)).both is None:
        st.info(claims.missing())
        return None
    own = [text] if text and text != translation.DEFAULT_SENTENCE else []
    name, sentence, beam = st.columns([0.3, 0.56, 0.14], vertical_alignment="bottom")
    typed = Pointing.name.draw(name) or ""
    chosen = Pointing.sentence.draw(sentence, options=[*own, *SENTENCES])
    return replace(Pointing.of_session(text=text), name=typed, sentence=chosen, width=Pointing.width.draw(beam))


def readable(data: Data) -> bool:
    """Whether the sentence can be read, of which what is saved names model and text; else a sentence says why not."""
    address.pictures_read(english=data.chosen.read, mt=data.model)
    try:
        data.pair  # noqa: B018
    except BadText as error:  # the name is still being typed
        st.warning(frame.worded(error))
        return False
    return True


def picture(data: Data) -> None:
    """Both translations; the parts of each token's probability, and the attention that the pointer uses."""
    st.markdown("  \n".join(claims.written(data, name) for name in (data.model, data.twin)))
    copied, source, target = data.copied, data.pair.source, data.pair.targets
    looks = [source[at] for at in data.looks]
    left, right = st.columns([0.56, 0.44])
    with left:
        figure = copying.written_and_copied(
            copied.written,
            copied.copied,
            copied.g,
            looks,
            target,
            frame.theme(),
            title=_("Probability of each token: written or copied"),
            height=HEIGHT,
        )
        frame.chart(
            figure, key="copyparts", alt=_("Of each written token, what the vocabulary and what the pointer gives")
        )
    with right:
        figure = token_map.token_map(
            copied.a, target, source, frame.theme(), title=_("Where each token looks (attention)"), height=HEIGHT
        )
        frame.chart(figure, key="copymap", alt=_("Attention of written tokens on source tokens"))


def snippet(data: Data) -> str:
    """The model's own translation, token by token."""
    return f"""\
import tlmviz
from tlmviz.analysis.translation import copying
from tlmviz.decoding.beam import BeamOptions
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import copying as figures

mt, text = tlmviz.load({data.model!r}), {data.chosen.read!r}
best = mt.search(text, BeamOptions(width={data.chosen.width})).hypotheses()[0]
print(mt.text(best.tokens), "|", tlmviz.load({data.twin!r}).translate(text, beam={data.chosen.width}).text)
found = copying.read(mt, text, list(best.tokens))
source, target = mt.names(mt.encode(text)), mt.names(best.tokens)
for token, g, share, a in zip(target, found.g, found.share, found.a):
    print(f"{{token!r}}: g {{g:.3f}}, copied {{share:.1%}}, looks at {{source[a.argmax()]!r}}")
looks = [source[a.argmax()] for a in found.a]
figures.written_and_copied(found.written, found.copied, found.g, looks, target, LIGHT, title="Written or copied").show()
"""
