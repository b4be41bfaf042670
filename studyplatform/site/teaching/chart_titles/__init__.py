"""What a chart's title states, from its numbers.

Pure functions: numbers in, a sentence out. A title says no more than its numbers do. Where there are too few of them,
or where they are flat, it says that, or only how many there are; the thresholds are constants here and in
``kit/charts/trends.py``. Each sentence is one text, so that it can be translated as a whole.
"""
