#!/usr/bin/env python3
"""Random straight-line programs on amdsim and on a second emulator, register for register.
Run by hand:

    random_compare.py --amdsim BUILD/amdsim --emulator DIR --chip gfx942 --count 200
                      [--seed N] [--subnormals flush]

DIR holds a module `gcn` with CodeObject(bytes) and launch(code_object, name, grid, block,
argument_addresses). Inputs mix edge values, random bits and ordinary numbers; any NaN equals
any NaN. A program that ends in different registers is cut in half, and in half again, until
one instruction is found before which both agree and after which they do not. Differences that
the table EXPLAINED (below) accounts for are counted; any other is printed with its program, and
makes the exit status 1. The table says where the second emulator known so far departs from the
ISA; another may not need it.
"""
import argparse
import collections
import ctypes
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

REGS = 12      # vector registers v2.. that programs work on, and scalar ones s8..
STATE = 2 * REGS + 3  # rows that are compared: these, then VCC and SCC

# Where the second emulator differs: instructions (and modes), and what the ISA says that it does
# not do. Each of these has rows in assembly_*.cpp with values from the ISA's rule.
EXPLAINED = [
    ("", r"v_(mul|mad)_[ui]32_[ui]24",
     "operands are the low 24 bits, sign-extended for i24; the upper ones do not count"),
    ("", r"v_cvt_pk_[iu]16_[iu]32", "each value is clamped to 16 bits, not cut"),
    ("", r"v_cvt_[iu]32_f32", "out of range saturates, NaN gives 0"),
    ("", r"v_cvt_pk_?rtz_f16_f32", "rounds toward zero; overflow stays the largest number"),
    ("", r"v_(ceil|trunc|rndne|floor)_f32",
     "a zero result has the sign of its operand (and subnormals follow MODE)"),
    ("", r"v_fract_f32", "always less than one: LLVM takes min(x - floor(x), 1 - 2^-24) for it"),
    ("", r"v_frexp_(exp_i32|mant)_f32",
     "zero has exponent 0; a subnormal has its own exponent, or is zero where MODE flushes"),
    ("", r"v_ldexp_f32", "zero stays zero for any exponent; subnormals follow MODE"),
    ("", r"s_bfe_[iu]32",
     "the width has seven bits: from 32 on the field is all that is left, "
     "1 << width is not taken modulo 32"),
    ("", r"v_(max|min)(_num)?_f32", "subnormal operands follow MODE"),
    ("", r"v_(max|min)(_num)?_f16", "-0 is less than +0"),
    ("", r"v_cmp_class_f32", "a subnormal is of its own class, whatever MODE"),
    ("gfx9", r"v_fma_f16", "keeps the upper half of its destination"),
    ("", r"v_(pk_)?fma_f16", "product and sum are rounded once, to a half"),
    ("keep", r"v_(add|sub|mul|fma)_f32", "subnormals are kept"),
    ("keep", r"v_cmp_(lt|eq|le|gt|ge|nlt)_f32", "subnormals are kept"),
]


def nine(chip):
    return chip.startswith("gfx9")


def lanes_of(chip):
    return 64 if nine(chip) else 32


