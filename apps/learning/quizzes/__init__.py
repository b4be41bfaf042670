"""Quizzes without a database: the rules of attempts, marking, results and their presentation."""
