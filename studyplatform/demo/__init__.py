"""Demo content: courses, people and their activity."""
