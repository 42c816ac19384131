"""A2A 1.0 (agent to agent), JSON-RPC binding: the card, and messages that become goals of the token's person.

Read and written here: the official package would bring a server, a task store and a dozen packages for six methods.
The tests speak to it with the official client (docs/decisions/0030).
"""
