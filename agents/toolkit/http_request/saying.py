"""How people say requests in passing."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, Sense, sense

_TIME = (
    "timeout_s > within, with a timeout of, with timeout, timeout, in at most, for at most, at most, wait at most, "
    "waiting at most, no "
    "longer than, with a time limit of < seconds, second, secs, s"
)
_HEADERS = "headers~text > with the headers, with the header, with headers, with header, -h, sending the header"
_HOSTS = "hosts~hosts > with access to, allowing access to"
_ANY = {
    "whatever the status": ("any_status", True),
    "with any status": ("any_status", True),
    "even if it fails": ("any_status", True),
    "even on errors": ("any_status", True),
    "even when it fails": ("any_status", True),
}
_ALSO = {"address": "url", "uri": "url", "link": "url", "timeout": "timeout_s"}
_ABOUT = "address url web page website site link http request endpoint api json answer response content data body"


def _sending(verbs: str) -> Said:
    return Said(
        (
            sense(
                verbs,
                "*content~text > the data, the json, the content, the body, with the body, with body, with the "
                "content, with content, with the data, with data, "
                "-d, --data, the text, with the json, with json, the following, containing, data",
                "url > to the address, to, at the address, at, on, into, to url, to the url, url",
                "content_type~word > as, with the type, with the content type, of type, as type",
                _HEADERS,
                _TIME,
                _HOSTS,
                about=_ABOUT,
                flags=_ANY,
            ),
        ),
        {},
        {**_ALSO, "body": "content", "data": "content"},
    )


_GET: tuple[Sense, ...] = (
    sense(
        "get, request, fetch, call, open, load, retrieve, query, ask, read, show, visit, curl, hit, ping, check, "
        "pull, grab, what do … answer, "
        "what do … return, what do … say, send request to, send a request to, send a get request to, make a "
        "request to, make a get request to, look at, see, access, send",
        "*url > from, at, of, the address, address, the url, url, the page, to, with url",
        "most_bytes > keeping at most, at most, keep at most < bytes, byte",
        "ca_file > trusting the file, trusting, with the certificate",
        _HEADERS,
        _TIME,
        _HOSTS,
        about=_ABOUT,
        flags=_ANY,
    ),
)

SAID: Mapping[str, Said] = {
    "get": Said(_GET, {"ca_file": Place("file")}, _ALSO),
    "head": Said(
        (
            sense(
                "show, get, request, fetch, read, check, see, display, give, what are, retrieve, print, look at",
                "*url > of, from, at, for, the address",
                _TIME,
                about="headers header head address url site page",
                key="headers header",
            ),
            sense("head, curl -i", "*url > of", about=_ABOUT),
        ),
        {"ca_file": Place("file")},
        _ALSO,
    ),
    "download": Said(
        (
            sense(
                "download, save, fetch, get, grab, load down, wget, pull, store, retrieve, pull down, curl, put",
                "*url > from, at, the address, the file at, what is at, of",
                "file > to, into, as, in, and save it as, and save it to, and save it in, and save as, and store "
                "it as, and store it in, and put it in, to file, -o, under, and write it to, named, and call it, "
                "save it as, save it to, output",
                _TIME,
                _HEADERS,
                about="address url file page link web from",
            ),
        ),
        {"file": Place("new", makes="file", into=True), "ca_file": Place("file")},
        {**_ALSO, "path": "file", "to": "file", "output": "file", "destination": "file"},
    ),
    "post": _sending("post, send, submit, curl -x post -d, curl -x post, push, transmit, send … post"),
    "put": _sending("put, curl -x put -d, curl -x put, replace, send … put"),
    "patch": _sending("patch, send the change, change, update, curl -x patch -d, curl -x patch"),
    "delete": Said(
        (
            sense(
                "delete, remove, curl -x delete, erase, get rid of",
                "*url > what is at, at, at the address, the address, from",
                _TIME,
                about=_ABOUT + " item resource entry record",
                flags=_ANY,
            ),
        ),
        {},
        _ALSO,
    ),
}
