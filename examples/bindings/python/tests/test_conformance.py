# SPDX-License-Identifier: Apache-2.0
"""The conformance vectors through the package."""

import json
import os
import pathlib

import pytest
import schedpol
from inputs import CONFORMANCE

# A directory with the replies of the library itself, which are compared byte for byte.
REPLIES = os.environ.get("SCHEDPOL_REPLIES")


def test_there_are_vectors() -> None:
    assert len(CONFORMANCE) > 20


@pytest.mark.parametrize("file", CONFORMANCE, ids=lambda file: file.stem)
def test_vectors(file: pathlib.Path) -> None:
    requests = file.read_bytes().splitlines()
    replies = [schedpol.evaluate_json(request) for request in requests]
    assert replies
    for request, reply in zip(map(json.loads, requests), map(json.loads, replies)):
        expected = request["expected"]
        assert reply["id"] == request["id"]
        assert ("error" in reply) == ("error" in expected)
        for name, value in expected.items():
            if name != "error" and not isinstance(value, (dict, list)):
                assert reply["result"].get(name, type(value)()) == value, request["id"]
    if REPLIES:
        assert replies == (pathlib.Path(REPLIES) / file.name).read_bytes().splitlines()
