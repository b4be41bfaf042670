"""The kit: mechanisms that every app may use. It imports no app."""
