"""The jail's walls: finding bubblewrap, the seccomp filter, the launcher, the canary.

`inside/` is what runs within; it is plain standard library because the jail's own Python runs it.
"""
