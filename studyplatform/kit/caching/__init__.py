"""Caches of this process and the versions that keep them correct."""
