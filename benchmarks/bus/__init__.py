"""`make bench-bus`: requests that do nothing beside bare Celery calls, and who is found among 10,000 members."""
