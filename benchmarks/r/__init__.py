"""The bridge to R: rows go there and coefficients come back in binary files."""
