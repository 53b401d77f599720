"""Real tables of Python packages, as they are and with planted corruption."""
