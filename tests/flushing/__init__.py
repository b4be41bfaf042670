"""A Django app of the tests, whose ``flush`` stands in for Django's: pytest-django calls it after tests that commit."""
