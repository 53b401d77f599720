"""Rows: data sets by name, drawn rows of known truth, and how all of them are split and corrupted.

``sets``       data sets by name             ``protocol``   split, scaling and corruption
``drawn``      clean rows that look wrong    ``noisy``      features with noise of known size
``designs``    rows of the simulation        ``large``      up to ten million rows, for timings
``streams``    rounds whose truth moves      ``surfaces``   functions seen in two noisy copies
``planted``    mistakes in tables
"""
