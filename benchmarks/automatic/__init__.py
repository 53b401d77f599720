"""Cases in which settings, contamination and flags are estimated from the rows alone."""
