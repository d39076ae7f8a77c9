"""Train with private gradients: one per example, clipped, with noise.

Differentially private training needs the gradient of every example by itself, to
bound what one of them can change (Abadi and others, 2016). `vmap(grad(loss))` computes
them at once, without a loop, and `chunk_size` bounds the memory; the random numbers
come from keys, so a run can be repeated exactly.

    python examples/per_example_gradients.py
"""

import argparse

import numpy as np

import fad
import fad.numpy as fnp
from fad import random
from fad.tree_util import tree_leaves, tree_map

CLIP, NOISE, RATE = 1.0, 0.5, 0.5


def loss(params: dict, point: np.ndarray, label: float) -> np.ndarray:
    """Return the logistic loss of one example."""
    hidden = fnp.tanh(params["w"] @ point + params["b"])
    return fnp.logaddexp(0.0, -label * (params["v"] @ hidden))


each_gradient = fad.jit(fad.vmap(fad.grad(loss), in_axes=(None, 0, 0), chunk_size=64))


def private_gradient(params: dict, points, labels, key) -> dict:
    """Return the mean of clipped gradients, with noise of the size of one."""
    gradients = each_gradient(params, points, labels)
    count = len(labels)
    squares = [
        np.sum(g.reshape(count, -1) ** 2, axis=1) for g in tree_leaves(gradients)
    ]
    scale = np.minimum(1.0, CLIP / np.sqrt(sum(squares)))
    keys = iter(random.split(key, len(squares)))

    def mean(g):
        noise = NOISE * CLIP * random.normal(next(keys), g.shape[1:])
        return (np.tensordot(scale, g, axes=1) + noise) / count

    return tree_map(mean, gradients)


def two_moons(key, count: int):
    """Return points on two half circles, and labels of 1 and -1."""
    by_angle, by_noise = random.split(key)
    angles = random.uniform(by_angle, (count,), maxval=np.pi)
    labels = np.where(np.arange(count) % 2, 1.0, -1.0)
    x = np.where(labels > 0, np.cos(angles), 1 - np.cos(angles))
    y = np.where(labels > 0, np.sin(angles), 0.5 - np.sin(angles))
    points = np.stack([x - 0.5, y - 0.25], axis=1)
    return points + 0.1 * random.normal(by_noise, points.shape), labels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    steps = 60 if parser.parse_args().quick else 400
    data_key, init_key, key = random.split(random.key(0), 3)
    points, labels = two_moons(data_key, 512)
    w_key, v_key = random.split(init_key)
    params = {
        "w": random.normal(w_key, (16, 2)),
        "b": np.zeros(16),
        "v": random.normal(v_key, (16,)) / 4,
    }
    mean_loss = fad.jit(
        lambda params: fnp.mean(fad.vmap(loss, (None, 0, 0))(params, points, labels))
    )
    for step in range(steps):
        gradient = private_gradient(params, points, labels, random.fold_in(key, step))
        params = tree_map(lambda p, g: p - RATE * g, params, gradient)
        if step % (steps // 4) == 0:
            print(f"step {step:3}: loss {mean_loss(params):.4f}")
    hidden = np.tanh(points @ params["w"].T + params["b"])
    accuracy = np.mean(np.sign(hidden @ params["v"]) == labels)
    print(f"accuracy with private gradients: {100 * accuracy:.1f} %")


if __name__ == "__main__":
    main()
