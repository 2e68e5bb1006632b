# SPDX-License-Identifier: Apache-2.0
"""The example that answers one JSON request a line, driven over a pipe with good and bad lines.

    evaluate_test.py PATH_TO_EVALUATE_BINARY
"""

import json
import subprocess
import sys
import threading

TIMEOUT_SECONDS = 120

RESTRICTED = {"kind": "SchedulingPolicy", "metadata": {"name": "restricted"},
              "spec": {"allowed": {"schedulerNames": ["default-scheduler"]}}}


def admit(request_id, spec, policies=(RESTRICTED,)):
    request = {"op": "schedulingPolicy.admit", "input": {"pod": {"spec": spec}, "policies": list(policies)}}
    if request_id is not None:
        request["id"] = request_id
    return json.dumps(request).encode()


def allowed(reply):
    return reply.get("result", {}).get("allowed") is True and reply["result"]["violations"] == []


def denied(*codes):
    def check(reply):
        result = reply.get("result", {})
        return result.get("allowed") is False and [v["code"] for v in result["violations"]] == list(codes)
    return check


def error(code):
    return lambda reply: reply.get("error", {}).get("code") == code and "result" not in reply


DEFAULTS = {"metadata": {"name": "d"}, "spec": {"default": {"schedulerName": "my-scheduler"}}}

# A line, the id of its reply, and what the reply has to be.
GOOD = (admit("good", {}), "good", allowed)
BAD = [
    (b"", None, error("InvalidJson")),
    (b"   ", None, error("InvalidJson")),
    (b"\r", None, error("InvalidJson")),
    (b"allow everything", None, error("InvalidJson")),
    (b"\x00", None, error("InvalidJson")),
    (b"\xff\xfe{\x00}\x00", None, error("InvalidJson")),
    (b'{"id":"a","op":"\x80"}', None, error("InvalidJson")),
    (GOOD[0][:-1], None, error("InvalidJson")),
    (GOOD[0] + GOOD[0], None, error("InvalidJson")),
    (b'{"id":1,"op":"x","op":"y"}', 1, error("InvalidJson")),
    (b'{"id":1,"id":1,"op":"x"}', None, error("InvalidJson")),
    (b"[]", None, error("InvalidRequest")),
    (b"null", None, error("InvalidRequest")),
    (b"{}", None, error("InvalidRequest")),
    (b'{"id":{"a":1},"op":"labelSelector.matches","input":{}}', None, error("InvalidRequest")),
    (b'{"id":"no input","op":"labelSelector.matches"}', "no input", error("InvalidRequest")),
    (b'{"id":2.5,"op":"nothing","input":{}}', 2.5, error("UnknownOp")),
    (b'{"id":"\\u00e9\\n","op":"nothing","input":{}}', "\u00e9\n", error("UnknownOp")),
    (admit(3, [], ()), 3, error("InvalidObject")),
    (admit(4, {}, [{"metadata": {"name": "p"}, "spec": {"alowed": {}}}]), 4, error("InvalidObject")),
    (b"[" * 100000 + b"1" + b"]" * 100000, None, error("LimitExceeded")),
    (b'{"a":' * 100000 + b"1" + b"}" * 100000, None, error("LimitExceeded")),
    (admit("long", {"schedulerName": "x" * (50 << 20)}), None, error("LimitExceeded")),
]
OTHER = [
    (admit("denied", {"schedulerName": "x", "nodeName": "n"}), "denied",
     denied("SchedulerNameNotAllowed", "NodeNameNotAllowed")),
    (admit("no policy", {}, ()), "no policy", denied("NoUsablePolicy")),
    (admit("default", {}, [DEFAULTS]), "default",
     lambda reply: allowed(reply) and reply["result"]["object"] == {"spec": {"schedulerName": "my-scheduler"}}),
    (admit("carriage return", {}) + b"\r", "carriage return", allowed),
    (b"  \t" + admit("white space", {}) + b"  ", "white space", allowed),
    (admit(None, {}), None, allowed),
    (admit(0, {}), 0, allowed),
    (admit("", {}), "", allowed),
    (b'{"id":9,"op":"labelSelector.matches","input":{"selector":{}}}', 9,
     lambda reply: reply.get("result") == {"matches": True}),
]


def run(binary, data):
    """What the binary answers to the data, its exit status and its error output."""
    done = subprocess.run([binary], input=data, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    return done.stdout, done.returncode, done.stderr


def shown(line):
    return repr(line if len(line) < 120 else line[:100] + b"...")


def problems_of(line, request_id, check, answer):
    try:
        reply = json.loads(answer.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        yield f"{shown(line)}: the reply is no JSON ({problem}): {shown(answer)}"
        return
    if not isinstance(reply, dict):
        yield f"{shown(line)}: the reply is no object: {shown(answer)}"
        return
    if "id" not in reply or reply["id"] != request_id or isinstance(reply["id"], bool):
        yield f"{shown(line)}: the reply has the id {reply.get('id')!r}, not {request_id!r}"
    if not check(reply):
        yield f"{shown(line)}: not the reply that was expected: {shown(answer)}"


def answers_each_line(binary):
    """One reply a line, in their order; a good line after every bad one is answered as ever."""
    lines = [GOOD]
    for bad in BAD:
        lines += [bad, GOOD]
    lines += OTHER + [GOOD]
    output, status, errors = run(binary, b"".join(line + b"\n" for line, _, _ in lines))
    if status != 0 or errors:
        yield f"exit status {status}, error output {shown(errors)}"
    answers = output.split(b"\n")
    if answers.pop() != b"":
        yield "the last reply is not a whole line"
    if len(answers) != len(lines):
        yield f"{len(answers)} replies to {len(lines)} lines"
    for (line, request_id, check), answer in zip(lines, answers):
        yield from problems_of(line, request_id, check, answer)


def answers_a_line_without_end(binary):
    """The last line needs no line break; no line, no reply."""
    output, status, _ = run(binary, GOOD[0])
    if status != 0 or output.count(b"\n") != 1:
        yield f"a line without end: exit status {status}, reply {shown(output)}"
    else:
        yield from problems_of(*GOOD, output)
    output, status, _ = run(binary, b"")
    if status != 0 or output != b"":
        yield f"no line: exit status {status}, reply {shown(output)}"


def answers_at_once(binary):
    """A reply comes before the next line is sent, as a caller that waits for it needs."""
    with subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        stop = threading.Timer(TIMEOUT_SECONDS, process.kill)
        stop.start()
        try:
            for line, request_id, check in (GOOD, BAD[3], OTHER[0], GOOD):
                process.stdin.write(line + b"\n")
                process.stdin.flush()
                yield from problems_of(line, request_id, check, process.stdout.readline())
            process.stdin.close()
            if process.wait() != 0:
                yield f"exit status {process.returncode}"
        finally:
            stop.cancel()


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 1
    failed = 0
    for check in (answers_each_line, answers_a_line_without_end, answers_at_once):
        try:
            problems = list(check(sys.argv[1]))
        except (OSError, subprocess.TimeoutExpired) as problem:
            # Without its arguments: they may hold the whole input.
            problems = [type(problem).__name__]
        for problem in problems:
            print(f"{check.__name__}: {problem}")
        failed += len(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
