"""What SimpleCoder's commands take, how they are said, and what they change: on files, and with programs."""
