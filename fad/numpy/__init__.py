"""The NumPy namespace, traced: `import fad.numpy as fnp`."""

from . import operators as _operators
