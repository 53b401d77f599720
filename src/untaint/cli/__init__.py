"""The command line, ``untaint COMMAND ...``."""
