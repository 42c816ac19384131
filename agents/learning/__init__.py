"""What a goal that has ended taught."""
