"""Assertions that every member of a family must pass, written once."""
