"""Steps of `html_to_markdown`: limits, the tree, what stands within a line, blocks."""
