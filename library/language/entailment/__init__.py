"""Does one sentence follow from another? A small cross-encoder on this machine, without network or key."""
