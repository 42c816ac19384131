"""Steps and commands that people do themselves."""
