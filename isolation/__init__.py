"""Proving that leagues are apart: a walk over every address as every kind of visitor.

Two leagues are made, and each text of the second one holds a canary. Whoever may not see the second
league asks for everything with its ids in every place; an answer with the canary in it is a leak, and
so is a row of the second league that has changed. ``manage.py check_isolation`` does it for operators
in a database of its own, the tests in theirs.
"""
