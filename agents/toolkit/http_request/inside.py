"""One request and its answer, read so that no server can make it long, large or go elsewhere. Lives in the jail.

Which hosts can be reached at all is decided outside, by the network gate; what is checked here says so in words.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import http.client
import json
import ssl
import time
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from agents.toolkit.refusal import Refused
from agents.toolkit.web_address import headers, read

MOST_REDIRECTS = 5
MOST_TEXT_BYTES = 250_000
MOST_FILE_BYTES = 200 << 20
MOST_HEADER_CHARS = 1_000
MOST_DEPTH = 30
_CHUNK = 1 << 16
_FOLLOWED = (301, 302, 303, 307, 308)
_SAFE_METHODS = ("GET", "HEAD")
_CHARSETS = ("utf-", "ascii", "latin-1", "iso8859", "cp", "koi8", "gb", "big5", "euc_", "shift_jis", "mac")
# Not text for people, or slow in a way that its length does not show.
_NO_CHARSETS = ("utf-7",)


def main(params: dict[str, Any]) -> dict[str, Any]:
    """What came of the request."""
    try:
        return _Request(params).answer()
    except Refused as refused:
        return refused.answer()


class _Request:
    """A request on its way through at most a few hosts, with one time limit for all of it."""

    def __init__(self, params: dict[str, Any]) -> None:
        self._params = params
        self._method = str(params["method"])
        # A little less than the program itself has, so that it can still say why it ends.
        self._until: float = time.monotonic() + max(0.5, params["timeout_s"] - 1)
        self._sent = False
        try:
            self._address = read(params["url"])
            self._headers = headers(params.get("headers", ""))
        except ValueError as error:
            raise Refused("INVALID_PARAMETERS", str(error)) from error
        self._hosts = [*params.get("hosts", []), self._address.entry]

    def answer(self) -> dict[str, Any]:
        redirects: list[str] = []
        while True:
            try:
                connection = self._connection()
                response = self._asked(connection)
                location = response.getheader("Location")
                follows = response.status in _FOLLOWED and self._method in _SAFE_METHODS and location
                if not follows:
                    return self._told(response, redirects)
                connection.close()
            except ssl.SSLCertVerificationError as error:
                reason = f"the certificate of {self._address.host} is not to be trusted: {error.verify_message}"
                raise Refused("PERMISSION_ERROR", reason) from error
            except (OSError, http.client.HTTPException) as error:
                raise Refused("NETWORK_ERROR", self._failure(error)) from error
            redirects.append(self._address.text)
            self._go_to(str(location), len(redirects))

    def _failure(self, error: Exception) -> str:
        what = str(error) or type(error).__name__
        if isinstance(error, TimeoutError):
            what = f"no whole answer within {self._params['timeout_s']} s"
        reason = f"{self._method} {self._address.text}: {what}"
        if self._sent and self._method not in _SAFE_METHODS:
            reason += "; it had been sent, so it may have taken effect"
        return reason

    def _go_to(self, location: str, count: int) -> None:
        if count > MOST_REDIRECTS:
            raise Refused("NETWORK_ERROR", f"it was redirected more than {MOST_REDIRECTS} times")
        before = self._address
        try:
            self._address = read(urljoin(before.text, location))
        except ValueError as error:
            raise Refused("NETWORK_ERROR", f"it was redirected to {location[:200]!r}: {error}") from error
        if not self._address.is_let_in_by(self._hosts):
            reason = f"it was redirected to {self._address.entry}, which was not approved"
            raise Refused("PERMISSION_ERROR", reason)
        if before.scheme == "https" and self._address.scheme == "http":
            raise Refused("PERMISSION_ERROR", f"it was redirected from https to {self._address.text}")
        if (before.host, before.port) != (self._address.host, self._address.port):
            self._headers = []  # they were meant for the first host

    def _left_s(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def _connection(self) -> http.client.HTTPConnection:
        where, port = self._address.host, self._address.port
        if self._address.scheme == "http":
            return http.client.HTTPConnection(where, port, timeout=self._left_s())
        trusted = ssl.create_default_context()
        if self._params.get("ca_file"):
            try:
                trusted.load_verify_locations(self._params["ca_file"])
            except (OSError, ssl.SSLError) as error:
                reason = f"{self._params['ca_file']} holds no certificates: {error}"
                raise Refused("INVALID_PARAMETERS", reason) from error
        return http.client.HTTPSConnection(where, port, timeout=self._left_s(), context=trusted)

    def _asked(self, connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        body = self._params["content"].encode() if "content" in self._params else None
        named = {name.lower() for name, _ in self._headers}
        own = [("User-Agent", "mindX"), ("Accept", "*/*"), ("Accept-Encoding", "identity")]
        own += [("Content-Type", self._params["content_type"])] if body is not None else []
        connection.putrequest(self._method, self._address.target, skip_accept_encoding=True)
        for name, value in [*(each for each in own if each[0].lower() not in named), *self._headers]:
            connection.putheader(name, value.encode("latin-1"))
        connection.putheader("Connection", "close")
        if body is not None or self._method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.connect()
        self._sent = True
        connection.endheaders(body)
        return connection.getresponse()

    def _told(self, response: http.client.HTTPResponse, redirects: list[str]) -> dict[str, Any]:
        answer: dict[str, Any] = {
            "status_code": response.status,
            "url": self._address.text,
            "redirects": redirects,
            "headers": {name.lower(): value[:MOST_HEADER_CHARS] for name, value in response.getheaders()},
            "content_type": response.getheader("Content-Type", ""),
        }
        if self._params.get("file") and response.status < 400:
            return answer | self._kept(response)
        body, truncated = self._read(response, int(self._params.get("most_bytes", MOST_TEXT_BYTES)))
        answer |= {"size_bytes": len(body), "truncated": truncated, "sha256": hashlib.sha256(body).hexdigest()}
        answer |= _shown(body, answer["content_type"], truncated=truncated)
        cut = "; there was more, which was left out" if truncated else ""
        answer["message"] = f"{response.status} {response.reason[:100]}, {len(body):,} bytes{cut}"
        if response.status >= 400 and not self._params.get("any_status"):
            return answer | {"error_class": _class_of(response.status), "reason": self._refusal(response)}
        return answer

    def _refusal(self, response: http.client.HTTPResponse) -> str:
        said = f"{self._address.host} answered {response.status} {response.reason[:100]}".strip()
        after = response.getheader("Retry-After")
        return f"{said}; it asks to wait {after[:40]}" + (" s" if after.isdigit() else "") if after else said

    def _pieces(self, response: http.client.HTTPResponse) -> Any:
        """The body as it comes, unpacked where the server packed it unasked."""
        packed = (response.getheader("Content-Encoding") or "").strip().lower()
        unpack = zlib.decompressobj(47) if packed in ("gzip", "x-gzip", "deflate") else None
        while True:
            self._left_s()
            data = response.read1(_CHUNK)
            if not data:
                if response.length or (unpack is not None and not unpack.eof):
                    raise Refused("NETWORK_ERROR", "the answer ended before its end")
                return
            if unpack is None:
                yield data
                continue
            while data:
                try:
                    yield unpack.decompress(data, _CHUNK)
                except zlib.error as error:
                    raise Refused("NETWORK_ERROR", f"the answer cannot be unpacked: {error}") from error
                data = unpack.unconsumed_tail

    def _read(self, response: http.client.HTTPResponse, most: int) -> tuple[bytes, bool]:
        body = bytearray()
        for piece in self._pieces(response):
            body += piece
            if len(body) > most:
                return bytes(body[:most]), True
        return bytes(body), False

    def _kept(self, response: http.client.HTTPResponse) -> dict[str, Any]:
        """Writes the body to a file that is not there yet; one that came only in part does not stay."""
        path, size, digest = Path(self._params["file"]), 0, hashlib.sha256()
        try:
            file = path.open("xb")
        except OSError as error:
            raise Refused("INVALID_PARAMETERS", f"{path} cannot be written: {error.strerror}") from error
        try:
            with file:
                for piece in self._pieces(response):
                    size += len(piece)
                    if size > MOST_FILE_BYTES:
                        raise Refused("NETWORK_ERROR", f"the answer is larger than {MOST_FILE_BYTES:,} bytes")
                    digest.update(piece)
                    file.write(piece)
        except BaseException:
            path.unlink()
            raise
        return {"size_bytes": size, "sha256": digest.hexdigest(), "message": f"Wrote {size:,} bytes to {path}"}


def _class_of(status: int) -> str:
    known = {401: "PERMISSION_ERROR", 403: "PERMISSION_ERROR", 429: "RATE_LIMIT_ERROR"}
    return known.get(status, "NETWORK_ERROR" if status >= 500 else "TOOL_EXECUTION_ERROR")


def _shown(body: bytes, content_type: str, *, truncated: bool) -> dict[str, Any]:
    """The body as text where it is one, as base64 where not, and as a value where it is JSON."""
    charset = _charset(content_type)
    try:
        # A cut may fall within a character.
        text = codecs.getincrementaldecoder(charset)().decode(body, not truncated)
    except UnicodeError:
        text = "\0"
    if any(char < " " and char not in "\t\n\r\f\x1b" for char in text):
        return {"text": "", "base64": base64.b64encode(body).decode(), "encoding": "base64"}
    shown: dict[str, Any] = {"text": text, "encoding": charset}
    if "json" in content_type.lower() and not truncated:
        try:
            shown["json"] = json.loads(text, parse_constant=_no_number, parse_float=_finite)
            _check_depth(shown["json"], MOST_DEPTH)
        except (ValueError, RecursionError):
            shown.pop("json", None)
            shown["json_problem"] = "it says that it is JSON, and is none that could be taken over"
    return shown


def _no_number(name: str) -> Any:
    raise ValueError(name)


def _finite(said: str) -> float:
    value = float(said)
    if value in (float("inf"), float("-inf")):
        raise ValueError(said)
    return value


def _check_depth(value: Any, most: int) -> None:
    if most < 0:
        raise ValueError("nested too deeply")
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_depth(inner, most - 1)


def _charset(content_type: str) -> str:
    said = http.client.HTTPMessage()
    said["Content-Type"] = content_type or "text/plain"
    try:
        name = codecs.lookup(str(said.get_content_charset("utf-8"))).name
    except (LookupError, ValueError):
        return "utf-8"
    return name if name.startswith(_CHARSETS) and name not in _NO_CHARSETS else "utf-8"
