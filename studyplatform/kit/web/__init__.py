"""Requests and answers: middleware, templates, the API, rate limits, failures."""
