"""Looking at the code of a workspace, mending and describing it, in the jail and without ever running it.

`kit` brings the analysers to where jails see them; `inside` is what runs there.
"""
