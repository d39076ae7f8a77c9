"""Aim a probe by gradients through 5,000 steps of its flight, in little memory.

The probe leaves a circular orbit around the sun; its start is to be changed so that it
arrives at a given place. The flight is a `fad.lax.scan` of leapfrog steps. Its gradient
needs the state of every step, in reverse order:

    scan(step, start)                    keeps all of them
    scan(step, start, checkpoint=s)      keeps s, and runs pieces again (Revolve)

Both give the same gradient. Newton's method on the two unknowns, by `fad.jacfwd`, finds
the start in a few flights.

    python examples/checkpointed_orbit.py
"""

import argparse
import tracemalloc

import numpy as np

import fad
import fad.numpy as fnp
from fad import lax

TARGET = np.array([-1.3, 0.2])
DURATION = 3.5


def fly(velocity: np.ndarray, steps: int, checkpoint: int | None = None) -> np.ndarray:
    """Return where the probe is in the end, started at (1, 0)."""
    h = DURATION / steps

    def leapfrog(state, _):
        place, velocity = state
        velocity = velocity + 0.5 * h * pull(place)
        place = place + h * velocity
        return (place, velocity + 0.5 * h * pull(place)), None

    start = np.array([1.0, 0.0]), velocity
    (place, _), _ = lax.scan(leapfrog, start, None, length=steps, checkpoint=checkpoint)
    return place


def pull(place: np.ndarray) -> np.ndarray:
    """Return the acceleration by a sun of mass 1 at the origin."""
    return -place / fnp.sum(place * place) ** 1.5


def miss(velocity: np.ndarray, steps: int, checkpoint: int | None = None):
    """Return half the square of the distance to the target."""
    gap = fly(velocity, steps, checkpoint) - TARGET
    return 0.5 * fnp.sum(gap * gap)


def peak_of(gradient, *args) -> tuple[np.ndarray, float]:
    """Return a result and the MB that were allocated on the way."""
    gradient(*args)  # compiled by now
    tracemalloc.start()
    found = gradient(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found, peak / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    steps = 1_000 if parser.parse_args().quick else 5_000
    velocity = np.array([0.0, 1.1])
    gradients = []
    for snapshots in (None, 100, 10):
        gradient = fad.jit(fad.grad(lambda v, s=snapshots: miss(v, steps, s)))
        found, peak = peak_of(gradient, velocity)
        kept = "all states" if snapshots is None else f"{snapshots} snapshots"
        print(f"gradient with {kept:14} {np.round(found, 10)}  peak {peak:6.3f} MB")
        gradients.append(found)
    np.testing.assert_allclose(gradients, gradients[:1] * 3, rtol=1e-9)

    arrival = fad.jit(lambda v: fly(v, steps))
    jacobian = fad.jit(fad.jacfwd(lambda v: fly(v, steps)))
    for flight in range(12):
        gap = arrival(velocity) - TARGET
        print(f"flight {flight}: misses by {np.linalg.norm(gap):.2e}")
        if np.linalg.norm(gap) < 1e-10:
            break
        velocity = velocity - np.linalg.solve(jacobian(velocity), gap)
    print(f"start with the velocity {np.round(velocity, 6)}")


if __name__ == "__main__":
    main()
