"""The parts of the page "Attention scores": maps side by side, one step from score to context, SDPA, and the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.translation import score_steps
from tlmviz.figures.translation import score_steps as figures
from tlmviz.figures.translation.token_map import token_map
from tlmviz.ui import frame, inputs

from . import compute as scores_state
from .compute import Shown

SCALES = np.geomspace(0.01, 10, 61)
POINTS = (
    "**Dot** compares h and z as they are; **general** turns z by a matrix first; **additive** asks a small network. Only the "
    "scores differ: softmax and mixture are the same in all.",
    "**The context** c is a mixture of source states. Where one weight is near 1, c is that state; where the entropy is high, "
    "it is an average of many.",
    "**Time:** dot and general are one product per step. Additive makes a tanh for every pair of steps and source tokens, and "
    "no matrix product can replace it: one reason why Transformers use the dot product.",
)
EQUATION = (
    r"a_{ij}=\frac{\exp e_{ij}}{\sum_{j'}\exp e_{ij'}},\quad e_{ij}\in\left\{h_i^\top z_j,\;h_i^\top W z_j,\;"
    r"v^\top\tanh(W_1h_i+W_2z_j)\right\},\qquad c_i=\sum_j a_{ij}z_j,\qquad \tilde h_i=\tanh(W_c[c_i;h_i])"
)
SOURCE = (
    "Mathematics in Modern NLP, section 7, Eq. 42–47; Transformer with PyTorch, section 1.3, Eq. 5–6. Eq. 47 writes a vector "
    "vᵢ for each step: it is one v, learned once. Eq. 45 stops at [c; h]; the models go on to one layer of it "
    "(Luong et al. 2015)."
)
NONE = (
    "There is no recurrent translation model here yet, and this page compares their scores. "
    "`python -m tlmviz.training eng-fra-general --data DIR` trains one."
)


def maps(shown: Shown) -> None:
    """Every model's map, with what it wrote."""
    for place, (name, read) in zip(st.columns(len(shown.reads)), shown.reads.items()):
        steps = scores_state.passed(read)
        framed = shown.step if shown.common or name == shown.inside else None
        figure = token_map(
            steps.a,
            read.wanted,
            read.source,
            frame.theme(),
            title=f"{scores_state.label(name).capitalize()} (probability)",
            chosen=framed if framed is not None and framed < len(steps.a) else None,
            height=330,
        )
        with place:
            frame.chart(figure, key=f"as-{name}", alt=f"Attention of {name}: written tokens by source tokens")
            words = inputs.plain(read.mt.text(read.translation)) or "(nothing)"
            st.caption(f"{scores_state.formula(name)} · {words} · {-steps.logp.mean():.3f} nats per token")


def step(shown: Shown) -> None:
    """From scores to weights to the context vector, for one written token of one model."""
    read, steps, t, theme = shown.reads[shown.inside], shown.steps, shown.step, frame.theme()
    left, right = st.columns(2)
    with left:
        figure = figures.scores_and_weights(
            steps.scores[t],
            steps.a[t],
            read.source,
            theme,
            title=f"{scores_state.label(shown.inside)}, “{shown.token}”: scores and their softmax (probability)",
        )
        frame.chart(figure, key="asbars", alt="Scores before the softmax, and weights")
    with right:
        figure = figures.mixture(
            steps.shares(t),
            steps.context[t],
            read.source,
            theme,
            title="What each state brings, aⱼzⱼ, and their sum c (values)",
        )
        frame.chart(figure, key="asmix", alt="The context vector as a mixture of source states")
    best = int(steps.a[t].argmax())
    st.caption(
        f"“{shown.token}” puts {steps.a[t, best]:.4f} on “{read.source[best].strip()}”; entropy {steps.entropy[t]:.3f} of at "
        f"most {np.log2(len(read.source)):.3f} bits; length of c {np.linalg.norm(steps.context[t]):.3f}, of the states "
        f"{np.linalg.norm(steps.z, axis=1).mean():.3f} on average."
    )


