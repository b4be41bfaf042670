"""Who may do what with money."""
