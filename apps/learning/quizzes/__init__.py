"""Quizzes without the database: reading and marking answers."""
