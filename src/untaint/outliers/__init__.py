"""What a fit says of each training row: outlier scores, false-discovery rates, the audit table."""
