"""What is logged of the streams while a model learns, and what becomes of the log."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file

from tests.tiny import SENTENCES, config, language_model
from tests.tiny import tokenizer as make_tokenizer
from tlmviz.config import without_connections
from tlmviz.layers.streams import gains
from tlmviz.networks.transformer import TransformerLM, count_parameters
from tlmviz.training import loop, streams
from tlmviz.training.data import Corpus

pytestmark = pytest.mark.slow
CORPUS = Corpus(SENTENCES * 5, SENTENCES[:1], [])
# Without a gradient: equal streams may be read in any shares, and a doubly stochastic matrix keeps the mean that the
# head reads.
IDLE = [("manifold", "blocks.0.join_attn.static_pre"), ("manifold", "blocks.1.join_mlp.static_res")]
SCHEDULE = loop.Schedule(steps=25, batch_tokens=64, lengths=((1.0, 16),), warmup=2, evaluate_every=10)


def trained(folder, **changes):
    tokenizer, tiny = make_tokenizer(), config(context=32, **changes)
    probe = streams.probe_of(tiny, SCHEDULE.steps, CORPUS, tokenizer)
    return loop.train(tiny, SCHEDULE, CORPUS, tokenizer, folder / "run", None, probe)


def test_twins_differ_in_their_connections_alone():
    shallow = [recipe for name, recipe in streams.STREAMS.items() if "deep" not in name]
    deep = [recipe for name, recipe in streams.STREAMS.items() if "deep" in name]
    assert [r.config.connection.kind for r in shallow] == ["residual", "hyper", "manifold"]
    assert [r.config.connection.kind for r in deep] == ["residual", "hyper", "manifold"]
    assert [r.bundled for r in deep] == [False, True, True]
    for family in (shallow, deep):
        rest = {without_connections(r.config) for r in family}
        schedules = {r.stages for r in family}
        assert len(rest) == 1 and len(schedules) == 1
        assert all(2 * count_parameters(r.config) < 6e6 for r in family)  # bytes, in half precision
    assert shallow[0].config.n_layers >= 8 and deep[0].config.n_layers == 24


@pytest.mark.parametrize("connection", ["hyper", "manifold"])
def test_a_run_leaves_curves_and_matrices(tmp_path, connection):
    log = trained(tmp_path, connection=connection, streams=4)
    assert [probe["step"] for probe in log["probes"]] == [0, 20, 25] and len(log["steps"]) == 25
    streams.write_log(log, tmp_path)
    frame = pd.read_csv(tmp_path / "training.csv", index_col="step")
    assert frame.index.tolist() == [0, 10, 20, 25]
    losses, norms = map(np.array, zip(*log["steps"]))
    windows = [slice(0, 10), slice(10, 20), slice(20, 25)]
    assert frame["train_loss"].tolist()[1:] == pytest.approx([losses[window].mean() for window in windows], rel=1e-4)
    assert frame["grad_norm_max"].tolist()[1:] == pytest.approx([norms[window].max() for window in windows], rel=1e-4)
    assert frame["valid_bpb"].isna().tolist() == [True, False, False, False]
    assert frame["gain_forward"].isna().tolist() == [False, True, False, False]
    assert frame["gain_forward"][0] == pytest.approx(1, abs=1e-4)
    moments = load_file(tmp_path / "moments.safetensors")
    assert moments["steps"].tolist() == [0, 20, 25]
    assert moments["res"].shape == (3, 4, 4, 4) and moments["pre"].shape == moments["post"].shape == (3, 4, 4)
    assert not torch.equal(moments["res"][0], moments["res"][-1])
    if connection == "manifold":
        assert torch.allclose(moments["res"].sum(-2), torch.ones(3, 4, 4), atol=1e-4)


def test_a_plain_residual_leaves_curves_alone(tmp_path):
    log = trained(tmp_path)
    streams.write_log(log, tmp_path)
    frame = pd.read_csv(tmp_path / "training.csv", index_col="step")
    assert frame["grad_norm"].notna().all() and frame["gain_forward"].isna().all()
    assert not (tmp_path / "moments.safetensors").exists()


def test_a_look_changes_nothing_and_sees_the_mean_over_tokens(tokenizer):
    lm = language_model(tokenizer, connection="hyper", streams=3)
    lm.network.train()
    ids = tokenizer.encode(SENTENCES[0], bos=True)
    seen = streams.look(lm.network, ids)
    assert lm.network.training
    lm.network.eval()
    trace = lm.trace_ids(ids)
    res = [trace[f"blocks.{layer}.join_{part}.res"][0] for layer in range(2) for part in ("attn", "mlp")]
    assert np.allclose(seen["res"], torch.stack([matrix.mean(0) for matrix in res]).numpy(), atol=1e-6)
    forward, backward = gains(res[3] @ res[2] @ res[1] @ res[0])
    assert seen["forward"] == pytest.approx(forward.mean().item(), rel=1e-4)
    assert seen["backward"] == pytest.approx(backward.mean().item(), rel=1e-4)


def test_what_starts_at_a_meaning_is_not_decayed():
    network = language_model(make_tokenizer(), connection="manifold", streams=4).network
    decayed, others = loop.optimizer_of(network, SCHEDULE).param_groups
    names = {id(p): name for name, p in network.named_parameters()}
    assert decayed["weight_decay"] == SCHEDULE.weight_decay and others["weight_decay"] == 0
    assert not [name for name in (names[id(p)] for p in decayed["params"]) if "static" in name or "norm" in name]
    assert sum(name.endswith("static_res") for name in (names[id(p)] for p in others["params"])) == 4
    assert len(decayed["params"]) + len(others["params"]) == len(names)


@pytest.mark.parametrize("connection", ["hyper", "manifold"])
def test_streams_learn_faster_and_decay_as_the_rest(connection):
    """AdamW's first step, written a second time: rate x sign of the gradient, and rate x decay x weight."""
    torch.manual_seed(0)
    network = TransformerLM(config(connection=connection, streams=4, dropout=0.0))
    with torch.no_grad():
        for p in network.parameters():
            p.add_(0.1 * torch.randn_like(p))
    schedule = replace(SCHEDULE, stream_rate=10.0, weight_decay=0.3, warmup=4, learning_rate=1e-3)
    optimizer, ids = loop.optimizer_of(network, schedule), torch.arange(40).reshape(2, 20)
    before = {name: p.detach().clone() for name, p in network.named_parameters()}
    loop._update(network, optimizer, ids, ids.roll(-1, 1), schedule, 1)
    rate = 2 / 4 * 1e-3
    for name, p in network.named_parameters():
        faster = 10 if ".join_" in name else 1
        decay = 0.3 if p.ndim > 1 and ".static_" not in name else 0.0
        moved = before[name] - p.detach() - rate * decay * before[name]
        clear = p.grad.abs() > 1e-5  # where Adam's epsilon does not count
        assert clear.any() or (connection, name) in IDLE
        assert torch.allclose(moved[clear], (faster * rate * p.grad.sign())[clear], rtol=1e-2), name


