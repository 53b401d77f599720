"""Studies of noisy features: rows, rivals and streams of `untaint.online`."""
