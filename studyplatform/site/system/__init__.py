"""Error pages, health checks, maintenance, and what search engines read."""
