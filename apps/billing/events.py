"""Facts about money."""
