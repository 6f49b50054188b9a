"""Written-out gradients against automatic differentiation and against the notes' formulas, in float64."""

import pytest
import torch

from tlmviz.analysis.words import gradients


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def automatic(loss, *leaves):
    return torch.autograd.grad(loss, leaves)


def close(one, other):
    torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


class TestSoftmax:
    def test_one_pair_is_the_notes_formula(self):
        """004 Eq. 12: d log Pr(o | c) / d v_c = u_o - E[u]; the loss is -log Pr."""
        v, u, o = random(1, 4), random(6, 4, seed=1), 2
        step = gradients.softmax_gradients(v, u, torch.nn.functional.one_hot(torch.tensor([o]), 6).double())
        powers = torch.exp(u @ v[0])
        p = powers / powers.sum()
        close(-step.center[0], u[o] - sum(p[i] * u[i] for i in range(6)))
        close(step.loss[0], -torch.log(p[o]))
        close(gradients.softmax(v, u)[0], p)

    def test_batches_with_counts_are_autograds(self):
        v, u = random(3, 4).requires_grad_(), random(6, 4, seed=1).requires_grad_()
        seen = torch.tensor([[0, 2, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 3, 0, 0, 1]]).double()
        loss = -(seen * (v @ u.T).log_softmax(-1)).sum()
        step = gradients.softmax_gradients(v.detach(), u.detach(), seen)
        close(step.loss.sum(), loss.detach())
        for own, other in zip(step[1:], automatic(loss, v, u)):
            close(own, other)

    def test_large_scores_overflow_nothing(self):
        step = gradients.softmax_gradients(
            torch.full((1, 2), 30.0), torch.tensor([[30.0, 30], [0, 0]]), torch.tensor([[0.0, 1]])
        )
        assert step.loss.item() == pytest.approx(1800) and torch.isfinite(step.center).all()


class TestLogistic:
    def test_negative_sampling_is_the_notes_formula(self):
        """004 Eq. 16 with its draws given: log sigma(u_w.v) + sum log sigma(-u_n.v)."""
        v, u = random(1, 4).requires_grad_(), random(1, 6, 4, seed=1).requires_grad_()
        signs = torch.tensor([[1.0] + [-1.0] * 5]).double()
        scores = u[0] @ v[0]
        loss = -torch.log(1 / (1 + torch.exp(-scores[0]))) - torch.log(1 - 1 / (1 + torch.exp(-scores[1:]))).sum()
        step = gradients.logistic_gradients(v.detach(), u.detach(), signs)
        close(step.loss[0], loss.detach())
        for own, other in zip(step[1:], automatic(loss, v, u)):
            close(own, other)

    def test_a_sign_of_zero_is_no_decision(self):
        v, u = random(2, 3), random(2, 4, 3, seed=1)
        signs = torch.tensor([[1, -1, 0, 0], [-1, 0, 1, 1]]).double()
        step = gradients.logistic_gradients(v, u, signs)
        short = gradients.logistic_gradients(v[:1], u[:1, :2], signs[:1, :2])
        close(step.loss[0], short.loss[0])
        close(step.center[0], short.center[0])
        assert (step.context[0, 2:] == 0).all() and (step.context[1, 1] == 0).all()


def test_a_mean_and_what_reaches_its_members():
    rows = random(5, 3).requires_grad_()
    members, there = (
        torch.tensor([[0, 1, 1], [4, 0, 0], [2, 2, 2]]),
        torch.tensor([[1, 1, 1], [1, 0, 0], [0, 0, 0]]).double(),
    )
    mean = gradients.mean_of(rows, members, there)
    close(mean.detach()[0], (rows[0] + 2 * rows[1]).detach() / 3)
    close(mean.detach()[1], rows[4].detach())
    assert (mean[2] == 0).all()
    [grad] = automatic((mean * random(3, 3, seed=2)).sum(), rows)
    own = torch.zeros(5, 3, dtype=torch.float64)
    for b in range(3):
        for m in range(3):
            own[members[b, m]] += gradients.share(there)[b, m] * random(3, 3, seed=2)[b]
    close(own, grad)


class TestGlove:
    def test_the_gradient_is_autograds(self):
        parts = [random(3, 4), random(3, 4, seed=1), random(3, seed=2), random(3, seed=3)]
        w, w_tilde, b, b_tilde = (part.requires_grad_() for part in parts)
        x = torch.tensor([0.5, 7.0, 30.0]).double()
        f = torch.tensor([(0.5 / 10) ** 0.75, (7.0 / 10) ** 0.75, 1.0], dtype=torch.float64)
        losses = f / 2 * ((w * w_tilde).sum(-1) + b + b_tilde - torch.log(x)) ** 2
        step = gradients.glove_gradients(*(part.detach() for part in parts), x, x_max=10.0)
        close(step.loss, losses.detach())
        for own, other in zip(step[1:], automatic(losses.sum(), w, w_tilde, b, b_tilde)):
            close(own, other)

    def test_the_weight(self):
        x = torch.tensor([0.0, 1.0, 16.0, 100.0, 1e6]).double()
        assert gradients.glove_weight(x).tolist() == pytest.approx([0, 100**-0.75, 0.16**0.75, 1, 1])
