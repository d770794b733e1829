"""How far ahead the main loop of a kernel loads: the products between a wide load from memory
and the wait that covers it.

Used by check_code_objects.py. A graph of the instructions is walked, so branches and the way
round the loop are followed.
"""
import collections
import itertools
import re

from amd_code_objects import is_matrix, is_multiply_add

Block = collections.namedtuple("Block", "code next")
Loop = collections.namedtuple("Loop", "blocks products header")
Prefetch = collections.namedtuple("Prefetch", "loads products least most")

LOAD_WIDTH = {"byte": 1, "u8": 1, "i8": 1, "b8": 1, "short": 2, "u16": 2, "i16": 2, "b16": 2,
              "dword": 4, "b32": 4, "dwordx2": 8, "b64": 8, "dwordx3": 12, "b96": 12,
              "dwordx4": 16, "b128": 16}
MEMORY_LOAD = re.compile(r"(global|buffer|flat|scratch)_load_|unknown_(global|buffer)_load")
NARROW = 2  # bytes a lane: single elements, where rows lie at odd addresses
MEMORY_STORE = re.compile(r"(global|buffer|flat|scratch)_store_")


def load_width(name):
    """Bytes that a load from memory brings each lane; 0 for anything else."""
    if not MEMORY_LOAD.match(name) or name.startswith("scratch_"):
        return 0
    if name.startswith("unknown_"):
        return 16
    return LOAD_WIDTH.get(re.sub(r"^[us](?=byte|short)", "", name.split("_")[-1]), 0)


def blocks_of(code):
    """Basic blocks: address -> Block. An instruction that ends the program has no successor."""
    starts = {code[0].address}
    for i, instruction in enumerate(code):
        if is_branch(instruction) or instruction.name in ("s_endpgm", "s_setpc_b64"):
            if instruction.target is not None:
                starts.add(instruction.target)
            if i + 1 < len(code):
                starts.add(code[i + 1].address)
    blocks, current = {}, None
    for i, instruction in enumerate(code):
        if instruction.address in starts:
            current = []
            begin = instruction.address
        current.append(instruction)
        last = i + 1 == len(code) or code[i + 1].address in starts
        if last:
            following = []
            # Where no lane is active there is no work: such branches are taken as if some were.
            if (is_branch(instruction) and instruction.target is not None
                    and instruction.name != "s_cbranch_execz"):
                following.append(instruction.target)
            ends = ("s_branch", "s_cbranch_execnz", "s_endpgm", "s_setpc_b64")
            if instruction.name not in ends and i + 1 < len(code):
                following.append(code[i + 1].address)
            blocks[begin] = Block(current, following)
    return {a: Block(b.code, [n for n in b.next if n in blocks]) for a, b in blocks.items()}


def is_branch(instruction):
    return instruction.name.startswith(("s_cbranch", "s_branch"))


