"""Below the ORM: prepared queries, and the PostgreSQL engine that supports them."""
