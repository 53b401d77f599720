"""Features of the columns of a table, and the column that is to be predicted."""
