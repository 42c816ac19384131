"""One turn of a goal's cycle: the only place that calls the others in turn."""
