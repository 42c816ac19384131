"""What a plan would do to the files of its workspace, read from its steps alone: nothing is run."""
