"""A stand-in for what urlopen returns."""

import io
from email.message import Message


class Response(io.BytesIO):
    """A body, and how long it was said to be."""

    def __init__(self, body, length=None):
        super().__init__(body)
        self.headers = Message()
        self.headers["Content-Length"] = str(len(body) if length is None else length)

    def info(self):
        return self.headers
