"""Signing in with OpenID Connect, off unless an issuer is named: django-allauth walks the protocol, and what lets
somebody in (the ID token's proof, the person, their roles) is decided here.
"""
