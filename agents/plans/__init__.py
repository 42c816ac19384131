"""Intent plans as rows: proposed, revised, tried in a copy, decided, ended."""
