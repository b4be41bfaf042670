"""The learner's server-rendered pages."""
