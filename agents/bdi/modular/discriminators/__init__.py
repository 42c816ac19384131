"""The discriminators that ship, one file each. Copy one to write your own."""
