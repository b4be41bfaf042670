"""Reads that cross tables or feed a screen."""
