"""The words of the page "The attention family": what to notice, and the equations with their sources."""

from __future__ import annotations

POINTS = {
    "Morph": (
        "Fewer key/value heads shrink the cache in proportion, and parameters a little; the work on each cached token stays.",
        "MLA keeps its heads apart and caches one latent for all of them; it pays in operations, which hardware has to spare.",
        "Orange is what the cache holds: all else is computed from it.",
    ),
    "Trained maps": (
        "Heads under one colour read the same keys and values; their maps still differ, as their queries do.",
        "Each model was trained on its own: head 3 of one has nothing to do with head 3 of another.",
        "The Model zoo page has the held-out quality of each, with the noise of seeds.",
    ),
    "Latent attention": (
        "Folded or not, the output is the same: the badge gives the largest difference over all layers.",
        "The rotary part depends on who stands where, the content part on what is said; the softmax sees their sum.",
        "RoPE between W_Q and W_↑K' makes another matrix for every distance: no product can be made beforehand.",
    ),
    "Redundancy": (
        "On the text that chose the order, loss may even fall: that is choice. Other texts say what heads are worth.",
        "CKA does not see a turn of a head's basis, averaging keys does: alike heads need not merge well.",
        "Muting heads is not training without them: a model that was trained on with few heads would lose less.",
    ),
    "Collapse lemma": (
        "Second row: one W_Q W_K' and no positions, one map, however many heads.",
        "ALiBi's slopes differ, so the heads do. RoPE with equal W_Q, W_K keeps them equal …",
        "… but RoPE sees how M was factored: in the last row M is the same in every head, and the maps are not.",
    ),
}
EQUATIONS = {
    "Morph": (
        r"L^{(h)}_{ts} = \tfrac{1}{\sqrt{d_k}}\, q^{(h)}_t \cdot k^{(\pi(h))}_s,\ \ \pi(h) = \lfloor hG/H \rfloor,\qquad "
        r"\text{cache per token: } 2\,G\,d_h \;\to\; d_c + d_h^R",
        "Decoder-Only Transformers in Einstein Notation, sections 6.1 and 6.2; LLM notes, sections 3.1 to 3.4; Transformer "
        "with PyTorch, Eq. 38 to 41. Where the notes differ: the LLM notes name GPT-3.5 and LLaMA for MQA; PaLM used MQA, "
        "LLaMA 2 70B uses GQA, and GPT-3.5's attention is not published. Their “MLA” (section 3.5) is a learned latent array "
        "in the Perceiver's manner, something else. Eq. 38 gives all 576 numbers to the latent; DeepSeek has 512 for "
        "c_KV and 64 for k^R.",
    ),
    "Trained maps": (
        r"A^{(h)} = \mathrm{softmax}\Big(\tfrac{1}{\sqrt{d_k}}\, Q_h K_{\pi(h)}^\top + M\Big),\qquad Y_h = A^{(h)}\, V_{\pi(h)}",
        "LLM notes, sections 3.1 to 3.4; Decoder-Only Transformers in Einstein Notation, section 6.1.",
    ),
    "Latent attention": (
        r"\tfrac{1}{\sqrt{d_h + d_h^R}}\big(\underbrace{x_t\, [W_Q W_{\uparrow K}^\top]\, c_s^\top}_{\text{content}} + "
        r"\underbrace{q^R_t R_t R_s^\top {k^R_s}^\top}_{\text{rotary}}\big),\qquad "
        r"x_t W_Q\, R_t R_s^\top\, W_{\uparrow K}^\top c_s^\top \text{ would have no } [\,\cdot\,]",
        "Transformer with PyTorch, Eq. 41 to 46 and 60 to 67; DeepSeek-V2, section 2.1. Where the notes differ: they write k^R "
        "per head and from c_KV (section 3.4); DeepSeek-V2 makes one k^R per token from the hidden state, shared by all heads, "
        "so that the cache holds d_c + d_h^R numbers per token. Eq. 42 also caches the queries, which nobody reads again.",
    ),
    "Redundancy": (
        r"\mathrm{CKA}(X, Y) = \frac{\lVert Y^\top X \rVert_F^2}{\lVert X^\top X \rVert_F\, \lVert Y^\top Y \rVert_F}"
        r"\ \text{(centred)},\qquad K_a, K_b \to \tfrac12 (K_a + K_b)",
        "Attention, “Redundancy Among Heads” and “Pruning or Tying Heads”; Kornblith et al. 2019, Song et al. 2012 (unbiased); "
        "Michel et al. 2019 (pruning); Ainslie et al. 2023, section 2.1 (GQA by averaging the heads of MHA, then training on).",
    ),
    "Collapse lemma": (
        r"W_Q^{(h)} {W_K^{(h)}}^\top = M \ \Rightarrow\ L^{(h)}_{ts} = x_t M x_s^\top,\qquad "
        r"\text{RoPE: } W_Q R_t R_s^\top W_K^\top,\qquad \text{ALiBi: } x_t M x_s^\top - m_h (t - s)",
        "Decoder-Only Transformers in Einstein Notation, section 9: single bilinear collapse, and why RoPE and ALiBi break it.",
    ),
}
