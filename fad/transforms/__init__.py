"""The transforms: short loops over equations. They know kinds, never one operation."""
