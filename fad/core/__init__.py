"""The core: avals, the IR, primitives and traces. It knows no operation by name."""
