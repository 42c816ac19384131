"""How quickly decisions take effect while hundreds of goals wait for workers and a slow model, and what mindX holds.

Everything is measured from outside: the API, pages with a session, /proc and reading SQL.
"""
