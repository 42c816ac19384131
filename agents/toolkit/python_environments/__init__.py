"""Looking at virtual environments of a workspace. Lives in the jail."""
