"""Predictions as formulas that anyone can evaluate.

A formula is written once, over a handful of operations (:class:`Value`). Whoever knows how to do
these can predict: the arrays of any library that follows the array API standard
(:class:`ArrayArithmetic`), and a graph that is only written down (:mod:`untaint.onnx`). The two
cannot drift apart, for there is no second copy of a formula.
"""

from __future__ import annotations

from .answers import likeliest_class, probabilities
from .arrays import ArrayArithmetic
from .function import Expansion, FourierParts, Function, Slopes, function_of
from .scaling import bounded, scaled, unscaled
from .value import Arithmetic, Value

__all__ = [
    "Arithmetic",
    "ArrayArithmetic",
    "Expansion",
    "FourierParts",
    "Function",
    "Slopes",
    "Value",
    "bounded",
    "function_of",
    "likeliest_class",
    "probabilities",
    "scaled",
    "unscaled",
]
