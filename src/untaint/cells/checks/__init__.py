"""What a careful person would see at once: one rule in each module."""
