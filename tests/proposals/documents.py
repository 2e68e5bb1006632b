# SPDX-License-Identifier: Apache-2.0
"""What the documents hold: their YAML blocks, and which of those cannot be read as they are written."""

import re

SCHEDULING, RUNTIME_CLASS, KUPID, METADATA, RESOURCE = DOCUMENTS = (
    "scheduling-policy.md", "runtimeclass-scheduling.md", "kupid.md", "metadata-policy.md", "resource-policy.md")

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def block(document, heading, index=1):
    """Where a block stands: the last two headings above it, and which one it is below them."""
    return f"{document}: {heading}: {index}"


def cut(name, text, language):
    """The blocks of a document in a language, by where they stand. A comment in a block is no heading."""
    blocks, headings, lines, inside = {}, [], [], None
    for line in text.splitlines():
        fence = re.fullmatch(r"```(\w*)\s*", line)
        heading = None if inside is not None else re.match(r"(#+)\s+(.*?)\s*$", line)
        if fence and inside is None:
            inside, lines = fence[1], []
        elif fence:
            if inside == language:
                place = " > ".join([title for _, title in headings][-2:])
                index = sum(key.startswith(f"{name}: {place}: ") for key in blocks) + 1
                blocks[block(name, place, index)] = "\n".join(lines) + "\n"
            inside = None
        elif inside is not None:
            lines.append(line)
        elif heading:
            headings = [(level, title) for level, title in headings if level < len(heading[1])]
            headings.append((len(heading[1]), heading[2]))
    return blocks


def section(text, title):
    """What stands below a heading, those further down included."""
    level, found = 0, []
    for line in text.splitlines():
        heading = re.match(r"(#+)\s+(.*?)\s*$", line)
        if heading and level and len(heading[1]) <= level:
            break
        if heading and not level and heading[2] == title:
            level = len(heading[1])
        if level:
            found.append(line)
    return "\n".join(found)


def named(documents):
    for document in documents:
        document.setdefault("metadata", {"name": "example"})


def named_and_dedented(documents):
    """`podAntiAffinities` is a kind beside `nodeAffinities`, not something in a mode of theirs."""
    named(documents)
    for document in documents:
        affinities = document["spec"]["allowed"]["affinities"]
        affinities["podAntiAffinities"] = affinities["nodeAffinities"][REQUIRED].pop("podAntiAffinities")


NO_NAME = "a fragment without metadata, and every policy has a name"
TOO_DEEP = "without metadata, and its podAntiAffinities stand in the node affinities' mode, two levels too deep"
NO_OBJECT = "configures kube-scheduler: no object of a policy, and its first word has lost a letter"

# Blocks that cannot be read as they are written: why, and how they are meant. Where there is no such reading, None.
NOT_LITERAL = {key: reading for reading, keys in {
    (NO_NAME, named): [
        block(SCHEDULING, heading, index) for heading, indices in {
            "Scheduler name > required": (1, 2),
            "Scheduler name > allowed": (1, 2),
            "Scheduler name > default": (1,),
            "Allowed > Fine-grain allowed tolerations": (1,),
            "Allowed > Coarse-grain allowed tolerations": (1, 2, 3),
            "Tolerations > default": (1,),
            "Priority classes > Only allow a single priority class": (1,),
            "Priority classes > Allow all priorities": (1, 2),
            "Examples > Complete policy": (1,),
            "Examples > Allowed-only policy": (1,),
            "Examples > Basic policy": (1,),
            "Examples > Allow-all policy": (1, 2, 3),
            "Multiple SchedulingPolicies considerations > Option1: smart deep merge": (2,),
            "Multiple SchedulingPolicies considerations > Option3: simple merge": (2,),
        }.items() for index in indices],
    (TOO_DEEP, named_and_dedented): [block(SCHEDULING, "Examples > Basic policy", 2)],
    (NO_OBJECT, None): [block(RESOURCE, "Resource Policy > Feature enablement and rollback")],
}.items() for key in keys}
