"""Tables that do not fit into memory: read once, a block at a time, then mapped from disk.

A fit passes over its rows many times and asks for them in any order, which neither a CSV or Parquet
file nor a stream of blocks can serve. So the rows are spooled: parsed and checked once, written as
plain numbers into a temporary file, and from there mapped into memory, where the system keeps what
is in use. What is held at a time is one block, and the targets.
"""
