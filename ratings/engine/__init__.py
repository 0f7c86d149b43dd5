"""The rating engine: values in, values out.

Pure Python on the standard library alone: no Django, no clock, and no randomness that is
not passed in. Ratings, changes and season scores are whole numbers of *tenths* of a rating
point (15000 is 1500.0), so that sums and comparisons are exact.
"""