def test_cards_of_twins_get_one_table(tmp_path):
    frame = pd.DataFrame(
        {
            "train_loss": [3.0, 2.0],
            "grad_norm": [1.0, 0.5],
            "grad_norm_max": [4.0, 0.75],
            "valid_bpb": [2.0, 1.25],
            "gain_forward": [1.0, 1.5],
            "gain_backward": [1.0, 2.5],
        },
        index=pd.Index([10, 20], name="step"),
    )
    for name in ("stories-hc", "stories-residual"):
        (tmp_path / name).mkdir()
        empty = dict.fromkeys(("gain_forward", "gain_backward"), np.nan)
        (frame if name == "stories-hc" else frame.assign(**empty)).to_csv(tmp_path / name / "training.csv")
        (tmp_path / name / "card.md").write_text(f"# {name}\n\nWords.\n")
    runs = tmp_path / "runs"
    streams.write_comparison(tmp_path, runs)
    with (tmp_path / "stories-residual" / "card.md").open("a") as file:
        file.write("\n## Findings\n\nBy hand.\n")
    for _ in range(2):  # a second writing replaces the first, and nothing else
        streams.write_comparison(tmp_path, runs)
    written = (tmp_path / "stories-residual" / "card.md").read_text()
    assert written.endswith("\n\n## Findings\n\nBy hand.\n") and written.count("## ") == 2
    card = (tmp_path / "stories-hc" / "card.md").read_text()
    assert card.startswith("# stories-hc\n\nWords.\n\n## Beside its twins\n") and card.count(streams.HEADING) == 1
    assert "| stories-hc | 1.2500 | 0.5 | 0.75 | 1.5 | 2.5 | 2.5 |" in card
    assert "| stories-residual | 1.2500 | 0.5 | 0.75 | 1 | 1 | 1 |" in card


