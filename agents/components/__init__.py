"""Rules, tools and agents as versions of the library: which there are, which a plan uses, what becomes of changes."""
