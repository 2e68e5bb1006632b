# SPDX-License-Identifier: Apache-2.0
"""The part of CEL, Kubernetes' expression language, that the manifests use: `evaluate` says what an
expression is for values as JSON has them.

A field that an object does not have is an error, as in CEL, and so is what is not known here; a field that
is null is one that the object does not have (`has` is false), a key of a map that is null is there.
"""

import re

TOKEN = re.compile(r"""\s*(?:(?P<text>r?'(?:[^'\\]|\\.)*'|r?"(?:[^"\\]|\\.)*")|(?P<number>\d+)
                   |(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>&&|\|\||[!=<>]=|[-!<>+?:.,()\[\]{}]))""", re.VERBOSE)
LEVELS = (("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">=", "in"), ("+",))
CONSTANTS = {"true": True, "false": False, "null": None}


class CelError(ValueError):
    """An expression that is wrong, or has no value for what it was given."""


def tokens(text):
    found, end = [], 0
    while text[end:].strip():
        token = TOKEN.match(text, end)
        if token is None:
            raise CelError(f"cannot read {text[end:end + 20]!r}")
        found.append((token.lastgroup, token[token.lastgroup]))
        end = token.end()
    return [*found, ("end", "")]


def unquoted(token):
    if token.startswith("r"):
        return token[2:-1]
    return re.sub(r"\\(.)", r"\1", token[1:-1])


def matches(text, pattern):
    # What `$` is in RE2, and \w: ASCII, and the end, not what stands before a last line feed.
    return re.search(re.sub(r"\$$", r"\\Z", pattern), text, re.ASCII) is not None


METHODS = {"matches": matches, "contains": lambda text, part: part in text, "indexOf": lambda text, part: text.find(part),
           "startsWith": lambda text, part: text.startswith(part), "replace": lambda text, old, new: text.replace(old, new)}
FUNCTIONS = {"size": len, "dyn": lambda value: value, "string": str}
MACROS = {"all": all, "exists": any}


class Expression:
    """Parses what it evaluates on the way: `active` is false in the branches that do not count."""

    def __init__(self, text):
        self.tokens = tokens(text)

    def evaluate(self, variables):
        value, end = self.choice(0, variables, True)
        if self.tokens[end][0] != "end":
            raise CelError(f"{self.tokens[end][1]!r} is left over")
        return value

    def is_sign(self, at, *signs):
        return self.tokens[at][0] in ("sign", "name") and self.tokens[at][1] in signs

    def expect(self, at, sign):
        if not self.is_sign(at, sign):
            raise CelError(f"{sign!r} is missing before {self.tokens[at][1]!r}")
        return at + 1

    def choice(self, at, variables, active):
        value, at = self.binary(at, variables, active, 0)
        if not self.is_sign(at, "?"):
            return value, at
        first, at = self.choice(at + 1, variables, active and value is True)
        other, at = self.choice(self.expect(at, ":"), variables, active and value is False)
        return (first if value else other), at

    def binary(self, at, variables, active, level):
        if level == len(LEVELS):
            return self.unary(at, variables, active)
        value, at = self.binary(at, variables, active, level + 1)
        while self.is_sign(at, *LEVELS[level]):
            sign = self.tokens[at][1]
            decided = {"||": True, "&&": False}.get(sign)
            wanted = active and (decided is None or value is not decided)
            other, at = self.binary(at + 1, variables, wanted, level + 1)
            if wanted:
                value = self.combine(sign, value, other)
        return value, at

    @staticmethod
    def combine(sign, one, other):
        if sign in ("||", "&&"):
            if not isinstance(one, bool) or not isinstance(other, bool):
                raise CelError(f"{sign} of {one!r} and {other!r}")
            return other
        if sign == "in":
            return other.__contains__(one)
        if sign in ("==", "!="):
            return (one == other) == (sign == "==")
        if type(one) is not type(other):
            raise CelError(f"{sign} of {one!r} and {other!r}")
        return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign] if sign != "+" \
            else one + other

    def unary(self, at, variables, active):
        if self.is_sign(at, "!"):
            value, at = self.unary(at + 1, variables, active)
            if active and not isinstance(value, bool):
                raise CelError(f"! of {value!r}")
            return not value, at
        return self.member(at, variables, active)

    def member(self, at, variables, active):
        value, at = self.primary(at, variables, active)
        while self.is_sign(at, ".", "["):
            if self.is_sign(at, "["):
                key, at = self.choice(at + 1, variables, active)
                at = self.expect(at, "]")
                if active and (not isinstance(value, dict) or key not in value):
                    raise CelError(f"there is no {key!r} in {value!r}")
                value = value[key] if active else None
                continue
            name = self.tokens[at + 1][1]
            if not self.is_sign(at + 2, "("):
                if active and (not isinstance(value, dict) or value.get(name) is None):
                    raise CelError(f"there is no field {name} in {value!r}")
                value, at = (value[name] if active else None), at + 2
            elif name in MACROS:
                value, at = self.macro(name, value, at + 3, variables, active)
            else:
                arguments, at = self.arguments(at + 3, variables, active)
                if name not in METHODS:
                    raise CelError(f"there is no method {name}")
                value = METHODS[name](value, *arguments) if active else None
        return value, at

    def macro(self, name, value, at, variables, active):
        variable, begin = self.tokens[at][1], self.expect(at + 1, ",")
        if active and not isinstance(value, (dict, list)):
            raise CelError(f"{name} of {value!r}")
        _, end = self.choice(begin, {**variables, variable: None}, False)
        if active:
            value = MACROS[name]([self.choice(begin, {**variables, variable: item}, True)[0] for item in value])
        return value, self.expect(end, ")")

    def arguments(self, at, variables, active):
        found = []
        while not self.is_sign(at, ")", "]"):
            value, at = self.choice(at, variables, active)
            found.append(value)
            if self.is_sign(at, ","):
                at += 1
        return found, at + 1

    def primary(self, at, variables, active):
        kind, token = self.tokens[at]
        if kind == "text":
            return unquoted(token), at + 1
        if kind == "number":
            return int(token), at + 1
        if self.is_sign(at, "("):
            value, at = self.choice(at + 1, variables, active)
            return value, self.expect(at, ")")
        if self.is_sign(at, "["):
            return self.arguments(at + 1, variables, active)
        if kind == "name" and self.is_sign(at + 1, "("):
            if token == "has":
                return self.has(at + 2, variables, active)
            (value,), at = self.arguments(at + 2, variables, active)
            if token not in FUNCTIONS:
                raise CelError(f"there is no function {token}")
            return (FUNCTIONS[token](value) if active else value), at
        if token in CONSTANTS:
            return CONSTANTS[token], at + 1
        if kind != "name" or token not in variables:
            raise CelError(f"{token!r} is not known")
        return variables[token], at + 1

    def has(self, at, variables, active):
        """`has(a.b.c)`: c may be missing, a and a.b not."""
        end = at
        while not self.is_sign(end, ")"):
            end += 1
        if not self.is_sign(end - 2, "."):
            raise CelError("has() asks for a field")
        outer = Expression("")
        outer.tokens = [*self.tokens[at:end - 2], ("end", "")]
        value, _ = outer.member(0, variables, active)
        if active and not isinstance(value, dict):
            raise CelError(f"has() of {value!r}")
        return active and value.get(self.tokens[end - 1][1]) is not None, end + 1


def evaluate(text, **variables):
    return Expression(text).evaluate(variables)
