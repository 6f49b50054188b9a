"""The paged cache: pages are counted right, shared ones are copied before a write, and attention sees what it
should."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz.caches import ContiguousCache, PagedCache, PagePool, Sequence
from tlmviz.errors import BadShape, OutOfPages

IDS = [7, 3, 9, 1, 4, 4, 8, 2, 6, 5, 3, 7, 11, 2]


def pool(page=4, pages=8):
    return PagePool(2, 1, 3, 2, page, pages)


def read(lm, ids, *sequences):
    """Logits behind ids [B, T] that continue the sequences."""
    return lm(torch.tensor(ids), PagedCache(*sequences))


# --- pages ------------------------------------------------------------------------------------------


def test_a_page_is_free_again_after_its_last_holder():
    memory = pool(pages=2)
    number = memory.take()
    memory.share(number)
    memory.release(number)
    assert memory.free == 1
    memory.release(number)
    assert memory.free == 2


def test_no_free_page_is_one_sentence():
    memory = pool(pages=1)
    memory.take()
    with pytest.raises(OutOfPages) as error:
        memory.take()
    assert "All 1 pages of 4 positions are held" in tiny.sentence(error)


@pytest.mark.parametrize("page, pages", [(0, 4), (4, 0), (-1, 4)])
def test_memory_of_no_size_is_one_sentence(page, pages):
    with pytest.raises(BadShape) as error:
        pool(page, pages)
    assert f"{pages} pages of {page} positions" in tiny.sentence(error)


def test_a_copy_has_the_contents_and_takes_the_place_of_one_holder():
    memory = pool()
    number = memory.share(memory.take())
    memory.k[:, number], memory.v[:, number] = 1.5, -2.5
    new = memory.copy(number)
    assert (memory.k[:, new] == 1.5).all() and (memory.v[:, new] == -2.5).all()
    assert memory.holders[number] == memory.holders[new] == 1 and memory.copies == 1


def test_bytes_of_the_pool_and_of_a_page():
    memory = pool(page=4, pages=8)
    assert memory.page_nbytes == 2 * 1 * 4 * (3 + 2) * 4 and memory.nbytes == 8 * memory.page_nbytes


@pytest.mark.parametrize("changes", [{}, {"n_kv_heads": 2}, {"latent_dim": 16, "rope_dim": 4}], ids=str)
def test_a_pool_made_for_a_model_fits_it(tokenizer, changes):
    lm = tiny.language_model(tokenizer, **changes)
    memory = PagePool.of(lm.config, 4, 8)
    read(lm, [IDS], Sequence(memory))
    width = memory.k.shape[2] * (memory.k.shape[4] + memory.v.shape[4])
    assert width == {"{}": 64, "{'n_kv_heads': 2}": 32}.get(str(changes), 16 + 4 + 16)


# --- block tables -----------------------------------------------------------------------------------


def test_reserving_takes_pages_only_at_their_edges():
    sequence = Sequence(pool(page=4))
    for length in range(1, 13):
        assert sequence.missing(1) == int(length % 4 == 1)
        sequence.reserve(1)
        sequence.length += 1
        assert len(sequence.table) == -(-length // 4)


def test_too_much_is_refused_and_changes_nothing():
    memory = pool(page=4, pages=3)
    sequence = Sequence(memory)
    sequence.reserve(6)
    sequence.length = 6
    other = sequence.fork()
    with pytest.raises(OutOfPages) as error:
        other.reserve(5)  # a copy of the shared page and a new one
    assert "need 2 free pages, and 1 of 3 are free" in tiny.sentence(error)
    assert other.table == sequence.table and memory.free == 1 and memory.copies == 0


def test_a_prefix_holds_the_pages_it_needs_and_no_more():
    memory = pool(page=4)
    sequence = Sequence(memory)
    sequence.reserve(11)
    sequence.length = 11
    for length, pages in ((0, 0), (1, 1), (4, 1), (5, 2), (8, 2), (11, 3), (99, 3)):
        part = sequence.prefix(length)
        assert part.table == sequence.table[:pages] and part.length == min(length, 11)
        part.release()
    assert memory.free == 5 and memory.holders[:3] == [1, 1, 1]


def test_pages_reserved_ahead_do_not_hide_the_shared_one():
    """The page that is written to next is copied, wherever in the table it stands."""
    memory = pool(page=4)
    sequence = Sequence(memory)
    sequence.reserve(10)
    sequence.length = 2
    other, first = sequence.fork(), sequence.table[0]
    assert other.table == [first] and sequence.missing(1) == other.missing(1) == 1
    sequence.reserve(1)
    assert sequence.table[0] != first and memory.holders[first] == 1 and other.missing(1) == 0


def test_full_shared_pages_are_never_copied():
    memory = pool(page=4)
    sequence = Sequence(memory)
    sequence.reserve(8)
    sequence.length = 8
    other = sequence.fork()
    assert other.missing(1) == 1
    other.reserve(1)
    assert other.table[:2] == sequence.table and memory.copies == 0


ACTIONS = st.lists(
    st.tuples(st.sampled_from(["write", "fork", "prefix", "ahead", "release"]), st.integers(0, 99)), max_size=40
)


@given(ACTIONS, st.integers(1, 5), st.integers(1, 12))
def test_every_sequence_reads_what_it_wrote_whatever_the_others_do(actions, page, pages):
    """Against lists in plain Python: one number per position, written through block tables."""
    memory = PagePool(1, 1, 1, 1, page, pages)
    held, stamp = [(Sequence(memory), [])], 0
    for action, choice in actions:
        sequence, wrote = held[choice % len(held)]
        if action == "write":
            count = 1 + choice % 4
            try:
                sequence.reserve(count)
            except OutOfPages:
                continue
            for _ in range(count):
                stamp += 1
                memory.k[0, sequence.table[sequence.length // page], 0, sequence.length % page, 0] = stamp
                wrote.append(stamp)
                sequence.length += 1
        elif action == "fork":
            held.append((sequence.fork(), list(wrote)))
        elif action == "prefix":
            held.append((sequence.prefix(choice % 7), wrote[: choice % 7]))
        elif action == "ahead" and sequence.missing(6) <= memory.free:
            sequence.reserve(6)
        elif action == "release":
            sequence.release()
            wrote.clear()
        for sequence, wrote in held:
            stored = [memory.k[0, sequence.table[n // page], 0, n % page, 0].item() for n in range(sequence.length)]
            assert stored == wrote
        counted = [sum(sequence.table.count(number) for sequence, _ in held) for number in range(pages)]
        assert memory.holders == counted and memory.free == counted.count(0)


# --- attention --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [1, 3, 16])
def test_paged_equals_contiguous_bit_for_bit(variant, page):
    memory, whole = PagePool.of(variant.config, page, 16), variant(torch.tensor([IDS]))
    memory.k.fill_(torch.nan), memory.v.fill_(torch.nan)  # what was never written must not be read
    sequence, cache = Sequence(memory), ContiguousCache(variant.config.n_layers)
    for piece in (IDS[:6], IDS[6:9], *([i] for i in IDS[9:])):
        paged, plain = read(variant, [piece], sequence), variant(torch.tensor([piece]), cache)
        assert torch.equal(paged, plain)
        start = sequence.length - len(piece)
        assert (paged - whole[:, start : sequence.length]).abs().max() < 1e-4


@pytest.mark.parametrize("page", [1, 3, 16])
def test_rows_of_different_lengths_are_each_as_alone(variant, page):
    memory, prompts = PagePool.of(variant.config, page, 64), (IDS[:5], IDS[2:13], IDS[4:6])
    together, alone = ([Sequence(memory) for _ in prompts] for _ in range(2))
    for row in (together, alone):
        for ids, sequence in zip(prompts, row):
            read(variant, [ids], sequence)
    for step in range(3):
        batch = read(variant, [[step]] * 3, *together)
        for logits, sequence in zip(batch, alone):
            assert (logits - read(variant, [[step]], sequence)[0]).abs().max() < 1e-4


def test_several_rows_may_read_several_tokens(lm):
    memory = PagePool.of(lm.config, 4, 16)
    rows = [Sequence(memory), Sequence(memory)]
    read(lm, [IDS[:5]], rows[0])
    both = read(lm, [IDS[5:8], IDS[:3]], *rows)
    assert (both[0] - lm(torch.tensor([IDS[:8]]))[0, 5:]).abs().max() < 1e-4
    assert (both[1] - lm(torch.tensor([IDS[:3]]))[0]).abs().max() < 1e-4


def test_forks_write_apart(lm):
    """Two continuations of one prompt equal two fresh texts; the page both begin on was copied once."""
    memory = PagePool.of(lm.config, 4, 16)
    one = Sequence(memory)
    read(lm, [IDS[:6]], one)
    two = one.fork()
    logits = read(lm, [[1], [2]], one, two)
    for row, token in zip(logits, (1, 2)):
        assert (row - lm(torch.tensor([[*IDS[:6], token]]))[0, -1]).abs().max() < 1e-4
    assert memory.copies == 1 and one.table[0] == two.table[0] and one.table[1] != two.table[1]


def test_bytes_count_a_shared_page_once(lm):
    memory = PagePool.of(lm.config, 4, 16)
    one = Sequence(memory)
    read(lm, [IDS[:6]], one)
    assert PagedCache(one, one.fork()).nbytes == 2 * memory.page_nbytes


def test_a_cache_without_sequences_is_one_sentence():
    with pytest.raises(BadShape) as error:
        PagedCache()
    tiny.sentence(error)
