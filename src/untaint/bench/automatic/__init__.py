"""Cases where nothing is told but the rows: settings, share and verdict come from them alone."""
