"""Measurements with a command line of their own: ``make bench ARGS="NAME --help"``."""
