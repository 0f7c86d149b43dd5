"""Leagues apart: all isolation in one place to review.

``requests`` decides which league a request is about and who is asking; ``admin`` confines each
organizer of the admin to the own leagues.
"""
