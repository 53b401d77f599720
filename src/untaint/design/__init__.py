"""Samples in a function space: kernel matrix, features in memory, blocks, or partitions.

A design holds the rows, their kernel and their weights, and offers what the solvers need: products
with features, linear systems, and passes over all samples.
"""
