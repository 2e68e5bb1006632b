# SPDX-License-Identifier: Apache-2.0
"""Writes a copy of the headers in which every rule can be broken, one at a time and at run time.

Where the code compares, decides, counts or goes through elements, the copy asks `schedpol_mutants::on(N)`
whether that is the place to go wrong at. The formatted code is read as tokens: `<` after a blank compares,
without one it opens a list of template arguments; and so on.
"""

import re

TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<directive>^[ \t]*#(?:\\\n|[^\n])*)"
    r"|(?P<text>(?:u8|u|U|L)?R\"(?P<mark>[^(]*)\(.*?\)(?P=mark)\"|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])+')"
    r"|(?P<number>\d(?:'?[0-9a-zA-Z_.])*)"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<sign><=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|&&|\|\||==|!=|<=|>=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|.)",
    re.DOTALL | re.MULTILINE)

LEVELS = {"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7, "<=>": 8,
          "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11}
ENDS = {",", ";", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return", "case",
        "else", "do", "default"}
SHIFTED = {"<": "less", "<=": "less_or_equal", ">": "greater", ">=": "greater_or_equal"}
SHIFTED_TO = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
NOT_CALLS = {"if", "for", "while", "switch", "do", "else", "return", "break", "continue", "case", "default", "auto", "const",
             "static", "constexpr", "using", "struct", "class", "enum", "static_assert", "typename", "goto", "try"}
NOT_RUN = {"static_assert", "using", "constexpr", "case", "typedef"}
OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Token:
    def __init__(self, kind, text, start, spaced):
        self.kind, self.text, self.start, self.spaced = kind, text, start, spaced
        self.end = start + len(text)
        self.operator = self.bracket = False


def tokens_of(code):
    tokens, spaced, position = [], True, 0
    while position < len(code):
        match = TOKEN.match(code, position)
        if match is None:
            raise SyntaxError(code[position:position + 40])
        kind = match.lastgroup if match.lastgroup != "mark" else "text"
        text = match.group()
        if code[position] == "#" and code[code.rfind("\n", 0, position) + 1:position].strip() == "":
            match = re.compile(r"#(?:\\\n|[^\n])*").match(code, position)
            kind, text = "directive", match.group()
        if kind in ("space", "directive"):
            spaced = True
        elif text == ">>" and not spaced:  # two lists of template arguments end
            tokens.append(Token("sign", ">", position, False))
            tokens.append(Token("sign", ">", position + 1, False))
            spaced = False
        else:
            tokens.append(Token(kind, text, position, spaced))
            spaced = False
        position = match.end()
    return tokens


class Mutant:
    def __init__(self, path, line, code, change):
        self.path, self.line, self.code, self.change = path, line, code, change


class File:
    """A header, and the mutants in it. A span (first, last, before, after, level) says
    what stands around tokens; of two around the same ones that of the lower level is the outer."""

    def __init__(self, path, code, number):
        self.path, self.code, self.number = path, code, number
        self.lines = code.split("\n")
        self.tokens = tokens_of(code)
        self.mutants, self.spans, self.replaced = [], [], {}
        self.pair()
        self.scope()
        self.mutate()

    def pair(self):
        tokens, stack = self.tokens, []
        self.match, self.parent = {}, [None] * len(tokens)
        for i, token in enumerate(tokens):
            before = tokens[i - 1] if i else None
            text = token.text
            if token.kind == "sign" and before is not None and before.text == "operator" and text not in "([":
                self.parent[i] = stack[-1] if stack else None
                continue
            if text == "<":
                token.bracket = before is not None and (
                    before.text == "template" or not token.spaced and (before.kind == "word" or before.text == "]"))
            elif text == ">":
                token.bracket = bool(stack) and tokens[stack[-1]].text == "<"
            else:
                token.bracket = token.kind == "sign" and text in "()[]{}"
            if token.bracket and text in OPEN:
                self.parent[i] = stack[-1] if stack else None
                stack.append(i)
                continue
            if token.bracket:
                first = stack.pop()
                if OPEN[tokens[first].text] != text:
                    raise SyntaxError(f"{self.path}:{self.line_of(i)}: {tokens[first].text} ends with {text}")
                self.match[first], self.match[i] = i, first
                self.parent[i] = self.parent[first]
                continue
            self.parent[i] = stack[-1] if stack else None
            if token.kind == "sign" and text in LEVELS:
                after = tokens[i + 1]
                operand = before.kind in ("word", "number", "text") and before.text != "return" or before.text in ")]}>"
                token.operator = token.spaced and after.spaced and operand
                if text == "&&" and after.text in ("{", ";", "noexcept", "=", "->"):
                    token.operator = False
                if "..." in (before.text, after.text):  # folded over a pack
                    token.operator = False
        if stack:
            raise SyntaxError(f"{self.path}: brackets are open")

    def line_of(self, i):
        return self.code.count("\n", 0, self.tokens[i].start) + 1

    def statement_start(self, i):
        """The first token of the statement or member that token i stands in, on its level."""
        i -= 1
        while i >= 0:
            token = self.tokens[i]
            if token.text in (";", ":") and not token.bracket or token.text in ("{", "(", "[") and token.bracket:
                if token.text != ":" or self.tokens[i - 1].text in ("public", "private", "protected"):
                    return i + 1
            if token.text == "}" and token.bracket and self.is_block(self.match[i]):
                return i + 1
            i = self.match[i] - 1 if token.bracket and i in self.match and self.match[i] < i else i - 1
        return 0

    def is_block(self, first):
        if not self.tokens[first].spaced and (self.tokens[first - 1].kind == "word" or self.tokens[first - 1].text == ">"):
            return False  # `T{}` is a value
        if self.tokens[first - 1].text in (")", "]", "{", "}", ";", "else", "do", "const", "noexcept", "mutable"):
            if self.tokens[first - 1].text != "{" or self.kinds.get(first - 1) != "values":
                return True
        if self.kinds.get(first) in ("scope", "code"):
            return True
        i = first + 1
        while i < self.match[first]:
            if self.tokens[i].text in (";", "return", "if", "for", "switch", "while"):
                return True
            i = self.match[i] + 1 if i in self.match and self.match[i] > i else i + 1
        return False

    def scope(self):
        """Which braces hold declarations and which hold code."""
        self.kinds, self.is_code = {}, [False] * len(self.tokens)
        for i, token in enumerate(self.tokens):
            if token.text == "{" and token.bracket:
                parent = self.parent[i]
                while parent is not None and parent not in self.kinds:
                    parent = self.parent[parent]
                around = self.kinds.get(parent, "scope")
                if around != "scope":
                    self.kinds[i] = "code"
                else:
                    first = self.statement_start(i)
                    said, j = [], first
                    while j < i:
                        said.append(self.tokens[j].text)
                        j = self.match[j] + 1 if self.match.get(j, -1) > j else j + 1
                    if {"namespace", "class", "struct", "union", "extern"} & set(said) and "(" not in said:
                        self.kinds[i] = "scope"
                    elif "enum" in said or "concept" in said or "requires" in said or "(" not in said \
                            or "=" in said and "operator" not in said:
                        self.kinds[i] = "values"
                    else:
                        self.kinds[i] = "code"
            parent = self.parent[i]
            while parent is not None and parent not in self.kinds:
                parent = self.parent[parent]
            self.is_code[i] = parent is not None and self.kinds[parent] == "code"

    def frozen(self):
        """What the compiler evaluates, where nothing can be asked at run time."""
        frozen = [not code for code in self.is_code]
        tokens = self.tokens
        for i, token in enumerate(tokens):
            last = None
            if token.text in NOT_RUN and token.kind == "word" and (self.is_code[i] or token.text == "static_assert") or \
                    token.text == "return" and tokens[i + 1].text == "requires":
                if token.text == "constexpr" and tokens[i - 1].text == "if":
                    last = self.match[i + 1]
                else:
                    last = i
                    while tokens[last].text != ";" and not (token.text == "case" and tokens[last].text == ":"):
                        last = self.match[last] + 1 if self.match.get(last, -1) > last else last + 1
            elif token.bracket and token.text == "<":
                last = self.match[i]
            elif token.text in ("noexcept", "decltype", "sizeof", "alignof") and tokens[i + 1].text == "(" or \
                    token.text == "requires" and tokens[i + 1].text in "({":
                last = self.match[i + 1]
                if token.text == "requires" and tokens[last + 1].text == "{":
                    last = self.match[last + 1]
            elif token.text == "[" and tokens[i + 1].text == "[":
                last = self.match[i]
            if last is not None:
                frozen[i:last + 1] = [True] * (last + 1 - i)
        return frozen

    def left_of(self, i, level):
        """The first token of what stands left of operator i."""
        i -= 1
        while i >= 0:
            token = self.tokens[i]
            if token.bracket:
                if token.text in OPEN or token.text == "}" and self.is_block(self.match[i]):
                    return i + 1
                if self.tokens[self.match[i] - 1].text in ("if", "for", "while", "switch", "constexpr"):
                    return i + 1
                i = self.match[i] - 1
                continue
            if token.text in ENDS or token.operator and LEVELS[token.text] <= level:
                return i + 1
            i -= 1
        return 0

    def right_of(self, i, level):
        """The last token of what stands right of operator i."""
        i += 1
        while True:
            token = self.tokens[i]
            if token.bracket:
                if token.text not in OPEN:
                    return i - 1
                i = self.match[i] + 1
                continue
            if token.text in ENDS or token.operator and LEVELS[token.text] <= level:
                return i - 1
            i += 1

    def statement_end(self, i):
        """The last token of the statement that begins with token i."""
        tokens = self.tokens
        if tokens[i].text == "{":
            return self.match[i]
        if tokens[i].text in ("if", "for", "while", "switch"):
            i += 1
            if tokens[i].text == "constexpr":
                i += 1
            last = self.statement_end(self.match[i] + 1)
            while tokens[last + 1].text == "else":
                last = self.statement_end(last + 2)
            return last
        while tokens[i].text != ";":
            i = self.match[i] + 1 if self.match.get(i, -1) > i else i + 1
        return i

    def new(self, i, change):
        self.mutants.append(Mutant(self.path, self.line_of(i), self.lines[self.line_of(i) - 1].strip(), change))
        return self.number + len(self.mutants) - 1

    def around(self, first, last, before, after, level=0):
        self.spans.append((first, last, before, after, level))

    def top_operators(self, first, last):
        i, found = first, set()
        while i <= last:
            if self.tokens[i].operator or self.tokens[i].text in ENDS:
                found.add(self.tokens[i].text)
            i = self.match[i] + 1 if self.match.get(i, -1) > i else i + 1
        return found

    def condition(self, first, last, i, body):
        """An if, while or ?: that asks what stands in first..last."""
        found = self.top_operators(first, last)
        if first > last or "=" in found or any(self.frozen_[first:last + 1]):
            return
        if not found & {"==", "!=", "&&", "||"}:
            n = self.new(first, "negated")
            self.around(first, last, f"(schedpol_mutants::on({n}) != static_cast<bool>(", "))")
        if body is not None:
            jump = self.tokens[body].text
            if jump == "{" and self.tokens[body + 1].text in ("return", "continue", "break"):
                jump = self.tokens[body + 1].text
            if jump in ("return", "continue", "break"):
                n = self.new(first, f"{jump} dropped")
                self.around(first, last, f"(!schedpol_mutants::on({n}) && static_cast<bool>(", "))")

    def mutate(self):
        tokens = self.tokens
        frozen = self.frozen_ = self.frozen()
        for i, token in enumerate(tokens):
            if frozen[i]:
                continue
            text = token.text
            self.statement(i)
            if text in ("if", "while") and tokens[i + 1].text == "(":
                first, last = i + 2, self.match[i + 1] - 1
                for j in range(first, last + 1):
                    if tokens[j].text == ";" and self.parent[j] == i + 1:
                        first = j + 1
                self.condition(first, last, i, self.match[i + 1] + 1 if text == "if" else None)
            elif text == "for":
                self.loop(i)
            elif text == "?":
                self.condition(self.left_of(i, 0), i - 1, i, None)
            elif token.operator and text in ("&&", "||"):
                self.either(i)
            elif token.operator and text in ("==", "!="):
                first, last = self.left_of(i, 6), self.right_of(i, 6)
                n = self.new(i, "!=" if text == "==" else "==")
                self.around(first, last, f"(schedpol_mutants::on({n}) != (", "))", 6)
            elif token.operator and text in SHIFTED:
                first, last = self.left_of(i, 7), self.right_of(i, 7)
                if any(t.text.startswith(("<=>", "compare")) for t in tokens[first:last + 1]):
                    continue
                n = self.new(i, SHIFTED_TO[text])
                self.around(first, last, f"schedpol_mutants::{SHIFTED[text]}({n}, ", ")", 7)
                self.replaced[i] = ","
            elif token.kind == "number" and re.fullmatch(r"[0-9'a-fA-FxuUlL]+", text):
                line = {t.text for t in tokens[max(0, i - 12):i + 6]}
                if not any(word.startswith(("<=>", "compare", "ordering")) for word in line) and tokens[i - 1].text != "-":
                    n = self.new(i, f"{text} + 1")
                    self.replaced[i] = f"({text} + schedpol_mutants::on({n}))"
            elif text in ("true", "false"):
                n = self.new(i, "false" if text == "true" else "true")
                self.replaced[i] = f"({text} != schedpol_mutants::on({n}))"

    def either(self, i):
        """What stands right of && or ||, and for the first of a row what stands left of it, is dropped."""
        text = self.tokens[i].text
        level = LEVELS[text]
        first, last = self.left_of(i, level), self.right_of(i, level)
        operands = [(i + 1, last)]
        before = self.tokens[first - 1]
        if not (before.operator and before.text == text):
            operands.insert(0, (first, i - 1))
        for begin, end in operands:
            said = " ".join(self.code[self.tokens[begin].start:self.tokens[end].end].split())
            n = self.new(begin, f"{said} dropped")
            if text == "&&":
                self.around(begin, end, f"(schedpol_mutants::on({n}) || static_cast<bool>(", "))")
            else:
                self.around(begin, end, f"(!schedpol_mutants::on({n}) && static_cast<bool>(", "))")

    def statement(self, i):
        """A call or an assignment that is dropped."""
        tokens = self.tokens
        before, token = tokens[i - 1], tokens[i]
        if before.bracket and before.text == ")":
            if tokens[self.match[i - 1] - 1].text not in ("if", "for", "while", "constexpr"):
                return
        elif not (before.text in (";", "else") or before.bracket and (
                before.text == "{" and self.is_block(i - 1) or before.text == "}" and self.is_block(self.match[i - 1]))):
            return
        parent = self.parent[i]
        if parent is None or tokens[parent].text != "{" or not self.is_block(parent) or token.text in NOT_CALLS \
                or not (token.kind == "word" or token.text in ("++", "--", "*")):
            return
        last, declares, called = i, False, False
        while tokens[last].text != ";":
            if tokens[last].text == "(" and tokens[last - 1].text in ("reserve", "static_assert"):
                return
            if last > i and tokens[last].kind == "word" and not called:
                left = tokens[last - 1]
                declares = declares or left.kind == "word" or left.text in ("&", "*", "&&") or \
                    left.text == ">" and left.bracket
            called = called or tokens[last].text in ("(", "=", "[") or tokens[last].text.endswith("=")
            if tokens[last].text in ("}", ")", "]") and tokens[last].bracket:
                return
            last = self.match[last] + 1 if self.match.get(last, -1) > last else last + 1
        if declares:
            return
        n = self.new(i, "not done")
        self.around(i, last, f"{{ if (!schedpol_mutants::on({n})) ", " }")

    def loop(self, i):
        tokens = self.tokens
        begin, end = i + 1, self.match[i + 1]
        separators = [j for j in range(begin, end) if self.parent[j] == begin and tokens[j].text == ";"]
        if len(separators) == 2:
            if separators[1] > separators[0] + 1:
                self.condition(separators[0] + 1, separators[1] - 1, i, None)
            return
        first, last = i, self.statement_end(end + 1)
        n = self.new(i, "the first element skipped")
        self.new(i, "all but the first element skipped")
        self.around(first, last, f"{{ unsigned schedpol_mutants_{n} = 0; ", " }")
        self.around(end + 1, last, f"if (schedpol_mutants::skips({n}, schedpol_mutants_{n})) continue; else ", "")

    def changed(self):
        """The text of the copy."""
        spans = sorted(enumerate(self.spans), key=lambda s: (s[1][0], -s[1][1], s[1][4], s[0]))
        before, after, open_ = {}, {}, []
        for _, (first, last, head, tail, _) in spans:
            while open_ and open_[-1] < first:
                open_.pop()
            if open_ and last > open_[-1]:
                raise SyntaxError(f"{self.path}:{self.line_of(first)}: mutants overlap")
            open_.append(last)
            before.setdefault(first, []).append(head)
            after.setdefault(last, []).insert(0, tail)
        written, position = [], 0
        for i, token in enumerate(self.tokens):
            written.append(self.code[position:token.start])
            written.extend(before.get(i, []))
            written.append(self.replaced.get(i, token.text))
            written.extend(after.get(i, []))
            position = token.end
        written.append(self.code[position:])
        return "".join(written)


RUNTIME = """#pragma once
#include <cstdlib>
#include <type_traits>

namespace schedpol_mutants {

inline constexpr int count = COUNT;
inline constinit int broken = -1;  // which one is, none is 0; from the environment
inline constinit unsigned char reached[count + 1] = {};

constexpr bool on(int n) noexcept {
  if (std::is_constant_evaluated()) return false;
  reached[n] = 1;
  if (broken < 0) {
    const char* text = std::getenv("SCHEDPOL_MUTANT");
    broken = text == nullptr ? 0 : std::atoi(text);
  }
  return n == broken;
}

template <class A, class B>
constexpr bool less(int n, const A& a, const B& b) {
  return on(n) ? !(b < a) : a < b;
}
template <class A, class B>
constexpr bool less_or_equal(int n, const A& a, const B& b) {
  return on(n) ? !(b <= a) : a <= b;
}
template <class A, class B>
constexpr bool greater(int n, const A& a, const B& b) {
  return on(n) ? !(b > a) : a > b;
}
template <class A, class B>
constexpr bool greater_or_equal(int n, const A& a, const B& b) {
  return on(n) ? !(b >= a) : a >= b;
}

/// Of a loop's elements mutant n skips the first, mutant n + 1 the others.
constexpr bool skips(int n, unsigned& index) noexcept {
  const bool first = index == 0;
  if (first) index = 1;
  return first ? on(n) : on(n + 1);
}

}  // namespace schedpol_mutants
"""


def write_copy(headers, copy):
    """Copies the headers, with mutants, which are given back: number 1 is the first."""
    mutants = []
    for path in sorted(headers.rglob("*.?pp")):
        name = path.relative_to(headers).as_posix()
        file = File(name, path.read_text(), len(mutants) + 1)
        mutants += file.mutants
        code = file.changed()
        to = copy / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists() or to.read_text() != code:
            to.write_text(code)
    runtime = RUNTIME.replace("COUNT", str((len(mutants) // 4096 + 1) * 4096))
    to = copy / "schedpol_mutants.hpp"
    if not to.exists() or to.read_text() != runtime:
        to.write_text(runtime)
    return mutants