def ended(runs, recipe, bits, step=None):
    """A run's log."""
    folder = runs / recipe.config.name / "stage-1"
    folder.mkdir(parents=True)
    log = {"step": step or recipe.stages[0].steps, "curve": [{"valid_bpb": 9.0}, {"valid_bpb": bits}]}
    (folder / "log.json").write_text(json.dumps(log))


def test_cards_name_further_runs_that_have_ended(tmp_path):
    models, runs = tmp_path / "models", tmp_path / "runs"
    for name in ("stories-residual", "stories-hc", "stories-mhc", "stories-deep-mhc"):
        (models / name).mkdir(parents=True)
        frame = pd.DataFrame(
            {"train_loss": [3.0], "grad_norm": [1.0], "grad_norm_max": [4.0], "valid_bpb": [1.25]},
            index=pd.Index([20], name="step"),
        )
        frame.to_csv(models / name / "training.csv")
        (models / name / "card.md").write_text(f"# {name}\n")

    def card(name="stories-mhc"):
        streams.write_comparison(models, runs)
        return (models / name / "card.md").read_text()

    *early, last = streams.SEEDS.values()
    for recipe in early:
        ended(runs, recipe, 1.28)
    ended(runs, streams.VARIANTS["stream_rate 3"], 1.3)
    ended(runs, streams.VARIANTS["bound 2, 42 iterations"], 1.4, step=750)
    ended(runs, streams.STREAMS["stories-deep-residual"], 1.7)
    assert "seeds" not in card() and card().count("1.3000 with stream_rate 3.") == 1 and "bound 2" not in card()
    ended(runs, last, 1.19)
    line = (
        "Mean and range of 3 seeds, held-out bits per byte: stories-residual 1.2700 (1.2500 to 1.2800), "
        "stories-hc 1.2700 (1.2500 to 1.2800), stories-mhc 1.2400 (1.1900 to 1.2800)."
    )
    assert card().count(line) == 1 and line in card("stories-residual")
    assert "Plain residuals, trained the same way: 1.7000" in card("stories-deep-mhc")
    assert "3 seeds" not in card("stories-deep-mhc")


def test_further_runs_differ_in_what_their_names_say():
    for (name, seed), recipe in streams.SEEDS.items():
        twin = streams.STREAMS[name]
        assert not recipe.bundled and recipe.stages == (replace(twin.stages[0], seed=seed),)
        assert recipe.config == replace(twin.config, name=f"{name}-seed-{seed}")
    slower, wider = streams.VARIANTS.values()
    assert slower.stages[0].stream_rate == 3 and wider.stages == streams.STREAMS["stories-mhc"].stages
    assert (wider.config.connection.bound, wider.config.connection.iterations) == (2.0, 42)


def test_resuming_keeps_the_log(tmp_path):
    tokenizer, tiny = make_tokenizer(), config(context=32, connection="hyper", streams=4)
    probe = streams.probe_of(tiny, SCHEDULE.steps, CORPUS, tokenizer)
    short = replace(SCHEDULE, stop=10)
    loop.train(tiny, short, CORPUS, tokenizer, tmp_path / "run", None, probe)
    log = loop.train(tiny, SCHEDULE, CORPUS, tokenizer, tmp_path / "run", None, probe)
    assert [probe["step"] for probe in log["probes"]] == [0, 10, 20, 25] and len(log["steps"]) == 25