def table(shown: Shown) -> None:
    """Every model in numbers."""
    rows = []
    for name, read in shown.reads.items():
        steps, (times, search) = scores_state.passed(read), scores_state.timed(read)
        rows.append(
            {
                "Model": name,
                "Score": scores_state.formula(name),
                "Loss (nats)": round(float(-steps.logp.mean()), 3),
                "Entropy (bits)": round(float(steps.entropy.mean()), 3),
                "Align. error": scores_state.error_rate(name),
                "Score (ms)": times.step,
                "Keys (ms)": times.prepare,
                "Translate (ms)": round(search),
                "Parameters": sum(
                    p.numel() for p in scores_state.translator(name).network.score.parameters()
                ),
            }
        )
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "Loss (nats)": st.column_config.NumberColumn(
                format="%.3f", help="Per token of the translation above."
            ),
            "Entropy (bits)": st.column_config.NumberColumn(
                format="%.3f", help="Of the weights, mean over the steps."
            ),
            "Align. error": st.column_config.NumberColumn(
                format="%.3f", help="On sentences aligned by hand; lower is better."
            ),
            "Score (ms)": st.column_config.NumberColumn(
                format="%.4f", help="One step's scores and softmax: median of 31."
            ),
            "Keys (ms)": st.column_config.NumberColumn(
                format="%.4f", help="Once per source, W z or W₂ z: median of 31."
            ),
            "Translate (ms)": st.column_config.NumberColumn(
                help="One search with a beam of 5, measured once."
            ),
            "Parameters": st.column_config.NumberColumn(format="localized", help="Of the score alone."),
        },
    )


def entropies(shown: Shown) -> None:
    """How sharply each model looks, step by step."""
    bits = {scores_state.label(name): scores_state.passed(read).entropy for name, read in shown.reads.items()}
    tokens = {scores_state.label(name): read.wanted for name, read in shown.reads.items()}
    size = len(shown.reads[shown.inside].source)
    chart = figures.entropy_lines(bits, tokens, size, frame.theme())
    frame.chart(chart, key="asbits", alt="Entropy of the weights at every step")


def special_case(shown: Shown) -> str | None:
    """Attention as SDPA's special case: both computed, and what the missing 1/√d would change. Names the model used."""
    products = [name for name, read in shown.reads.items() if scores_state.passed(read).product]
    st.markdown("#### The same by scaled dot-product attention")
    if not products:
        st.caption(
            "An additive score is no product of h with a key: SDPA cannot compute it. Take a dot or general model."
        )
        return None
    name = shown.inside if shown.inside in products else products[0]
    steps = scores_state.passed(shown.reads[name])
    t, own = min(shown.step, len(steps.a) - 1), steps.h.shape[1] ** -0.5
    attended, _ = score_steps.as_attention(steps)
    bits = score_steps.entropy_at(steps, np.array([*SCALES, 1.0, own]))
    marks = {"as trained, scale 1": (1.0, float(bits[-2])), f"1/√{steps.h.shape[1]}": (own, float(bits[-1]))}
    left, right = st.columns(2)
    size = len(shown.reads[name].source)
    with left:
        chart = figures.same_twice(steps.context[t], attended[t], frame.theme())
        frame.chart(chart, key="astwice", alt="The context vector by the model and by attention")
    with right:
        chart = figures.scale_curve(SCALES, bits[:-2], marks, size, frame.theme())
        frame.chart(chart, key="asscale", alt="Mean entropy of the weights against the scale of the scores")
    key = "z" if scores_state.translator(name).config.score.kind == "dot" else "W z"
    st.caption(
        f"{name}: q = h, k = {key}, v = z, no mask, scale 1; largest difference over all steps "
        f"{np.abs(attended - steps.context).max():.1e}. SDPA's 1/√d is missing here: with it the same scores would give "
        f"{bits[-1]:.3f} instead of {bits[-2]:.3f} bits per step, so the model would have to learn larger scores."
        + (
            ""
            if name == shown.inside
            else f" ({shown.inside} has an additive score, which is no product of h with a key.)"
        )
    )
    return name


def snippet(shown: Shown) -> str:
    """Code that reproduces one model's map, the step and the special case."""
    read, steps = shown.reads[shown.inside], shown.steps
    target = (
        "mt.search(text).hypotheses()[0].tokens  # its own"
        if not shown.common
        else (f"[*mt.encode_target({read.mt.text(read.translation)!r}), mt.tokenizer.end_of_text]")
    )
    special = (
        (
            "mixture, weights = score_steps.as_attention(steps)  # q = h, k = the keys, v = z, scale 1\n"
            "print(abs(mixture - steps.context).max())\n"
        )
        if steps.product
        else ""
    )
    return (
        f"import tlmviz\nfrom tlmviz.analysis.translation import score_steps\n\n"
        f"mt = tlmviz.load({shown.inside!r})\ntext = {read.text!r}\n"
        f"translation = {target}\nsteps = score_steps.read(mt, text, list(translation))\n"
        f"print(steps.scores[{shown.step}], steps.a[{shown.step}], steps.entropy[{shown.step}])\n"
        f"shares = steps.shares({shown.step})  # [S, D], they add up to steps.context[{shown.step}]\n{special}"
    )
