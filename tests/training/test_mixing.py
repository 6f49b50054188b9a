"""What is measured of a model's mixing matrices for its card: held against traces, matrix by matrix."""

import math

import numpy as np
import pytest
import torch

from tests.tiny import SENTENCES, VARIANTS, language_model
from tlmviz.training import mixing

DOCUMENTS = [SENTENCES[0], SENTENCES[1] * 6]  # the second is longer than the context


@pytest.fixture(scope="module")
def lm(tokenizer):
    return language_model(tokenizer, **VARIANTS["manifold"], mixing_bound=1.5, context=64)


@pytest.fixture(scope="module")
def report(lm):
    return mixing.measure(lm, DOCUMENTS)


def traced(lm, document):
    """H_res [P, T, N, N] of a text, float64."""
    ids = lm.tokenizer.encode(document, bos=True)
    pieces = [lm.trace_ids(ids[start : start + 64]) for start in range(0, len(ids), 64)]
    return np.concatenate(
        [
            np.stack(
                [trace[f"blocks.{layer}.join_{part}.res"][0].numpy() for layer in range(2) for part in ("attn", "mlp")]
            )
            for trace in pieces
        ],
        axis=1,
    ).astype(float)


def test_matrices_are_those_of_every_token(lm, report):
    res = np.concatenate([traced(lm, document) for document in DOCUMENTS], axis=1)
    kept = np.trace(res, axis1=-2, axis2=-1) / 4
    assert report.tokens == res.shape[1] == sum(len(lm.tokenizer.encode(text, bos=True)) for text in DOCUMENTS) > 64
    assert report.diagonals == pytest.approx(kept.mean(1))
    assert report.least == pytest.approx(kept.min())
    assert report.mixed == pytest.approx(np.mean(kept <= 0.6)) and report.mixed > 0
    assert report.largest == pytest.approx((res * (1 - np.eye(4))).max())
    assert report.rows == pytest.approx(np.abs(res.sum(-1) - 1).max(), abs=1e-6)
    assert report.columns == pytest.approx(np.abs(res.sum(-2) - 1).max(), abs=1e-6)
    whole = res[3] @ res[2] @ res[1] @ res[0]
    rows, columns = np.abs(whole).sum(-1).max(-1), np.abs(whole).sum(-2).max(-1)
    assert report.forward == pytest.approx((rows.mean(), rows.max()), abs=1e-6)
    assert report.backward == pytest.approx((columns.mean(), columns.max()), abs=1e-6)
    assert report.product == pytest.approx((whole.mean(0).min(), whole.mean(0).max()), abs=1e-6)


def test_replacements_are_what_they_say(lm):
    [document] = DOCUMENTS[:1]
    report, res = mixing.measure(lm, [document]), torch.tensor(traced(lm, document)).float()
    places = [f"blocks.{layer}.join_{part}" for layer in range(2) for part in ("attn", "mlp")]

    def bits(matrices):
        edit = {f"{place}.res": lambda x, record, m=m: m.expand_as(x) for place, m in zip(places, matrices)}
        losses = lm.trace(document, edit=edit).loss_per_token()
        return float(losses.sum()) / math.log(2) / len(document.encode())

    def static(place):
        logits = 1.5 * np.tanh(lm.network.get_submodule(place).static_res.detach().double().numpy() / 1.5)
        matrix = np.exp(logits)
        for _ in range(20):
            matrix /= matrix.sum(-1, keepdims=True)
            matrix /= matrix.sum(-2, keepdims=True)
        return torch.tensor(matrix).float()

    assert report.bits == pytest.approx(bits(res[:, None]), abs=1e-4)
    found = (report.identity, report.mean, report.static)
    wanted = ([torch.eye(4)] * 4, res.mean(1), [static(place) for place in places])
    assert found == pytest.approx([bits(matrices) - report.bits for matrices in wanted], abs=1e-4)
    assert min(map(abs, found)) > 1e-3


def test_a_card_gets_one_section(lm, report, tmp_path, monkeypatch):
    monkeypatch.setattr(mixing, "load", lambda folder: lm)
    (tmp_path / "card.md").write_text("# tiny\n\nWords.\n")
    mixing.write_section(DOCUMENTS, tmp_path)
    card = (tmp_path / "card.md").read_text()
    assert card == f"# tiny\n\nWords.\n\n{mixing.card_section(report)}"
    assert "bounded to 1.5 tanh(z / 1.5)" in card and "0.25 where all are mixed alike" in card
    assert f"| by its static part | {report.static:+.4f} |" in card and f"{report.mixed:.1%} |" in card


def test_other_models_get_none(tokenizer, tmp_path, monkeypatch):
    monkeypatch.setattr(mixing, "load", lambda folder: language_model(tokenizer, **VARIANTS["hyper"]))
    (tmp_path / "card.md").write_text("# tiny\n")
    mixing.write_section(DOCUMENTS, tmp_path)
    assert (tmp_path / "card.md").read_text() == "# tiny\n"
