"""Pages for admins that compose several apps."""
