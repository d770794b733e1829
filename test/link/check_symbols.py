#!/usr/bin/env python3
"""Two object files of the same source for different processors: what they both define, the linker
keeps once, from either. So a function of namespace fa that both define must not use the registers
or encodings of the newer processor: on the older one it would stop the program, and with vectors of
another size it would be wrong.

  check_symbols.py OLDER.o NEWER.o
"""
import re
import subprocess
import sys

NEWER_CODE = re.compile(r"\s(v[a-z]+\w*|shlx|shrx|sarx|rorx|andn|blsr|blsi|blsmsk|bzhi|pdep|pext"
                        r"|mulx|lzcnt|tzcnt|movbe)\s|%[yz]mm|%k[0-7]")


def without_template_arguments(name):
    while True:
        shorter = re.sub(r"<[^<>]*>", "", name)
        if shorter == name:
            return name
        name = shorter


def weak_functions(path):
    text = subprocess.run(["nm", "--defined-only", path], check=True, capture_output=True,
                          text=True).stdout
    return {line.split()[2] for line in text.splitlines() if len(line.split()) == 3 and
            line.split()[1] in "WV"}


def code_of(path):
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True,
                          capture_output=True, text=True).stdout
    code = {}
    for block in re.split(r"\n\n+", text):
        head = re.match(r"[0-9a-f]+ <([^>]+)>:\n", block)
        if head:
            code[head.group(1)] = block[head.end():]
    return code


def main():
    older, newer = sys.argv[1:]
    common = sorted(weak_functions(older) & weak_functions(newer))
    code = code_of(newer)
    names = subprocess.run(["c++filt"], input="\n".join(common), check=True, capture_output=True,
                           text=True).stdout.splitlines()
    ours = [(symbol, name) for symbol, name in zip(common, names)
            if re.search(r"\bfa::", without_template_arguments(name).split("(")[0])]
    bad = [(name, NEWER_CODE.search(code.get(symbol, ""))) for symbol, name in ours]
    bad = [(name, hit.group().strip()) for name, hit in bad if hit]
    for name, hit in bad:
        print(f"in both files, and uses {hit} in the newer: {name}")
    print(f"{len(ours)} functions of fa in both files, {len(bad)} of them for one processor only")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
