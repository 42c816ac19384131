"""What language models are told by mindX itself: the texts as they ship, what any other text of them must hold, and
which version is in use. Who may write and activate one is decided in `agents.actors.prompt_versions`.
"""
