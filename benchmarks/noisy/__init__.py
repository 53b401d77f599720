"""Studies of noisy features: rows, competitors and streams of `untaint.online`."""
