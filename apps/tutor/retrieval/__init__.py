"""Find the passages of courses that answer a question."""
