"""The page Learning, run as Streamlit runs it: on the bundled training, on runs that monitor wrote, and on what is
none."""

from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest
import torch

import tlmviz
from pages.attention.learning import claims, data
from pages.attention.learning.state import DEFAULT, STATISTICS, Learning
from tests import tiny
from tests.pages.helpers import SENT, assert_healthy, open_page, picture, run_snippet, sent, words
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz import monitoring
from tlmviz.checkpoints.folders import RUNS, models_folder, run_folders, steps_of
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "attention/learning"
TEXTS = [DEFAULT_TEXT, "Le chat a vu le chat. 🙂 Le chat", "dog", "Tom saw a red bird. " * 150]


@pytest.fixture(scope="module")
def own(tmp_path_factory, tokenizer):
    """A run that kept snapshots and losses, and one that kept nothing but its table."""
    folder = tmp_path_factory.mktemp("runs")
    for name, kept in (("mine", [0, 2, 4]), ("bare", [])):
        model = tiny.language_model(tokenizer, n_layers=3)
        model.network.requires_grad_(True)
        optimizer = torch.optim.SGD(model.network.parameters(), 0.1)
        ids = torch.tensor([tokenizer.encode("Lily had a red ball. Lily lost the red ball.")])
        with tlmviz.monitor(
            model, 1, folder / name, [ids], tokenizer=tokenizer, snapshots=kept, rules={"told": told}
        ) as monitor:
            for step in range(4):
                loss = model.network(ids).logsumexp(-1).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if kept:
                    monitor.loss(loss, eval_loss=2.0 * step)
    return folder


def told(table):
    return [monitoring.Event("told", 1, 2, 2, "L1H2 has turned.")] if table["step"].max() >= 2 else []


@pytest.fixture
def given(own, monkeypatch):
    """The app as `tlmviz run mine bare` starts it."""
    monkeypatch.setenv(RUNS, f"{own / 'mine'}:{own / 'bare'}")
    return own


class TestBundled:
    def test_it_opens_where_a_head_turns(self):
        app = open_page(PAGE)
        assert_healthy(app)
        header, arrays = picture(app, "learning")
        assert len(sent(app, "learning")) < SENT
        record = monitoring.read(models_folder() / DEFAULT / "run")
        assert (header["layers"], header["heads"]) == (record.heads["layer"].max() + 1, record.heads["head"].max() + 1)
        wide = record.heads.pivot_table("induction", "step", ["layer", "head"], sort=True)
        np.testing.assert_allclose(arrays["values"], wide.to_numpy(), rtol=1e-6)
        assert arrays["moments"].tolist() == [*steps_of(DEFAULT), wide.index[-1]]
        number = int(wide.max().to_numpy().argmax())
        assert header["looked"] == number and wide[wide.columns[number]].loc[header["at"]] > 0.5
        assert wide[wide.columns[number]].loc[0] < 0.05  # there is something to see
        assert f"L{number // header['heads']}H{number % header['heads']} learns to look at what followed" in words(app)
        previous = record.heads.pivot_table("previous", "step", ["layer", "head"], sort=True)
        np.testing.assert_allclose(arrays["helper"], previous.iloc[:, header["helper"]["head"]].to_numpy(), rtol=1e-6)

    def test_maps_are_those_of_the_weights_of_then(self):
        app = open_page(PAGE, query={"text": "Lily saw Tom. Lily saw Tom."})
        header, arrays = picture(app, "learning")
        size, heads = len(header["tokens"]), header["layers"] * header["heads"]
        maps = arrays["maps"].reshape(len(arrays["moments"]), heads, size, size)
        for place, step in ((0, 0), (7, int(arrays["moments"][7])), (-1, None)):
            lm = tlmviz.load(DEFAULT if step is None else f"{DEFAULT}@{step}")
            trace = lm.trace("Lily saw Tom. Lily saw Tom.")
            plain = torch.cat([trace.attentions(layer) for layer in range(header["layers"])]).numpy()
            assert header["tokens"] == trace.tokens
            np.testing.assert_allclose((maps[place] / 255) ** 2, plain, atol=0.005)

    @pytest.mark.parametrize("text", TEXTS)
    def test_any_text_is_read(self, text):
        app = open_page(PAGE, query={"text": text})
        assert_healthy(app)
        tokens, lm = len(picture(app, "learning")[0]["tokens"]), tlmviz.load(DEFAULT)
        read = min(len(lm.tokenizer.encode(text, bos=True)), lm.config.context)
        assert tokens == min(read, data.MOST_TOKENS)
        assert (f"the first {tokens} of {read:,} tokens of your text" in words(app)) == (read > tokens)
        assert len(sent(app, "learning")) < SENT

    def test_its_code_runs(self):
        space = run_snippet(open_page(PAGE, query={"lnstep": "0", "lnhead": "1.0"}))
        assert space["trace"].n_layers > 1 and len(space["curve"])

    def test_a_link_to_what_is_not_there(self):
        app = open_page(PAGE, query={"lnrun": "gone", "lnhead": "77.9", "lnstep": "999999999"})
        assert_healthy(app)
        assert "There is no training “gone” here" in app.warning[0].value
        assert picture(app, "learning")[0]["at"] == max(
            monitoring.read(models_folder() / DEFAULT / "run").heads["step"]
        )


