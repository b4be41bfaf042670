"""Values as text: durations, sizes, money, Markdown."""
