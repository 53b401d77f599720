"""Outlier diagnostics of training samples: scores, false-discovery rates, and the audit table."""
