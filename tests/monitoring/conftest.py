"""Small models that are trained on rows that repeat themselves, which two layers learn by an induction head."""

import pytest
import torch
import transformers

WORDS, LENGTH = 16, 32


@pytest.fixture(autouse=True)
def quiet():
    transformers.logging.set_verbosity_error()


def llama(seed=0, **config):
    torch.manual_seed(seed)
    shape = dict(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
        tie_word_embeddings=False,
    )
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**(shape | config)))


def batch(generator, rows=32):
    """Rows [B, T] that repeat a random run of distinct tokens, each with a period of its own."""
    made = []
    for _ in range(rows):
        period = int(torch.randint(4, LENGTH // 2 + 1, (1,), generator=generator))
        run = torch.randperm(WORDS, generator=generator)[:period]
        made.append(run.repeat(LENGTH // period + 1)[:LENGTH])
    return torch.stack(made)


def probe(rows=2):
    return batch(torch.Generator().manual_seed(99), rows)


def train(model, steps, rate=1e-2, rows=32, warm_up=20, call=None):
    """Losses of a training; `call` is what is called in the model's place, such as a wrapper."""
    data, call = torch.Generator().manual_seed(0), model if call is None else call
    optimizer = torch.optim.Adam(model.parameters(), rate, betas=(0.9, 0.99))
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / warm_up)
        ids = batch(data, rows)
        loss = call(input_ids=ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses
