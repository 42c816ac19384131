"""The human decision: queue, decisions, approvals and the gate the executor asks."""