class TestOwn:
    def test_a_run_of_ones_own_comes_first_with_its_snapshots(self, given):
        app = open_page(PAGE)
        assert_healthy(app)
        header, arrays = picture(app, "learning")
        assert list(run_folders())[:2] == ["mine", "bare"]
        assert arrays["moments"].tolist() == [0, 2, 4] and arrays["steps"].tolist() == [0, 1, 2, 3, 4]
        traces = monitoring.read(given / "mine").snapshots
        plain = torch.cat([traces[2][0].attentions(layer) for layer in range(3)]).numpy()
        maps = arrays["maps"].reshape(3, 12, *plain.shape[1:])
        np.testing.assert_allclose((maps[1] / 255) ** 2, plain, atol=0.005)
        assert header["losses"] == ["of the training", "held out"]
        assert header["events"] == [{"head": 6, "step": 2, "says": "L1H2 has turned."}]
        assert "first probe" in words(app)
        run_snippet(app)

    def test_one_without_snapshots_has_curves(self, given):
        app = open_page(PAGE, query={"lnrun": "bare", "lnstat": "entropy"})
        assert_healthy(app)
        header, arrays = picture(app, "learning")
        assert not header["shown"] and not arrays["maps"].size and not header["losses"]
        assert arrays["moments"].tolist() == [0, 1, 2, 3, 4]

    def test_a_table_that_is_none_is_said(self, own, tmp_path, monkeypatch):
        (tmp_path / "bad").mkdir()
        (tmp_path / "bad" / "heads.parquet").write_bytes(b"nonsense")
        monkeypatch.setenv(RUNS, str(tmp_path / "bad"))
        app = open_page(PAGE)
        assert not app.exception and "is no table of a monitored run" in app.error[0].value

    def test_nothing_there_is_a_sentence(self, tmp_path, monkeypatch):
        monkeypatch.setattr("pages.attention.learning.data.run_folders", dict)
        app = open_page(PAGE)
        assert_healthy(app)
        assert "put `with tlmviz.monitor(" in app.info[0].value


# --- what it claims ----------------------------------------------------------------------------------


