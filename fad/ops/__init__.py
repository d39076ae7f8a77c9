"""The operations: each declared once, by kind, with all its rules."""
