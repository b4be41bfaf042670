"""Notes: how two copies of one merge, and their export."""
