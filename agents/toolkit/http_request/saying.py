"""How people say requests in passing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agents.toolkit.saying import Place, Said, Sense, sense

_TIME = (
    "timeout_s > within, with [a] timeout [of], timeout [of], for at most, at most, with a [time] limit of < seconds"
)
_HEADERS = (
    "headers~text > [and] with|using|sending|send|add|adding|set|setting|include|including [the|a|an|this] "
    "header|headers, header|headers, -h"
)
_CA = (
    "ca_file > [and] with|using|use|trusting|trust|against [the|our|my] ca|certificate|cert|certificates [file|bundle] "
    "[in|at|from], [and] with|using|use|trusting|trust [the|our|my] ca certificate|bundle|cert [file|bundle] "
    "[in|at|from], "
    "[and] trusting|trust [the|our|my] [file]"
)
_MOST_BYTES = (
    "most_bytes > [but|and] keep|keeping|read|take|fetch|want [only] [the] first, [but|and] only|just the first, "
    "[but|and] keep|keeping at most|maximally, [but] at most, [but|and] no|not more than, the first < bytes, byte"
)
_HOSTS = "hosts~hosts > with access to, allowing access to"
_FINE = "ok|okay|fine|alright|good|acceptable|success"
_ERROR = "4xx|5xx|404|500|error|errors|status"
_ANY = {
    f"with|whatever|any|every [the] status [code] [is] [{_FINE}]": ("any_status", True),
    "no matter what|which [the] status [code] [is]": ("any_status", True),
    "accept|allow|take any|every [kind] [of] status [code]": ("any_status", True),
    f"count|treat|take|accept an|a|any {_ERROR} as {_FINE}": ("any_status", True),
    f"[even] [an|a|any] {_ERROR} is|counts|are [as] {_FINE}": ("any_status", True),
    "even if|when it fails": ("any_status", True),
    "even on errors": ("any_status", True),
}
_ALSO = {"address": "url", "uri": "url", "link": "url", "timeout": "timeout_s"}
_ABOUT = (
    "address url web page website site link http request endpoint api json answer response content data body internet "
    "net"
)


def _sending(verbs: str, never: str) -> Said:
    return Said(
        (
            sense(
                verbs,
                "*content~body > the data, the json, the content, the body, with the body, with body, with the "
                "content, with content, with the data, with data, "
                "-d, --data, the text, with the json, with json, the following, containing, data",
                "url > to the address, to, at the address, at, on, into, to url, to the url, url",
                "content_type~word > as, with the type, with the content type, of type, as type",
                _HEADERS,
                _TIME,
                _HOSTS,
                about=_ABOUT,
                flags=_ANY,
                never=f"{never} note mail email model branch commit",
            ),
        ),
        {},
        {**_ALSO, "body": "content", "data": "content"},
    )


_GET: tuple[Sense, ...] = (
    sense(
        "get, request, fetch, call, open, load, retrieve, query, ask, read, show, visit, curl, hit, ping, check, "
        "pull, grab, what do … answer, what do … return, what do … say, what do … send back, what do … get from, "
        "what do … get back from, what "
        "do "
        "… respond, what come back from, send request to, send get request to, send get to, make request to, make get "
        "request to, what be the answer of, what be the response of, what be the response from, do request to, do get "
        "request to, do get on, do get to, get request to, what is at, look at, "
        "have a "
        "look at, see, access, is … up, is … reachable, is … alive, browse, browse to, view, display, print, go to",
        "*url > from, at, of, the address, address, the url, url, the page, to, with url",
        _MOST_BYTES,
        _CA,
        _HEADERS,
        _TIME,
        _HOSTS,
        about=_ABOUT,
        flags=_ANY,
        never="post put patch delete upload clone push -i -o -x -d --data note branch summary summarize model",
    ),
)

_WISHED = replace(
    _GET[0],
    verbs=(
        ("need",),
        ("want",),
        ("like",),
        ("have",),
        ("let", "…", "see"),
        ("let", "…", "have"),
        ("give",),
        ("bring",),
    ),
    wants=("url",),
    never=_GET[0].never | {"deleted", "downloaded", "saved", "posted", "stored"},
)

SAID: Mapping[str, Said] = {
    "get": Said((*_GET, _WISHED), {"ca_file": Place("file")}, _ALSO),
    "head": Said(
        (
            sense(
                "show, get, request, fetch, read, check, see, display, give, what are, which, what, retrieve, print, "
                "look "
                "at, want, need, do head request to, send head request to, make head request to, send head to, do "
                "head on",
                "*url > of, from, at, for, the address",
                _CA,
                _TIME,
                about="headers header head address url site page response http only just send return have",
                key="headers header head",
                never="post put patch",
            ),
            sense("head, curl -i, curl --head", "*url > of", _CA, _TIME, about=_ABOUT),
        ),
        {"ca_file": Place("file")},
        _ALSO,
    ),
    "download": Said(
        (
            sense(
                "download, save, fetch, get, grab, load down, wget, pull, store, retrieve, pull down, curl",
                "*url > from, at, the address, the file at, what is at, of",
                "file > to, into, as, in, and save it as, and save it to, and save it in, and save as, and store "
                "it as, and store it in, and put it in, and store it under, and keep it as, and keep it in, to file, "
                "-o, under, and write it to, named, and call it, "
                "save it as, save it to, output, [and|then] save|store|put|keep|write|drop [it|that|the file] "
                "as|to|in|into|under|at",
                _CA,
                _TIME,
                _HEADERS,
                about="address url file page link web from",
                never="post patch note branch commit package",
            ),
            sense(
                "let, have, want, need, make",
                "*url > at, from, the file at, the address",
                "file > should be saved to, should be saved as, should be saved in, should be stored in, should be "
                "stored "
                "as, should be downloaded to, should go to, saved as, saved to, saved in, stored in, stored as, "
                "downloaded "
                "to, downloaded into, as a file named, as the file",
                about="address url file page link web",
                key="saved stored downloaded file",
                wants="file",
            ),
            sense("curl -o", "*file", "url > from", about=""),
        ),
        {"file": Place("new", makes="file", into=True), "ca_file": Place("file")},
        {**_ALSO, "path": "file", "to": "file", "output": "file", "destination": "file"},
    ),
    "post": _sending(
        "post, send, submit, curl -x post -d, curl -x post, curl -d, push, transmit, send … post, send post to, send "
        "post "
        "request to, make post to, do post to, do post on, make post request to, do post request to",
        "put patch delete get head",
    ),
    "put": _sending(
        "put, curl -x put -d, curl -x put, replace, send … put, send put to, send put request to, make put to, do put "
        "to, "
        "do put on, make put request to, do put request to",
        "post patch delete get",
    ),
    "patch": _sending(
        "patch, send the change, change, update, curl -x patch -d, curl -x patch, send … patch, send patch to, send "
        "patch "
        "request to, make patch to, do patch to, do patch on, make patch request to, do patch request to",
        "post put delete get",
    ),
    "delete": Said(
        (
            sense(
                "delete, remove, curl -x delete, erase, get rid of, send delete to, send delete request to, make "
                "delete "
                "request to, make delete to, do delete on, do delete to, do delete request to, do delete of",
                "*url > what is at, at, at the address, the address, from",
                _HEADERS,
                _TIME,
                about=_ABOUT + " item resource entry record",
                flags=_ANY,
            ),
        ),
        {},
        _ALSO,
    ),
}
