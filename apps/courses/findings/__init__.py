"""What the studio tells authors about their course: rules, and what a text says to them. No database."""
