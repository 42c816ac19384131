"""Agents of other systems that mindX may ask (A2A): registered from their card, each by a tool of its own."""
