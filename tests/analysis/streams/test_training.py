"""What training left beside a checkpoint: read as written, and refused in a sentence where it is missing or broken."""

import json
import math

import pytest
import torch
from safetensors.torch import save_file

from tests import tiny
from tlmviz import errors
from tlmviz.analysis.streams import training as stream_training
from tlmviz.training.streams import write_log


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"name": "mine"}))
    (tmp_path / "training.csv").write_text(
        "step,train_loss,grad_norm,grad_norm_max,valid_bpb,gain_forward,gain_backward\n10,5,1,2,,,\n0,,,,2.5,1.1,1.2\n"
    )
    return tmp_path


def moments_file(folder, **changes):
    tensors = dict(steps=torch.arange(2), pre=torch.ones(2, 4, 3), post=torch.ones(2, 4, 3), res=torch.ones(2, 4, 3, 3))
    tensors.update(changes)
    save_file({name: value for name, value in tensors.items() if value is not None}, folder / "moments.safetensors")


def test_logged_curves_are_read_in_the_order_of_steps(folder):
    frame = stream_training.curves(folder)
    assert list(frame["step"]) == [0, 10] and frame["valid_bpb"][0] == 2.5 and math.isnan(frame["valid_bpb"][1])


@pytest.mark.parametrize(
    "text, words",
    [
        (None, "no training.csv"),
        ("", "cannot be read"),
        ("step,train_loss\n1,2\n", "no column grad_norm"),
        ("step,train_loss,grad_norm,grad_norm_max,valid_bpb,gain_forward,gain_backward\n1,x,1,1,1,1,1\n", "no number"),
    ],
)
def test_curves_that_are_not_there_or_broken_are_one_sentence(folder, text, words):
    (folder / "training.csv").unlink() if text is None else (folder / "training.csv").write_text(text)
    with pytest.raises(errors.BadCheckpoint) as error:
        stream_training.curves(folder)
    assert words in tiny.sentence(error)


def test_moments_are_read_and_broken_ones_are_one_sentence(folder):
    with pytest.raises(errors.BadCheckpoint) as error:
        stream_training.moments(folder)
    assert "no moments.safetensors" in tiny.sentence(error)
    moments_file(folder)
    assert stream_training.moments(folder).res.shape == (2, 4, 3, 3)
    for changes in (
        dict(res=torch.ones(2, 4, 3)),
        dict(res=torch.ones(2, 4, 3, 2)),
        dict(pre=None),
        dict(steps=torch.ones(1)),
    ):
        moments_file(folder, **changes)
        with pytest.raises(errors.BadCheckpoint) as error:
            stream_training.moments(folder)
        assert "moments.safetensors" in tiny.sentence(error)
    (folder / "moments.safetensors").write_bytes(b"torn")
    with pytest.raises(errors.BadCheckpoint) as error:
        stream_training.moments(folder)
    assert "cannot be read" in tiny.sentence(error)


def test_what_training_writes_is_what_is_read(folder):
    look = dict(
        res=torch.eye(3).expand(4, 3, 3).tolist(), pre=torch.ones(4, 3).tolist(), post=torch.ones(4, 3).tolist()
    )
    log = {
        "steps": [(5.0 - step / 10, 1.0 + step) for step in range(20)],
        "curve": [{"step": 20, "valid_bpb": 2.25}],
        "probes": [{"step": step, **look, "forward": 1.5, "backward": 1.25} for step in (0, 10)],
    }
    write_log(log, folder)
    frame, found = stream_training.curves(folder).set_index("step"), stream_training.moments(folder)
    assert frame["grad_norm_max"][20] == 20 and frame["valid_bpb"][20] == 2.25 and frame["gain_forward"][10] == 1.5
    assert list(found.steps) == [0, 10] and (found.res == torch.eye(3).numpy()).all()
