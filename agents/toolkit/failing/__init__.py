"""Running a script to see why it fails. Lives in the jail."""
