"""The REST API below /api/v1/: one router a subject, composed in `routers`."""
