"""Fits to drawn rows, over and over: how good where all is well, how bad where much is not."""
