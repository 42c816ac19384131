"""The ground: states and moves, the lease, the log, wake-ups, telemetry, and what people may see."""
