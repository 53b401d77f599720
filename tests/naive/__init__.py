"""Slow references that the fast code is compared with."""