def names(chip):
    """(text, kinds) of each instruction: d, s vector destination and source; D, S scalar ones;
    c VCC; x a DPP pattern."""
    gfx9, gfx12 = nine(chip), chip.startswith("gfx12")
    n = lambda a, b: a if gfx9 else b
    num = "_num" if gfx12 else ""
    two = f"""v_and_b32 v_or_b32 v_xor_b32 v_xnor_b32 v_lshlrev_b32 v_lshrrev_b32 v_ashrrev_i32
        v_mul_lo_u32 v_mul_hi_u32 v_mul_hi_i32 v_mul_u32_u24 v_mul_i32_i24 v_min_u32 v_max_u32
        v_min_i32 v_max_i32 v_add_f32 v_sub_f32 v_mul_f32 v_ldexp_f32 v_max{num}_f32 v_min{num}_f32
        v_bcnt_u32_b32 v_bfm_b32 v_cvt_pk_i16_i32 v_cvt_pk_u16_u32 v_pk_add_u16 v_pk_sub_i16
        v_pk_mul_lo_u16 v_pk_max_i16 v_pk_min_u16 v_pk_lshlrev_b16 v_pk_ashrrev_i16
        v_mbcnt_lo_u32_b32 v_pk_add_f16 v_pk_mul_f16 v_add_f16 v_mul_f16 v_max{num}_f16
        v_min{num}_f16""".split()
    two += [n("v_add_u32", "v_add_nc_u32"), n("v_sub_u32", "v_sub_nc_u32"),
            n("v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32")]
    three = """v_fma_f32 v_mad_u32_u24 v_mad_i32_i24 v_bfe_u32 v_bfe_i32 v_bfi_b32 v_alignbit_b32
        v_alignbyte_b32 v_perm_b32 v_add3_u32 v_lshl_add_u32 v_add_lshl_u32 v_lshl_or_b32
        v_and_or_b32 v_or3_b32 v_xad_u32 v_min3_i32 v_max3_u32 v_med3_i32 v_med3_u32 v_sad_u32
        v_pk_mad_u16 v_pk_fma_f16 v_fma_f16""".split()
    one = """v_mov_b32 v_not_b32 v_bfrev_b32 v_cvt_f32_i32 v_cvt_f32_u32 v_cvt_i32_f32 v_cvt_u32_f32
        v_floor_f32 v_ceil_f32 v_trunc_f32 v_rndne_f32 v_fract_f32 v_cvt_f32_ubyte0 v_cvt_f32_ubyte3
        v_frexp_exp_i32_f32 v_frexp_mant_f32 v_cvt_f32_f16 v_cvt_f16_f32""".split()
    one += [n("v_ffbh_u32", "v_clz_i32_u32"), n("v_ffbl_b32", "v_ctz_i32_b32")]
    scalar2 = """s_add_u32 s_sub_u32 s_add_i32 s_sub_i32 s_and_b32 s_or_b32 s_xor_b32 s_lshl_b32
        s_lshr_b32 s_ashr_i32 s_mul_i32 s_mul_hi_u32 s_mul_hi_i32 s_min_i32 s_max_u32 s_bfe_u32
        s_bfe_i32 s_bfm_b32 s_absdiff_i32 s_pack_ll_b32_b16 s_pack_lh_b32_b16 s_cselect_b32
        s_addc_u32 s_subb_u32""".split() + [n("s_andn2_b32", "s_and_not1_b32")]
    scalar1 = """s_mov_b32 s_not_b32 s_brev_b32 s_bcnt1_i32_b32 s_sext_i32_i8 s_sext_i32_i16
        s_abs_i32""".split()
    compare = [f"v_cmp_{r}_{t}" for r in ("lt", "eq", "le", "gt", "ge")
               for t in ("i32", "u32", "f32")]
    compare += ["v_cmp_nlt_f32", "v_cmp_u_f32", "v_cmp_class_f32"]
    rows = [(x, "dss") for x in two] + [(x, "dsss") for x in three] + [(x, "ds") for x in one]
    rows += [(x, "DSS") for x in scalar2] + [(x, "DS") for x in scalar1]
    rows += [(x, "css") for x in compare]
    rows += [("v_cndmask_b32", "dssc"), ("v_readfirstlane_b32", "Ds"), ("s_cmp_lt_u32", "SS"),
             ("s_cmp_gt_i32", "SS")]
    return rows + [("v_mov_b32_dpp", "dsx")] * 3


def program(rng, chip, length, without):
    table = [x for x in names(chip) if x[0] not in without]
    vector = lambda: f"v{2 + rng.randrange(REGS)}"
    scalar = lambda: f"s{8 + rng.randrange(REGS)}"
    constant = lambda: str(rng.randrange(-16, 65))
    patterns = ["quad_perm:[1,0,3,2]", "quad_perm:[3,1,2,0]", "row_shl:3", "row_shr:7", "row_ror:5",
                "row_mirror", "row_half_mirror"]
    out = []
    for _ in range(length):
        name, kinds = rng.choice(table)
        plain = name in ("v_cndmask_b32", "v_readfirstlane_b32",
                         "v_mov_b32_dpp") or (not nine(chip) and name.startswith("v_pk"))
        operands, tail = [], ""
        for i, k in enumerate(kinds):
            if k == "d":
                operands.append(vector())
            elif k == "D":
                operands.append(scalar())
            elif k == "S":
                operands.append(scalar() if rng.random() < .8 else constant())
            elif k == "c":
                operands.append("vcc" if nine(chip) else "vcc_lo")
            elif k == "x":
                tail = (f" {rng.choice(patterns)} row_mask:0x{rng.randrange(1, 16):x}"
                        f" bank_mask:0x{rng.randrange(1, 16):x}")
                tail += " bound_ctrl:1" if rng.random() < .5 else ""
            # The first source may be a scalar register or a constant.
            elif i == 1 and not plain and rng.random() < .25:
                operands.append(scalar() if rng.random() < .6 else constant())
            else:
                operands.append(vector())
        out.append(f"{name} {', '.join(operands)}{tail}")
    return out


