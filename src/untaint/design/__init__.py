"""Designs: samples in a function space, by kernel matrix, columns, blocked features or partitions.

A design holds samples, kernel and weights, and offers what the solvers need: products with
features, linear systems, and passes over all samples. :mod:`.base` describes the hierarchy.
"""