def components(blocks, inside):
    """Strongly connected components of a part of the graph; single blocks without a way back to
    themselves left out (Tarjan)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in inside:
        if root in index:
            continue
        work = [(root, iter(blocks[root].next))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for n in following:
                if n not in inside:
                    continue
                if n not in index:
                    index[n] = low[n] = len(index)
                    stack.append(n)
                    on_stack.add(n)
                    work.append((n, iter(blocks[n].next)))
                    break
                if n in on_stack:
                    low[node] = min(low[node], index[n])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = set()
                    while True:
                        n = stack.pop()
                        on_stack.discard(n)
                        part.add(n)
                        if n == node:
                            break
                    if len(part) > 1 or node in blocks[node].next:
                        found.append(part)
    return found


def main_loop(code):
    """The loop with the most products, and what counts as one: matrix instructions, or
    multiply-adds where there are none."""
    blocks = blocks_of(code)
    is_product = is_matrix if any(is_matrix(i.name) for i in code) else is_multiply_add
    weight = lambda part: sum(is_product(i.name) for b in part for i in blocks[b].code)
    loops = components(blocks, set(blocks))
    if not loops:
        return None, is_product
    best = max(loops, key=weight)
    header = min((b for b in best if any(b in blocks[p].next for p in blocks if p not in best)),
                 default=min(best))
    inside = {b: Block(blocks[b].code, [n for n in blocks[b].next if n in best]) for b in best}
    return Loop(inside, weight(best), header), is_product


def waited(instruction):
    """Loads that may be outstanding behind a wait, or None."""
    if instruction.name == "s_waitcnt":
        found = re.search(r"vmcnt\((\d+)\)", instruction.operands)
        return int(found.group(1)) if found else None
    if instruction.name == "s_wait_loadcnt":
        return int(instruction.operands, 0)
    if instruction.name == "s_wait_loadcnt_dscnt":
        return int(instruction.operands, 0) >> 8
    return None


def forward_edges(loop):
    """The loop without its ways back (depth first), so that an iteration is walked once."""
    state, edges = {}, {b: [] for b in loop.blocks}
    work = [(loop.header, iter(loop.blocks[loop.header].next))]
    state[loop.header] = 1
    while work:
        node, following = work[-1]
        for n in following:
            if state.get(n) == 1:
                continue                                 # a way back
            edges[node].append(n)
            if n not in state:
                state[n] = 1
                work.append((n, iter(loop.blocks[n].next)))
                break
        else:
            state[node] = 2
            work.pop()
    return edges


def met_blocks(edges, rich):
    """For each block, the rich ones on the rest of the iteration, itself included."""
    met = {b: frozenset({b} & rich) for b in edges}
    changed = True
    while changed:
        changed = False
        for b, ahead in edges.items():
            more = met[b].union(*(met[n] for n in ahead))
            if more != met[b]:
                met[b], changed = more, True
    return met


def working_paths(loop, is_product):
    """The graphs of the loop's working paths. None passes by products or loads that a sibling
    meets (waves that a mask leaves idle, the last tile) or enters blocks that load two bytes or
    less (rows at odd addresses). Where there are two ways to load (whole tiles and ragged ones),
    a graph has one of them."""
    edges = forward_edges(loop)
    products = {b for b in loop.blocks if any(is_product(i.name) for i in loop.blocks[b].code)}
    loads = {b for b in loop.blocks
             if any(load_width(i.name) > NARROW for i in loop.blocks[b].code)}
    slow = {b for b in loop.blocks
            if any(0 < load_width(i.name) <= NARROW for i in loop.blocks[b].code)}
    rich = products | loads
    met = met_blocks(edges, rich)
    # Ragged tiles clamp the numbers of their rows before they load; unless all loads do,
    # they are no measure.
    clamped = {b for b in loads - products
               if any(i.name.startswith(("v_min_i32", "v_min_u32")) for i in loop.blocks[b].code)}
    if loads - slow - clamped:
        slow |= clamped
    choices = set()
    for ahead in edges.values():
        for one, other in itertools.combinations(ahead, 2):
            sides = (met[one] - met[other], met[other] - met[one])
            if all(sides) and not any(side & products for side in sides):
                choices.add(sides)
    for chosen in itertools.product(*choices):
        left_out = slow.union(*chosen)
        kept = {b: [n for n in ahead if n not in left_out]
                for b, ahead in edges.items() if b not in left_out}
        met = met_blocks(kept, rich)
        passed_by = {b: {n for n in ahead if any(met[n] < met[other] for other in ahead)}
                     for b, ahead in kept.items()}
        yield {b: [n for n in loop.blocks[b].next if n not in left_out and n not in passed_by[b]]
               for b in kept}


def prefetch(code, separate_stores):
    """Of the loads in the main loop that are wider than two bytes: the least and the most products,
    over loads, that pass on the shortest working path from a load to the wait that covers it.
    separate_stores: stores have a counter of their own."""
    loop, is_product = main_loop(code)
    if loop is None or loop.products == 0:
        return Prefetch(0, 0, 0, 0)
    best = Prefetch(0, loop.products, 0, 0)
    for edges in working_paths(loop, is_product):
        distances = []
        for b in edges:
            for at, instruction in enumerate(loop.blocks[b].code):
                if load_width(instruction.name) > NARROW:
                    distances.append(shortest_wait(loop, edges, b, at, is_product, separate_stores))
        distances = [d for d in distances if d is not None]
        if distances and (best.loads == 0 or min(distances) > best.least):
            best = Prefetch(len(distances), loop.products, min(distances), max(distances))
    return best


def shortest_wait(loop, edges, block, at, is_product, separate_stores):
    """Products between an instruction and the first wait that covers it, on the shortest path; None
    where no path has one."""
    # Products, block, next instruction, newer accesses.
    queue = collections.deque([(0, block, at + 1, 0)])
    seen = {}
    best = None
    while queue:
        products, b, i, newer = queue.popleft()
        if best is not None and products >= best:
            continue
        if i == 0:
            if seen.get((b, newer), products + 1) <= products:
                continue
            seen[(b, newer)] = products
        covered = False
        for instruction in loop.blocks[b].code[i:]:
            allowed = waited(instruction)
            if allowed is not None and allowed <= newer:
                best = products if best is None else min(best, products)
                covered = True
                break
            if (MEMORY_LOAD.match(instruction.name)
                    or not separate_stores and MEMORY_STORE.match(instruction.name)):
                newer = min(newer + 1, 63)
            products += is_product(instruction.name)
        if not covered:
            for n in edges[b]:
                queue.append((products, n, 0, newer))
    return best
