"""Pictures of results, drawn from rows alone; matplotlib is imported only to draw."""
