"""Graphs are freed by reference counting, and threads do not disturb each other."""

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

from fad import torch
from fad.torch.compiled import OFTEN


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def train_step(w):
    x = torch.ones(3, 4)
    h = (x * w).sum(1)
    h[0] = h[1] * 2
    h.mul_(w[:3])
    loss = (h.exp() ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 1e-6 * w.grad
    w.grad = None


@pytest.mark.usefixtures("no_collector")
def test_training_holds_memory_without_the_collector():
    w = torch.full((4,), 0.1, requires_grad=True)
    for _ in range(2 * OFTEN):  # until all that is worth it has been compiled
        train_step(w)
    before = len(gc.get_objects())
    for _ in range(50):
        train_step(w)
    assert len(gc.get_objects()) - before < 50


def test_threads_build_and_differentiate_graphs_at_once():
    def job(k):
        found = set()
        for _ in range(50):
            x = torch.tensor([1.0, float(k)], requires_grad=True)
            with torch.no_grad():
                x * 2
            (x * x * x).sum().backward()
            found.add(tuple(x.grad.tolist()))
        return found

    with ThreadPoolExecutor(4) as pool:
        for k, found in enumerate(pool.map(job, range(4))):
            assert found == {(3.0, 3.0 * k * k)}


def test_grad_mode_belongs_to_the_thread():
    with torch.no_grad(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(torch.is_grad_enabled).result()
        assert not torch.is_grad_enabled()