def kernel(n, body, chip, subnormals):
    gfx9, gfx12, lanes = nine(chip), chip.startswith("gfx12"), lanes_of(chip)
    load = {2: "s_load_b64", 16: "s_load_b512"}
    if gfx9:
        load = {2: "s_load_dwordx2", 16: "s_load_dwordx16"}
    wait = "s_wait_kmcnt 0x0" if gfx12 else "s_waitcnt lgkmcnt(0)"
    width = "dword" if gfx9 else "b32"
    vload, vstore = f"global_load_{width}", f"global_store_{width}"
    add = "v_add_u32" if gfx9 else "v_add_nc_u32"
    at = lambda i: [f"v_mov_b32 v41, {i}", f"{add} v41, v41, v40"]
    t = [f".globl k{n}", ".p2align 8", f".type k{n},@function", f"k{n}:",
         f"{load[2]} s[4:5], s[0:1], 0x0",
         f"{load[2]} s[6:7], s[0:1], 0x8", wait, f"{load[16]} s[8:23], s[4:5], 0x0", wait,
         "v_and_b32 v1, 0x3ff, v0",
         "v_lshlrev_b32 v40, 2, v1"]
    for i in range(REGS):
        t += at(64 + i * 4 * lanes) + [f"{vload} v{2 + i}, v41, s[4:5]"]
    t += ["s_wait_loadcnt 0x0" if gfx12 else "s_waitcnt vmcnt(0)",
          "s_mov_b64 vcc, 0" if gfx9 else "s_mov_b32 vcc_lo, 0",
          "s_cmp_eq_u32 s8, s8"]
    t += body + ["s_mov_b32 s20, vcc_lo", "s_mov_b32 s21, vcc_hi" if gfx9 else "s_mov_b32 s21, 0",
                                           "s_cselect_b32 s22, 1, 0"]
    for i in range(REGS):
        t += at(i * 4 * lanes) + [f"{vstore} v41, v{2 + i}, s[6:7]"]
    for i in range(STATE - REGS):
        t += [f"v_mov_b32 v42, s{8 + i}", *at((REGS + i) * 4 * lanes),
              f"{vstore} v41, v42, s[6:7]"]
    t += ["s_endpgm", f".Le{n}:", f".size k{n}, .Le{n}-k{n}", f".amdhsa_kernel k{n}",
          ".amdhsa_user_sgpr_kernarg_segment_ptr 1",
          ".amdhsa_kernarg_size 16", ".amdhsa_next_free_vgpr 64", ".amdhsa_next_free_sgpr 64",
          ".amdhsa_accum_offset 64" if gfx9 else ".amdhsa_wavefront_size32 1",
          f".amdhsa_float_denorm_mode_32 {0 if subnormals == 'flush' else 3}",
          ".amdhsa_float_denorm_mode_16_64 3", ".end_amdhsa_kernel"]
    return "\n".join(t)


def source(bodies, chip, subnormals):
    argument = ".size: 8, .value_kind: global_buffer, .address_space: global"
    meta = "".join(
        f"  - {{.name: k{n}, .symbol: k{n}.kd, .kernarg_segment_size: 16, "
        ".group_segment_fixed_size: 0, .private_segment_fixed_size: 0, "
        f".kernarg_segment_align: 8, .wavefront_size: {lanes_of(chip)}, "
        ".sgpr_count: 64, .vgpr_count: 64, .max_flat_workgroup_size: 64, "
        f".args: [{{.offset: 0, {argument}}}, {{.offset: 8, {argument}}}]}}\n"
        for n in range(len(bodies)))
    text = "\n".join(kernel(n, b, chip, subnormals) for n, b in enumerate(bodies))
    return (f".amdgcn_target \"amdgcn-amd-amdhsa--{chip}\"\n.text\n{text}\n"
            ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\n"
            f"amdhsa.target: amdgcn-amd-amdhsa--{chip}\namdhsa.kernels:\n{meta}...\n"
            ".end_amdgpu_metadata\n")


