# SPDX-License-Identifier: Apache-2.0
"""The program `evaluate`, asked about what the documents hold, and what has been found."""

import copy
import json
import subprocess

from proposals.documents import DOCUMENTS, NOT_LITERAL, cut


class Refused(Exception):
    """An error instead of a result."""


class Gone(Exception):
    """No reply: the program ended, or was ended for taking too long."""


class Proposals:
    """The documents, the program that is asked about them, and what has been found."""

    def __init__(self, program, folder, yaml):
        self.texts = {name: (folder / name).read_text(encoding="utf-8") for name in DOCUMENTS}
        self.blocks = {key: list(yaml.safe_load_all(text)) for name in DOCUMENTS
                       for key, text in cut(name, self.texts[name], "yaml").items()}
        self.decided, self.problems, self.checks = set(), [], 0
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, operation, **parts):
        """The result of an operation."""
        try:
            self.process.stdin.write(json.dumps({"op": operation, "input": parts}).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = b""
        if not line:
            raise Gone(operation)
        reply = json.loads(line)
        if "result" not in reply:
            raise Refused(f"{operation}: {reply['error']['code']}: {reply['error']['message']}")
        return reply["result"]

    def is_refused(self, operation, **parts):
        try:
            self.ask(operation, **parts)
        except Refused:
            return True
        return False

    def expect(self, words, got, wanted):
        """One check, named by what the document says."""
        self.checks += 1
        if got != wanted:
            self.problems.append(f"{words}:\n    got    {json.dumps(got)}\n    wanted {json.dumps(wanted)}")

    def documents(self, key):
        """The objects of a block, for this check alone, as they are written or else as they are meant."""
        self.decided.add(key)
        found = copy.deepcopy(self.blocks[key])
        if key in NOT_LITERAL:
            NOT_LITERAL[key][1](found)
        return found

    def reads(self, key):
        """Whether the objects of a block are what they say they are, as they are written."""
        for document in self.blocks[key]:
            policy = "SchedulingPolicy" in (document.get("kind"), document.get("Kind"))
            try:
                found = (self.ask("schedulingPolicy.validate", policy=document)["errors"] if policy else
                         self.ask("engine.analyze", configuration=[document])["findings"])
            except Refused:
                return False
            if any(finding.get("severity", "Error") == "Error" for finding in found):
                return False
        return True

    def verdict(self, spec, policies, **parts):
        """The spec of a pod that is allowed, otherwise code and field of what is wrong."""
        reply = self.ask("schedulingPolicy.admit", pod={"spec": spec}, policies=policies, **parts)
        if reply["allowed"]:
            return reply["object"]["spec"]
        return [f"{violation['code']} {violation['field']}" for violation in reply["violations"]]

    def admits(self, policies, rows, **parts):
        """Rows of words, a pod's spec, and its verdict; None where it is allowed as it is."""
        for words, spec, wanted in rows:
            self.expect(words, self.verdict(spec, policies, **parts), spec if wanted is None else wanted)

    def errors(self, policy):
        """Type and field of what is wrong with a SchedulingPolicy."""
        return [f"{error['type']} {error['field']}"
                for error in self.ask("schedulingPolicy.validate", policy=policy)["errors"]]
