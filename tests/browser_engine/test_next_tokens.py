"""What looks several tokens ahead in the browser: the modules of MTP and further heads give Python's logits and
maps."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import tlmviz
from tests import tiny
from tests.browser_engine.engine import LOGITS, MAPS, Answer, ask, moved, relative, replaced
from tests.browser_engine.test_language_models import MODELS, STORY, TEXTS
from tlmviz import kernels
from tlmviz.checkpoints.native import save_network
from tlmviz.facades.next_tokens import NextTokenModel
from tlmviz.networks.mtp import MTPNetwork
from tlmviz.recording import recording

NAMES = {"stories-mtp": 6, "stories-mtp-parallel": 0}  # heads of the modules' attention


@torch.inference_mode()
def ahead(lm: NextTokenModel, text: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Logits of the model and of each module [T - k, V], and the modules' maps, head by head."""
    ids = torch.tensor([lm.encode(text)])
    hidden = lm.network.read(ids)
    with recording(lambda name: name.startswith("ahead.")) as record:
        logits = lm.network.logits_ahead(hidden, ids)
    maps: list[np.ndarray] = []
    for k in range(len(logits) - 1) if isinstance(lm.network, MTPNetwork) else ():
        spec = lm.network.ahead[k].block.attn.spec(lm.network.positions.at(0))
        q, key, lse = (record.values[f"ahead.{k}.block.attn.{name}"] for name in ("q", "k", "lse"))
        maps += [*kernels.attention_map(q, key, lse, spec.mask, scale=spec.scale)[0].numpy()]
    return [each[0].numpy() for each in logits], maps


def off(answer: Answer, lm: NextTokenModel, text: str) -> tuple[float, float]:
    """Largest absolute error of all weights, and the largest relative root mean square error of the logits."""
    logits, maps = ahead(lm, text)
    assert answer.header["depth"] == len(logits) - 1 and len(answer.arrays) == len(logits) + len(maps)
    found, own = answer.arrays[: len(logits)], answer.arrays[len(logits) :]
    largest = max((np.abs(each.reshape(m.shape) - m).max() for each, m in zip(own, maps)), default=0.0)
    return float(largest), max(relative(each.reshape(m.shape), m) for each, m in zip(found, logits))


@pytest.mark.parametrize("name", NAMES)
def test_a_model_looks_ahead_as_in_python(name, tmp_path):
    lm = tlmviz.load(name)
    texts = [*TEXTS, lm.fit(STORY * 6)[0]]
    assert len(texts) >= 20 and len(lm.encode("a")) == 2  # fewer tokens than modules
    _, *answers = ask(MODELS / name, [{"ahead": texts, "heads": NAMES[name]}], tmp_path)
    for text, answer in zip(texts, answers, strict=True):
        maps, logits = off(answer, lm, text)
        assert maps <= MAPS and logits <= LOGITS, f"{text[:30]!r}: maps {maps:.1e}, logits {logits:.1e}"


@pytest.mark.parametrize(
    "changes",
    [
        dict(norm="layernorm", norm_place="post", feedforward="gelu", bias=True, tied=False, head_bias=True),
        dict(norm_place="sandwich", qk_norm="head", n_kv_heads=2, logit_softcap=8.0, embedding_scale=3.0),
        dict(norm_place="parallel", positions="none", experts=dict(count=3, chosen=1, hidden=16)),
        dict(positions={"scaling": "dynamic", "trained_context": 12}),
    ],
)
def test_modules_of_other_parts(changes, tmp_path):
    lm = tiny.next_token_model(**changes)
    save_network(tmp_path / "tiny", lm.network, lm.tokenizer, torch.float32)
    texts = [tiny.TEXT, "Tom", tiny.TEXT * 2]
    _, *answers = ask(tmp_path / "tiny", [{"ahead": texts, "heads": 4}], tmp_path)
    for text, answer in zip(texts, answers, strict=True):
        maps, logits = off(answer, lm, text)
        assert maps <= MAPS and logits <= LOGITS, (maps, logits)


@pytest.mark.parametrize("name", NAMES)
def test_another_number_in_any_tensor_is_noticed(name, tmp_path):
    lm, weights = tlmviz.load(name), load_file(MODELS / name / "model.safetensors")
    names = [key for key in weights if key.startswith("ahead.")]
    changes = [{}, *({"changed": replaced(key, moved(weights[key]))} for key in names)]
    runs = [{"ahead": [STORY], "heads": NAMES[name], **change} for change in changes]
    own, *others = ask(MODELS / name, runs, tmp_path)[1::2]
    maps, logits = off(own, lm, STORY)
    assert names and maps <= MAPS and logits <= LOGITS / 10
    for key, answer in zip(names, others, strict=True):
        maps, logits = off(answer, lm, STORY)
        assert maps > MAPS or logits > LOGITS / 10, key


def test_another_depth_is_noticed(tmp_path):
    config = json.loads((MODELS / "stories-mtp/config.json").read_text(encoding="utf-8"))
    configs = [json.dumps({**config, "depth": depth}) for depth in (2, 4, 0)]
    fewer, more, none = ask(MODELS / "stories-mtp", [{"config": each} for each in configs], tmp_path)
    assert "holds ahead.2." in fewer.error and "lacks ahead.3." in more.error
    assert none.error.startswith("depth is 0 in config.json of stories-mtp")


def test_heads_side_by_side_have_no_maps(tmp_path):
    [_, answer] = ask(MODELS / "stories-mtp-parallel", [{"ahead": ["a b c"], "heads": 1}], tmp_path)
    assert answer.error.startswith("stories-mtp-parallel has no modules with attention")
