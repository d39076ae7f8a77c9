"""Data sets, samplers and loaders."""

import pytest

from fad import torch
from fad.torch.utils import data


def test_a_shuffled_loader_visits_every_item_once_an_epoch():
    torch.manual_seed(0)
    loader = data.DataLoader(range(10), batch_size=3, shuffle=True)
    epochs = [[i for batch in loader for i in batch.tolist()] for _ in range(2)]
    assert [sorted(e) for e in epochs] == [list(range(10))] * 2
    assert epochs[0] != epochs[1]


def test_the_last_batch_is_dropped_on_request():
    loader = data.DataLoader(range(5), batch_size=2, drop_last=True)
    assert [b.tolist() for b in loader] == [[0, 1], [2, 3]]
    assert len(loader) == 2


def test_items_are_collated_by_structure():
    items = [{"x": torch.ones(2), "n": (1, "a")}, {"x": torch.zeros(2), "n": (2, "b")}]
    batch = data.default_collate(items)
    assert batch["x"].tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert batch["n"][0].tolist() == [1, 2]
    assert batch["n"][1] == ("a", "b")


def test_a_split_shares_no_item():
    parts = data.random_split(range(10), [0.5, 0.25, 0.25])
    assert [len(p) for p in parts] == [6, 2, 2]
    assert sorted(i for p in parts for i in p.indices) == list(range(10))


def test_lengths_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="Sum of input lengths"):
        data.random_split(range(4), [1, 2])


def test_data_sets_add_up():
    both = data.TensorDataset(torch.arange(2)) + data.TensorDataset(torch.arange(3))
    assert [int(both[i][0]) for i in range(len(both))] == [0, 1, 0, 1, 2]
    assert int(both[-1][0]) == 2


def test_an_iterable_data_set_is_batched():
    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    assert [b.tolist() for b in data.DataLoader(Stream(), 2)] == [[0, 1], [2, 3], [4]]
