"""Pages that compose several apps: home, help, status, errors."""
