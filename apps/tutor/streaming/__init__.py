"""Generate answers and send them while they are written."""
