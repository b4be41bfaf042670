"""Set the project up and run it. Standard library only, for any Python 3.11 or newer.

A step runs only if its inputs have changed. What a start that was broken off has left is recognized and repaired by
the next one.
"""
