"""Pages for instructors that compose several apps."""
