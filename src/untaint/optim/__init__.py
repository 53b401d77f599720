"""Solvers of weighted problems: ridge systems, Newton's method, concentration steps.

A solver receives a design or a matrix, targets and weights; it knows no kernel and no scikit-learn.
"""
