"""Hostile files by the million: makers of inputs, what must hold for each, and who watches."""
