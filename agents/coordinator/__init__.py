"""The command line of the whole and its backlog of wishes about components."""
