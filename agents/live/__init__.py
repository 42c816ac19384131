"""What open pages of one web process share: one subscription to hints, one look at a goal's rows for all its viewers.

Rights and everything that looks different for different people stay with each viewer (`agents.live.consumers`).
"""
