"""`make bench`: pages and the pipeline measured as ratios to a reference in the same run."""
