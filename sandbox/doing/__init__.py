"""What each command of a session does: `files`, `states` and `programs`, on the `ground` that they share."""
