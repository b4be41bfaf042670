"""Watching, reading and learning time as pure arithmetic."""
