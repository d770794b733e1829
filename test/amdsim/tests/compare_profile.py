#!/usr/bin/env python3
"""compare_profile.py A B: two profiles of the same launches must agree line by line, but for the spelling of instruction names."""
import json, sys

a, b = ([json.loads(l) for l in open(f)] for f in sys.argv[1:3])
bad = len(a) != len(b)
for n, (x, y) in enumerate(zip(a, b)):
    for key in sorted((set(x) | set(y)) - {"top"}):
        if x.get(key) != y.get(key):
            bad = True
            print(f"launch {n} {x.get('kernel')}: {key}: {x.get(key)} / {y.get(key)}")
print(f"{len(a)} and {len(b)} launches: {'different' if bad else 'equal'}")
sys.exit(bad)
