"""Benchmarks: ratios of two timings taken in turn in one run, because machines are noisy.

`make bench` runs them on SQLite and, where it is installed, on PostgreSQL, in fresh databases that go
afterwards. A measure takes sizes from `timing.QUICK`, compares with the least that does the same work,
and yields `timing.Measure` values; its goal is null where there is none.
"""
