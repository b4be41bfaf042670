"""Pages for everyone: home, catalog, course, help, status, offline."""
