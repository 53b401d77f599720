"""The command line, ``untaint COMMAND ...``: a file for each command, and what they share."""