def inputs(rng, lanes):
    special = [0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
               0x7fc00000, 0x42280000, 0x3c004000,
               0x7bff0001]

    def word():
        r = rng.random()
        if r < .2:
            return rng.choice(special)
        if r < .6:
            return rng.getrandbits(32)
        if r < .85:
            return struct.unpack("<I", struct.pack("<f", rng.uniform(-1000, 1000)))[0]
        return rng.randrange(64)
    return struct.pack(f"<{16 + REGS * lanes}I", *[word() for _ in range(16 + REGS * lanes)])


def run_here(args):
    """Under amdsim: all kernels of the code object, results to a file."""
    hip = ctypes.CDLL("libamdhip64.so.5")
    data = open(args.inputs, "rb").read()
    lanes = lanes_of(args.chip)
    size, out_size = len(data) // args.count, STATE * lanes * 4

    def ok(e):
        if e:
            sys.exit(f"HIP error {e}")
    module, d_in, d_out = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    ok(hip.hipModuleLoad(ctypes.byref(module), args.object.encode()))
    ok(hip.hipMalloc(ctypes.byref(d_in), ctypes.c_size_t(size)))
    ok(hip.hipMalloc(ctypes.byref(d_out), ctypes.c_size_t(out_size)))
    with open(args.outputs, "wb") as f:
        for n in range(args.count):
            ok(hip.hipMemcpy(d_in, data[n * size:(n + 1) * size], ctypes.c_size_t(size), 1))
            function = ctypes.c_void_p()
            ok(hip.hipModuleGetFunction(ctypes.byref(function), module, f"k{n}".encode()))
            params = (ctypes.c_void_p * 2)(ctypes.addressof(d_in), ctypes.addressof(d_out))
            ok(hip.hipModuleLaunchKernel(function, 1, 1, 1, lanes, 1, 1, 0, None, params, None))
            out = ctypes.create_string_buffer(out_size)
            ok(hip.hipMemcpy(out, d_out, ctypes.c_size_t(out_size), 2))
            f.write(out.raw)


def is_nan(x):
    return x & 0x7fffffff > 0x7f800000


def same(a, b):
    """Equal, or NaN both: as floats, or each half as a half."""
    half_nan = lambda x: x & 0x7fff > 0x7c00
    half = lambda x, y: x == y or (half_nan(x) and half_nan(y))
    return a == b or (is_nan(a) and is_nan(b)) or (half(a & 0xffff, b & 0xffff) and
                                                   half(a >> 16, b >> 16))


def run_both(args, bodies, data):
    """Registers after each program, on both sides."""
    lanes = lanes_of(args.chip)
    words = STATE * lanes
    import gcn
    with tempfile.TemporaryDirectory() as d:
        open(f"{d}/p.s", "w").write(source(bodies, args.chip, args.subnormals))
        open(f"{d}/in", "wb").write(b"".join(data))
        subprocess.run([args.clang, "-c", "-x", "assembler", "--target=amdgcn-amd-amdhsa",
                        f"-mcpu={args.chip}", f"{d}/p.s", "-o", f"{d}/p.o"],
                       check=True)
        subprocess.run([args.lld, "-shared", f"{d}/p.o", "-o", f"{d}/p.co"], check=True)
        subprocess.run([args.amdsim, "--chip", args.chip, sys.executable, os.path.abspath(__file__),
                        "--chip", args.chip, "--count",
                        str(len(bodies)), "--object", f"{d}/p.co", "--inputs", f"{d}/in",
                        "--outputs", f"{d}/out"], check=True)
        raw = open(f"{d}/out", "rb").read()
        ours = [struct.unpack_from(f"<{words}I", raw, 4 * words * n) for n in range(len(bodies))]
        co, theirs = gcn.CodeObject(open(f"{d}/p.co", "rb").read()), []
        KEPT.append(co)
        for n in range(len(bodies)):
            i = ctypes.create_string_buffer(data[n], len(data[n]))
            o = ctypes.create_string_buffer(4 * words)
            pointers = [ctypes.c_uint64(ctypes.addressof(i)), ctypes.c_uint64(ctypes.addressof(o))]
            gcn.launch(co, f"k{n}", (1, 1, 1), (lanes, 1, 1),
                       [ctypes.addressof(x) for x in pointers])
            theirs.append(struct.unpack(f"<{words}I", o.raw))
    return ours, theirs


