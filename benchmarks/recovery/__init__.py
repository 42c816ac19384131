"""How well recovery learns: worlds from a stated prior, ours beside what it is held against (`make bench-recovery`)."""
