"""The settings, a module a section."""
