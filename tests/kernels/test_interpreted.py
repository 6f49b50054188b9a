"""The process that interprets the Triton kernel: equal to torch, started once, and replaced when it dies."""

import pytest
import torch

from tests.tiny import sentence
from tlmviz import kernels
from tlmviz.errors import BadBackend
from tlmviz.kernels import interpreted

from .triton_cases import SLOPES, assert_near, qkv


@pytest.fixture(scope="module")
def interpreter():
    made = interpreted.Interpreter()
    yield made
    made.stop()


@pytest.mark.parametrize("options", [{}, {"window": 5}, {"slopes": SLOPES}], ids=str)
def test_it_gives_what_torch_gives(interpreter, options):
    q, k, v = qkv(33, 33, values=12)
    found = interpreter.attention(q, k, v, scale=0.4, **options)
    for one, other in zip(found, kernels.attention(q, k, v, scale=0.4, backend="torch", **options)):
        assert_near(one, other)


def test_the_process_stays_and_a_dead_one_is_replaced(interpreter):
    q, k, v = qkv(5, 5)
    first = interpreter.attention(q, k, v, scale=1.0)[0]
    process = interpreter._process
    interpreter.attention(q, k, v, scale=1.0)
    assert interpreter._process is process
    process.kill()
    process.wait()
    assert torch.equal(interpreter.attention(q, k, v, scale=1.0)[0], first)


def test_a_call_that_takes_too_long_is_one_sentence():
    made = interpreted.Interpreter(patience=0.01)
    with pytest.raises(BadBackend) as error:
        made.attention(*qkv(5, 5), scale=1.0)
    assert "run it again" in sentence(error) and made._process is None


def test_without_triton_it_says_so(monkeypatch):
    monkeypatch.setattr(interpreted.util, "find_spec", lambda name: None)
    with pytest.raises(BadBackend) as error:
        interpreted.Interpreter().attention(*qkv(5, 5), scale=1.0)
    assert "triton" in sentence(error)
