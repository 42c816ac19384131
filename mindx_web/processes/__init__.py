"""The processes beside a worker's own: the scheduler, the background pool, and what keeps them alive."""
