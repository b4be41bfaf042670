"""Practice without a database: when cards return, and how many a learner sees in a day."""
