"""What pages show: rows are read here, agents.presentation finds the words, views and the socket render templates."""
