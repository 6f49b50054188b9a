"""Digits after a convolution with fixed filters."""

import numpy as np
import torch
from scipy.signal import correlate2d
from torch import nn

from tlmviz.analysis.numbers import norm_pictures, norms


def test_responses_are_correlations():
    images, labels = norm_pictures.shown()
    assert images.shape == (64, 8, 8) and len(labels) == 64 and labels[:3] == [0, 1, 2]
    found = norm_pictures.responses(images[:3])
    for c, rows in enumerate(norm_pictures.FILTERS.values()):
        wanted = [correlate2d(image, np.array(rows), "same") for image in images[:3]]
        np.testing.assert_allclose(found[:, c], wanted)


def test_statistics_are_torchs():
    batches = norm_pictures.other_batches()
    assert batches.shape == (60, 8, 4, 8, 8)
    module = nn.BatchNorm2d(4).double()
    for batch in torch.tensor(batches):
        module(batch)
    mean, variance = norms.running(*norm_pictures.batch_moments(batches))
    np.testing.assert_allclose(mean, module.running_mean, atol=1e-9)
    np.testing.assert_allclose(variance, module.running_var, rtol=1e-9)
