"""Predictions as formulas that several backends evaluate.

A formula is written once, over a few operations (:class:`Value`). A backend implements these: the
arrays of any library that follows the array API standard (:class:`ArrayArithmetic`), or a graph
(:mod:`untaint.onnx`). There is no second copy of a formula.
"""

from .arrays import ArrayArithmetic
from .class_probabilities import likeliest_class, probabilities
from .function import FourierExpansion, Function, KernelExpansion, LinearFunction, function_of
from .scaling import bounded, scaled, unscaled
from .trees import TreeEnsemble, tree_ensemble_of
from .value import Arithmetic, Value
