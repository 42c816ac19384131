"""`make bench-search`: how well and how fast the library's search finds, among real sentences of installed packages."""
