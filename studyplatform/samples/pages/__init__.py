"""Pages of the samples, one module each, so that a page can show its module."""
