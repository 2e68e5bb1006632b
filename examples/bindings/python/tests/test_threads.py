# SPDX-License-Identifier: Apache-2.0
"""Threads that share engines while others make, change and close them."""

import os
import threading
import time

import schedpol
from inputs import CHANGED, DENIED, GPU_TEAM, POLICIES

SECONDS = float(os.environ.get("SCHEDPOL_STRESS_SECONDS", "2"))


def test_threads_share_an_engine() -> None:
    engine = schedpol.Engine(POLICIES)
    wanted = {object: engine.decide_json(object) for object in (CHANGED, DENIED)}
    shared = [schedpol.Engine(POLICIES)]
    wrong: list[object] = []
    counts = [0] * 8
    until = time.monotonic() + SECONDS

    def work(number: int) -> None:
        while time.monotonic() < until and not wrong:
            for object, decision in wanted.items():
                if engine.decide_json(object) != decision:
                    wrong.append(object)
            try:
                if shared[0].decide_json(CHANGED) != wanted[CHANGED]:
                    wrong.append("shared")
            except ValueError as error:
                if str(error) != "the engine is closed":
                    wrong.append(error)
            if number % 4 == 0:
                closed = shared[0]
                shared[0] = engine.without_objects(GPU_TEAM).with_objects(GPU_TEAM)
                closed.close()
            counts[number] += 3

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert min(counts) > 0
    print(f"{sum(counts):,} decisions in {SECONDS} seconds")
