"""Beneath the ORM: prepared queries, and the PostgreSQL engine that uses them."""
