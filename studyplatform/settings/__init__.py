"""Settings: base holds what is true everywhere, the other modules only differences.

embedded   the default of `make run`: no environment and no other server needed
dev        `make dev`: reload on change, debug pages
test       the test suites
production refuses to start without its secrets; PostgreSQL, Redis and S3 by environment
"""
