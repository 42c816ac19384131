"""Language services that need no key: sentence embeddings, computed here from weights that ship as a package."""
