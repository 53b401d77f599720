"""Screening of X alone: radii, representative samples, and feature outliers.

The subpackage sees features only, never targets.
"""
