"""Backends run jaxprs on arrays. They know kinds and never one operation by name."""
