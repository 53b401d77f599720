"""The kind and the values of the columns of a table."""
