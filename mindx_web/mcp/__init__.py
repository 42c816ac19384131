"""mindX as a server of the Model Context Protocol: a few tools, each of them an operation of the REST API that is asked
with the caller's own token, so that rights, digests and four eyes are those of the API and nothing else.
"""
