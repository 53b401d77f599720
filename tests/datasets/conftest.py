"""A network that serves what a test puts into it; the user's own cache stays out of it."""

import urllib.error
import urllib.request

import pytest

from datasets.fake_network import Response


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """The directory that stands for ``~/.cache``."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


class Network(dict):
    """Addresses and what they serve: bytes, a response or an error."""

    def __init__(self):
        super().__init__()
        self.opened = []

    def urlopen(self, url, data=None):
        self.opened.append(url)
        answer = self.get(url, urllib.error.URLError("no route to host"))
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Response) else Response(answer)


@pytest.fixture
def network(monkeypatch, no_network):
    """A network that serves what is put into it; ``opened`` lists what it was asked for."""
    network = Network()
    monkeypatch.setattr(urllib.request, "urlopen", network.urlopen)
    return network
