"""Starting points of trimmed fits: continuation in the ridge parameter from several starts."""
