# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the mutants of a C++ source: places that can be changed, and what each change makes of them.

A place is found by its text, not by a parser. The sources are formatted: a binary operator has white space on both sides,
and a template bracket, a reference or a unary operator does not. What the compiler rejects is left out later.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

# How tightly the binary operators bind; a larger number binds tighter.
PRECEDENCE = {"||": 3, "&&": 4, "|": 5, "^": 6, "&": 7, "==": 8, "!=": 8, "<": 9, ">": 9, "<=": 9, ">=": 9, "<=>": 10,
              "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13}
BINARY = re.compile(r"(?<=\s)(\|\||&&|==|!=|<=>|<=|>=|<<|>>|[-+*/%<>&|^])(?=\s)")
# What separates operands besides the operators above.
SEPARATOR = re.compile(r"(?<=\s)(?:[-+*/%&|^]|<<|>>)?=(?=\s)|[;,?]|(?<!:):(?!:)|\b(?:return|co_return|else|case|throw|do)\b")
REPLACED = {"boundary": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}, "equality": {"==": "!=", "!=": "=="},
            "logic": {"&&": "||", "||": "&&"}, "arithmetic": {"+": "-", "-": "+", "*": "+", "/": "*", "%": "+"}}
OPENING, CLOSING = "([{", ")]}"
# Calls without an effect on results.
HARMLESS = re.compile(r"\b(?:static_assert|assert|reserve|llvm_unreachable)\(")


@dataclass(frozen=True)
class Place:
    """A change of the text between two offsets. `{0}` in `template` is the condition under which the mutant is active."""

    kind: str
    begin: int
    end: int
    template: str
    change: str  # for people: "a < b -> a <= b"


