# SPDX-License-Identifier: Apache-2.0
"""Decisions a second, bytes in and bytes out: benchmark.py DIRECTORY THREADS SECONDS"""

import pathlib
import sys
import threading
import time

import schedpol


def main(directory: pathlib.Path, threads: int, seconds: float) -> None:
    engine = schedpol.Engine((directory / "policies.json").read_bytes())
    pod = (directory / "pod.json").read_bytes()
    counts = [0] * threads
    end = time.monotonic() + seconds

    def work(number: int) -> None:
        while time.monotonic() < end:
            assert b'"allowed":true' in engine.decide_json(pod)
            counts[number] += 1

    all = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in all:
        thread.start()
    for thread in all:
        thread.join()
    print(int(sum(counts) / seconds))


main(pathlib.Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
