"""Seasons with rules and prizes, and the results, in the admin."""
