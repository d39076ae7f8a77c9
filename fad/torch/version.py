"""torch.version: the version of PyTorch whose behaviour is reproduced.

Public names: `__version__`, `cuda`, `hip`, `git_version`.
"""

__all__ = ["__version__", "cuda", "git_version", "hip"]

__version__ = "2.13.0+fad"
cuda = hip = git_version = None
