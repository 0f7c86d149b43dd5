"""`make load`: visitors and organizers at a whole installation, which is started for it and goes afterwards.

PostgreSQL, Redis, gunicorn with a synchronous worker a core, a Celery worker and beat, on this machine.
First, for LOAD_SECONDS, readers look at pages as browsers do while organizers enter games through the
form; then LOAD_BURST games come to one season as fast as the organizers can. Not a ratio but times: they
say something of the machine too, and of what else it does.
"""