def plainly(chosen: Learning) -> dict[str, list[str] | None]:
    """The values of each claim, from the tables alone."""
    folder: Path = run_folders()[chosen.run]
    run = monitoring.read(folder)
    table = run.heads
    if steps_of(chosen.run):
        steps = [*steps_of(chosen.run), int(table["step"].max())]
    else:
        kept = {int(path.name[:8]) for path in folder.glob("snapshots/*")}
        steps = sorted(kept or set(table["step"]))
    wide = table.pivot_table(chosen.statistic, "step", ["layer", "head"], sort=True, dropna=False).fillna(0)
    head = int((wide - wide.iloc[0]).max().to_numpy().argmax())
    own = wide.iloc[:, head]
    least, most = own.loc[: own.idxmax()].min(), own.max()
    after = own.index[own >= least + 0.9 * (most - least)][0]
    before = [step for step in own.index if step <= after and own[step] <= least + 0.1 * (most - least)][-1]
    low, high, rises = own[before], own[after], before < after
    share = chosen.statistic in ("induction", "previous", "self", "sink", "peak")
    form = (lambda value: f"{value:.0%}") if share else (lambda value: f"{value:.3g}".replace("-", "−"))
    name = "L{}H{}".format(*wide.columns[head])
    does, turns = chosen.statistic in claims.DOES, rises and high - low >= 0.2
    found: dict[str, list[str] | None] = dict.fromkeys([claim.__name__ for claim in claims.CLAIMS])
    span = [f"{before:,}", f"{after:,}"]
    layer = wide.columns[head][0]
    helper = ready = None
    if chosen.statistic == "induction" and rises and layer:
        every = table.pivot_table("previous", "step", ["layer", "head"], sort=True).fillna(0)
        earlier = every.loc[after][[column for column in every if column[0] < layer]]
        helper, helps = earlier.idxmax(), every[earlier.idxmax()]
        few, many = helps.loc[: helps.idxmax()].min(), helps.max()
        ready = helps.index[helps >= few + 0.9 * (many - few)][0]
        began = [step for step in helps.index if step <= ready and helps[step] <= few + 0.1 * (many - few)][-1]
        if began == ready:
            helper = ready = None
        elif turns and helps[ready] - helps[began] >= 0.2 and began < before and ready <= after:
            who = "L{}H{}".format(*helper)
            found["one_after_the_other"] = [who, f"{ready:,}", name, form(low), span[0], form(high), span[1]]
    if does and turns and not found["one_after_the_other"]:
        found["turned"] = [*span, name, form(low), form(high)]
    if not does and rises and form(low) != form(high):
        found["risen"] = [name, form(low), span[0], form(high), span[1]]
    if does and rises and not turns:
        found["none_turned"] = [form(float(wide.to_numpy().max()))]
    if does and turns:
        said = []
        for column in run.losses.columns.drop("step"):
            one, other = (
                run.losses[run.losses["step"] <= step][column].dropna().to_list()[-1:] for step in (before, after)
            )
            if one and other and f"{one[0]:.2f}" != f"{other[0]:.2f}":
                said += [f"{one[0]:.2f}", f"{other[0]:.2f}"]
        found["loss_then"] = said or None
    opening = next((step for step in steps if step >= (after if rises else steps[-1])), steps[-1])
    asked = opening if chosen.step is None else chosen.step
    at = max((step for step in steps if step <= asked), default=steps[0])
    if helper and turns and steps_of(chosen.run):
        lm = tlmviz.load(data.at_step(chosen.run, at))
        ids, heads = lm.encode(chosen.text)[: data.MOST_TOKENS], range(lm.config.n_heads)

        def share(*muted):
            trace = lm.trace_ids(ids, edit={f"blocks.{row}.attn.z": _without(column) for row, column in muted})
            weights, read = trace.attention(*wide.columns[head]), trace.ids
            mass = {
                t: sum(float(weights[t, s + 1]) for s in range(t) if read[s] == read[t])
                for t in range(len(read))
                if read[t] in read[:t]
            }
            return np.mean(list(mass.values()))

        whole, without = share(), share(helper)
        others = min(share((helper[0], other)) for other in heads if other != helper[1])
        if whole >= 0.2 and without <= min(whole, others) / 2:
            who = "L{}H{}".format(*helper)
            shares = [f"{whole:.0%}", f"{without:.0%}"]
            found["needs_it"] = [who, name, f"{at:,}", *shares, helper[0], f"{others:.0%}"]
    asked = chosen.head
    looked = asked if asked and asked in wide.columns else wide.columns[head] if rises else (0, 0)
    own = [event.sentence for event in run.events if (event.layer, event.head) == tuple(looked)]
    if own:
        found["noticed"] = ["L{}H{}".format(*looked), " ".join(own)]
    return found


def _without(head: int):
    def muted(z, record):
        return torch.cat([torch.zeros_like(part) if at == head else part for at, part in enumerate(z.split(1, 1))], 1)

    return muted


PLAIN = {claim.__name__: itemgetter(claim.__name__) for claim in claims.CLAIMS}


def test_every_claim_is_held_to_the_tables(given):
    found = []
    for run in (DEFAULT, "mine", "bare"):
        for statistic in STATISTICS:
            for chosen in states(Learning, {"run": run, "text": DEFAULT_TEXT, "statistic": statistic}, 3):
                found.append(agree(claims.CLAIMS, PLAIN, data.Data(chosen), plainly(chosen)))
    each_speaks_and_is_silent(found)
