"""Watching, reading and learning time, without a database."""
