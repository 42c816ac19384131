"""The jail's walls: finding bubblewrap, the seccomp filter, the launcher, the canary.

`inside/` runs within the jail; it uses only the standard library, because the jail's own Python runs it.
"""
