"""Where tokens stand: six classes against the papers' formulas."""

import math

import pytest
import torch

from tlmviz.config import POSITIONS
from tlmviz.errors import BadText
from tlmviz.layers import ALiBi, Learned, NoPositions, Relative, RoPE, Sinusoidal
from tlmviz.layers.positions import alibi_slopes

from ..tiny import network, sentence


def test_alibi_slopes_are_the_papers():
    assert alibi_slopes(8).tolist() == [2.0**-i for i in range(1, 9)]
    assert alibi_slopes(4).tolist() == [2.0**-i for i in (2, 4, 6, 8)]
    assert alibi_slopes(6).tolist() == [2.0**-i for i in (2, 4, 6, 8, 1, 3)]
    assert alibi_slopes(1).tolist() == [2.0**-8]
    assert alibi_slopes(12).tolist() == pytest.approx(
        [2.0**-i for i in range(1, 9)] + [2.0**-i for i in (0.5, 1.5, 2.5, 3.5)]
    )


@pytest.mark.parametrize("heads", range(1, 20))
def test_alibi_slopes_are_one_a_head_and_differ(heads):
    slopes = alibi_slopes(heads).tolist()
    assert len(set(slopes)) == len(slopes) == heads and min(slopes) > 0 and max(slopes) < 1


def test_alibi_lives_in_the_scores_only():
    x, cos_sin = torch.randn(1, 4, 3, 8), ALiBi(4).cos_sin(torch.arange(3))
    assert cos_sin is None and ALiBi(4).rotate(x, cos_sin) is x and ALiBi(4).embed(x, torch.arange(3)) is x
    assert "slopes" not in ALiBi(4).state_dict()


def test_sinusoids_are_the_papers():
    where = torch.tensor([0, 1, 17, 300])
    wave = Sinusoidal(6).embed(torch.zeros(1, 4, 6), where)[0]
    for row, position in zip(wave, where.tolist()):
        for j in range(3):
            angle = position / 10000 ** (2 * j / 6)
            assert row[2 * j].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert row[2 * j + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_tokens_are_scaled_up_before_sinusoids_are_added():
    x, where = torch.randn(2, 4, 9), torch.arange(4)
    layer = Sinusoidal(9)
    torch.testing.assert_close(layer.embed(x, where) - layer.embed(torch.zeros_like(x), where), 3 * x)


def test_sinusoids_fit_an_odd_width():
    assert Sinusoidal(5).embed(torch.zeros(1, 2, 5), torch.arange(2)).shape == (1, 2, 5)


def test_rope_turns_queries_by_their_position():
    rope = RoPE(4, base=100.0)
    cos_sin = rope.cos_sin(torch.tensor([3]))
    turned = rope.rotate(torch.tensor([[[[1.0, 0.0, 1.0, 0.0]]]]), cos_sin).flatten().tolist()
    # frequencies 1 and 1/10
    assert turned == pytest.approx([math.cos(3), math.sin(3), math.cos(0.3), math.sin(0.3)], abs=1e-6)


def test_learned_positions_end():
    learned = Learned(4, 8)
    x = torch.zeros(1, 2, 8)
    assert torch.equal(learned.embed(x, torch.tensor([2, 3]))[0], learned.embedding.weight[2:])
    with pytest.raises(BadText) as error:
        learned.embed(x, torch.tensor([3, 4]))
    assert "Position 4" in sentence(error) and "0 to 3" in sentence(error)


def test_a_cache_cannot_pass_the_learned_positions():
    model = network(positions="learned", context=6)
    cache = model.new_cache()
    model(torch.zeros(1, 6, dtype=torch.long), cache)
    with pytest.raises(BadText):
        model(torch.zeros(1, 1, dtype=torch.long), cache)


def test_relative_vectors_are_one_table_a_layer():
    torch.manual_seed(0)
    relative = Relative(3, 32, 16)
    assert {name: list(p.shape) for name, p in relative.named_parameters()} == {"vectors": [3, 32, 16]}
    relative.initialise()
    assert relative.vectors.std().item() == pytest.approx(0.02, rel=0.1) and abs(relative.vectors.mean().item()) < 2e-3
    assert all(torch.equal(relative.relative(layer), relative.vectors[layer]) for layer in range(3))
    relative.relative(1).sum().backward()
    assert relative.vectors.grad.sum((1, 2)).tolist() == [0, 32 * 16, 0]


def test_relative_positions_live_in_the_scores_only():
    relative, x = Relative(1, 4, 8), torch.randn(1, 2, 8)
    assert relative.embed(x, torch.arange(2)) is x and relative.rotate(x, relative.cos_sin(torch.arange(2))) is x
    assert relative.slopes is None


def test_no_positions_do_nothing():
    none, x = NoPositions(), torch.randn(1, 2, 8)
    assert none.embed(x, torch.arange(2)) is x and none.rotate(x, none.cos_sin(torch.arange(2))) is x
    assert none.slopes is None and none.relative(0) is None


@pytest.mark.parametrize("positions", POSITIONS)
def test_order_matters_only_with_positions(positions):
    """The last of the logits, when two earlier tokens change places."""
    model = network(positions=positions, n_layers=1)
    one, other = model(torch.tensor([[5, 9, 30, 7], [9, 5, 30, 7]]))[:, -1]
    assert ((one - other).abs().max() > 1e-3) == (positions != "none")
