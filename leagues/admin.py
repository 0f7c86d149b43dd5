"""Leagues, players and their kind in the admin."""
