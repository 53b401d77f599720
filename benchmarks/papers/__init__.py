"""The papers' tables: every method tuned with the same budget, beside the printed figures."""
