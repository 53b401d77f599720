"""Explicit feature maps of kernels: Nystroem, random Fourier features, and the identity.

The subpackage knows kernels and X, never targets.
"""