# Code objects: an emulator may remember what it decoded by address, so that none may be used again.
KEPT = []


def differences(mine, other):
    return [k for k in range(len(mine)) if not same(mine[k], other[k])]


def culprits(args, bodies, data):
    """Index of an instruction of each program before which both sides agree and after which they
    differ, both results, and whether they agree before it down to the payloads of NaN."""
    # Agree after `low` instructions, differ after `high`.
    low, high = [0] * len(bodies), [len(b) for b in bodies]
    found, exact = [None] * len(bodies), [True] * len(bodies)
    while any(h - l > 1 for l, h in zip(low, high)) or None in found:
        middle = [(l + h) // 2 if h - l > 1 else h for l, h in zip(low, high)]
        ours, theirs = run_both(args, [b[:m] for b, m in zip(bodies, middle)], data)
        for n, m in enumerate(middle):
            bad = differences(ours[n], theirs[n])
            if bad:
                high[n], found[n] = m, (ours[n], theirs[n], bad)
            else:
                low[n], exact[n] = m, ours[n] == theirs[n]
    return [h - 1 for h in high], found, exact


def main():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a = p.add_argument
    a("--amdsim")
    a("--emulator")
    a("--chip", default="gfx942")
    a("--count", type=int, default=200)
    a("--length", type=int, default=12)
    a("--seed", type=int, default=1)
    a("--subnormals", choices=["keep", "flush"], default="flush", help="MODE for single precision")
    a("--without", default="",
      help="instructions to leave out, with commas; known: those of the table EXPLAINED")
    a("--clang", default="clang-19")
    a("--lld", default="ld.lld-19")
    for internal in ("--object", "--inputs", "--outputs"):
        a(internal, help=argparse.SUPPRESS)
    args = p.parse_args()
    if args.outputs:
        return run_here(args)
    sys.path.insert(0, args.emulator)
    rng, lanes = random.Random(args.seed), lanes_of(args.chip)
    applies = lambda when: not when or when == args.subnormals or args.chip.startswith(when)
    explanation = lambda name: next((why for when, pattern, why in EXPLAINED if applies(when) and
                                     re.fullmatch(pattern, name)), None)
    without = set(args.without.split(","))
    if "known" in without:
        without |= {name for name, _ in names(args.chip) if explanation(name)}
    bodies = [program(rng, args.chip, args.length, without) for _ in range(args.count)]
    data = [inputs(rng, lanes) for _ in range(args.count)]
    ours, theirs = run_both(args, bodies, data)
    wrong = [n for n in range(args.count) if differences(ours[n], theirs[n])]
    explained, left = collections.Counter(), 0
    at, found, exact = culprits(args, [bodies[n] for n in wrong], [data[n] for n in wrong])
    for n, i, (mine, other, bad), agree in zip(wrong, at, found, exact):
        text = bodies[n][i]
        reason = explanation(text.split()[0])
        if not reason and not agree:
            explained["the payload of a NaN, which is not modelled, was used as an integer"] += 1
        elif reason:
            explained[text.split()[0] + ": " + reason] += 1
        else:
            left += 1
            print(f"program {n}, instruction {i}: {text}   ({len(bad)} values)")
            for k in bad[:4]:
                r = k // lanes
                register = (["v%d" % (2 + i) for i in range(REGS)] +
                            ["s%d" % (8 + i) for i in range(REGS)] + ["vcc_lo", "vcc_hi", "scc"])[r]
                print(f"    {register} lane {k % lanes}: "
                      f"amdsim {mine[k]:08x}, other {other[k]:08x}")
            if i:
                print("    after: " + "; ".join(bodies[n][:i]), flush=True)
    for reason, times in sorted(explained.items()):
        print(f"{times:4d} programs: {reason}")
    print(f"{args.chip}: {args.count} programs, {len(wrong)} differ, {left} unexplained")
    return left != 0


if __name__ == "__main__":
    sys.exit(main())