def mask(text):
    """Returns `text` with comments, literals and preprocessor lines blanked, so that offsets stay."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                         re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda m: re.sub(r"[^\n]", "~" if m[0][0] in "\"'R" else " ", m[0]), text)


def escape(text):
    """Returns `text` for use in a template."""
    return text.replace("{", "{{").replace("}", "}}")


def find_close(text, opening):
    """Returns the offset of the bracket that closes the one at `opening`, or -1."""
    depth = 0
    for at in range(opening, len(text)):
        if text[at] in OPENING:
            depth += 1
        elif text[at] in CLOSING:
            depth -= 1
            if depth == 0:
                return at
    return -1


def find_region(text, at):
    """Returns the range around `at` that no unmatched bracket, end of a statement or end of a block interrupts."""
    depth, begin = 0, at
    while begin > 0:
        character = text[begin - 1]
        if character in CLOSING:
            if depth == 0 and character == "}" and text[begin : begin + 1] == "\n":
                break
            depth += 1
        elif character in OPENING:
            if depth == 0:
                break
            depth -= 1
        elif character == ";" and depth == 0:
            break
        begin -= 1
    depth, end = 0, at
    while end < len(text):
        character = text[end]
        if character in OPENING:
            depth += 1
        elif character in CLOSING:
            if depth == 0:
                break
            depth -= 1
        elif character == ";" and depth == 0:
            break
        end += 1
    return begin, end


def at_depth_zero(text, begin, end, pattern):
    """Returns the matches of `pattern` between the offsets that lie in no bracket of their own."""
    depths, depth = [], 0
    for character in text[begin:end]:
        depth -= character in CLOSING
        depths.append(depth)
        depth += character in OPENING
    return [m for m in pattern.finditer(text, begin, end) if depths[m.start() - begin] == 0]


def trim(text, begin, end):
    """Returns the range without white space at its ends."""
    piece = text[begin:end]
    return begin + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def find_operands(masked, operator):
    """Returns the ranges of the operands of a binary operator; None if they cannot be told."""
    begin, end = find_region(masked, operator.start())
    binding = PRECEDENCE[operator[1]]
    for separator in at_depth_zero(masked, begin, end, SEPARATOR):
        if separator.end() <= operator.start():
            begin = max(begin, separator.end())
        elif separator.start() >= operator.end():
            end = min(end, separator.start())
    for other in at_depth_zero(masked, begin, end, BINARY):
        if other.start() < operator.start() and PRECEDENCE[other[1]] < binding:
            begin = max(begin, other.end())
        elif other.start() > operator.start() and PRECEDENCE[other[1]] <= binding:
            end = min(end, other.start())
    left, right = trim(masked, begin, operator.start()), trim(masked, operator.end(), end)
    return (left, right) if left[0] < left[1] and right[0] < right[1] else None


def operators(text, masked):
    """Yields the changes of binary operators."""
    for operator in BINARY.finditer(masked):
        for kind, table in REPLACED.items():
            if operator[1] in table and (operands := find_operands(masked, operator)):
                (begin, middle), (after, end) = operands
                if kind == "arithmetic" and "~" in masked[begin:end]:
                    continue  # a sum of texts
                left, right, other = text[begin:middle], text[after:end], table[operator[1]]
                template = f"({{0}} ? ({escape(left)} {other} {escape(right)}) : ({escape(left)} {operator[1]} {escape(right)}))"
                yield Place(kind, begin, end, template, f"{left} {operator[1]} {right} -> {other}")


def literals(text, masked):
    """Yields the changes of numbers and truth values."""
    for literal in re.finditer(r"(?<![\w.~])(\d+|true|false)(?![\w.~']|\s*=)", masked):
        value = literal[1]
        other = {"true": "false", "false": "true"}.get(value) or str(int(value) + 1)
        yield Place("constant", literal.start(), literal.end(), f"({{0}} ? {other} : {value})", f"{value} -> {other}")


def conditions(text, masked):
    """Yields the negations of the conditions of `if` and `while`."""
    for match in re.finditer(r"\b(?:if|while) (\()", masked):
        close = find_close(masked, match.start(1))
        inner = masked[match.end(1) : close]
        if close > 0 and not re.search(r"\s[-+*/]?=\s|;", inner):
            condition = text[match.end(1) : close]
            yield Place("condition", match.end(1), close, f"{{0}} ? !({escape(condition)}) : bool({escape(condition)})",
                        f"if ({condition}) -> if not")


def statements(text, masked):
    """Yields the removals of calls, assignments and updates."""
    call = r"[a-z_][\w:.>\-\[\]]*\([^;]*\);"
    update = r"\*?[a-z_][\w:.>\-\[\]()]* [-+*/|&]?= [^;]*;|(?:\+\+|--)[a-z_][\w.>\-\[\]]*;"
    for kind, pattern in (("call", call), ("update", update)):
        for match in re.finditer(rf"(?<=[;{{}})e])\n[ ]+({pattern})", masked):
            statement = match[1]
            before = masked[: match.start()].rstrip()
            target = re.split(r" [-+*/|&]?= ", statement)[0] if kind == "update" else statement.split("(")[0]
            is_declaration = " " in target.strip()
            ends_block = before.endswith((";", "{", "}", ")", "else"))
            balanced = all(statement.count(a) == statement.count(b) for a, b in ("()", "[]", "{}"))
            if ends_block and balanced and not is_declaration and not re.match(r"(?:return|delete|co_|using|case|goto)\b", statement) \
                    and not HARMLESS.search(statement):
                original = text[match.start(1) : match.end(1)]
                yield Place(kind, match.start(1), match.end(1), f"{{{{ if (!{{0}}) {escape(original)} }}}}", f"removed: {original}")


def arguments(text, masked):
    """Yields calls of two arguments with their arguments swapped, and std::min with std::max."""
    for match in re.finditer(r"(?<![\w>] )\b([a-z][\w:]*)(\()", masked):
        if match[1] in ("if", "for", "while", "switch", "return", "sizeof", "decltype", "assert", "catch"):
            continue
        close = find_close(masked, match.start(2))
        inner = masked[match.end(2) : close]
        if close < 0 or "{" in inner or ";" in inner:
            continue
        if match[1] in ("std::min", "std::max"):
            other = "std::max" if match[1] == "std::min" else "std::min"
            list_ = escape(text[match.start(2) : close + 1])
            yield Place("bound", match.start(), close + 1, f"({{0}} ? {other}{list_} : {match[1]}{list_})", f"{match[1]} -> {other}")
            continue
        commas = at_depth_zero(masked, match.end(2), close, re.compile(","))
        if len(commas) == 1 and "<" not in inner:
            first = trim(masked, match.end(2), commas[0].start())
            second = trim(masked, commas[0].end(), close)
            one, two = (escape(text[slice(*r)]) for r in (first, second))
            if one and two and not re.search(r"[\w>\]] [&*]?\w+$|\w [&*]", masked[slice(*first)]):
                yield Place("arguments", first[0], second[1], f"{{0}} ? ({two}) : ({one}), {{0}} ? ({one}) : ({two})",
                            f"{match[1]}({text[slice(*first)]}, {text[slice(*second)]}) -> swapped")


def find(text):
    """Returns all places of a source, in no order."""
    masked = mask(text)
    found = []
    for finder in (operators, literals, conditions, statements, arguments):
        found += finder(text, masked)
    harmless = [(m.start(), find_close(masked, m.end() - 1)) for m in HARMLESS.finditer(masked)]
    return [place for place in found if not any(begin <= place.begin < end for begin, end in harmless)]


def apply(text, numbered):
    """Returns `text` with the mutants of (number, place) pairs, which do not overlap, behind their conditions."""
    for number, place in sorted(numbered, key=lambda pair: -pair[1].begin):
        text = text[: place.begin] + place.template.format(f"PCC_MUTANT({number})") + text[place.end :]
    return text


def main():
    """Prints the mutants of a source: places.py FILE."""
    text = Path(sys.argv[1]).read_text()
    for place in sorted(find(text), key=lambda p: (p.begin, p.kind)):
        line = text[: place.begin].count("\n") + 1
        print(f"{line}: {place.kind}: {' '.join(place.template.format('M').split())}")


if __name__ == "__main__":
    main()
