"""What pages say about a goal, decided in pure code: terminal colours, hidden characters, the timeline, the way,
steps written by hand and forms made out of schemas."""
