"""Time, memory and error from a thousand to ten million rows, each case in a process of its own."""
