#!/usr/bin/env python3
"""Random straight-line programs on amdsim and on a second emulator, register for register. Run by hand:

    random_compare.py --amdsim BUILD/amdsim --emulator DIR --chip gfx942 --count 200 [--seed N]

DIR holds a module `gcn` with CodeObject(bytes) and launch(code_object, name, grid, block, argument_addresses). Exit status 1 if
any program differs; every difference is printed with the program. Single-precision subnormals are flushed (the second emulator
always does), and any NaN equals any NaN.
"""
import argparse, ctypes, os, random, struct, subprocess, sys, tempfile

REGS = 12      # vector registers v2.. that programs work on, and scalar ones s8..

def names(chip):
    """(text, kinds) of each instruction: d/s vector destination and source, D/S scalar, m mask destination, c VCC."""
    nine = chip.startswith("gfx9"); twelve = chip.startswith("gfx12")
    n = (lambda a, b: a if nine else b)
    num = "_num" if twelve else ""
    two = [n("v_add_u32", "v_add_nc_u32"), n("v_sub_u32", "v_sub_nc_u32"), "v_and_b32", "v_or_b32", "v_xor_b32", "v_xnor_b32", "v_lshlrev_b32", "v_lshrrev_b32", "v_ashrrev_i32", "v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32",
           "v_mul_u32_u24", "v_mul_i32_i24", "v_min_u32", "v_max_u32", "v_min_i32", "v_max_i32", "v_add_f32", "v_sub_f32", "v_mul_f32", f"v_max{num}_f32", f"v_min{num}_f32", "v_ldexp_f32", "v_bcnt_u32_b32", "v_bfm_b32",
           n("v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"), "v_cvt_pk_i16_i32", "v_cvt_pk_u16_u32", "v_pk_add_u16", "v_pk_sub_i16", "v_pk_mul_lo_u16", "v_pk_max_i16", "v_pk_min_u16", "v_pk_lshlrev_b16", "v_pk_ashrrev_i16",
           "v_mbcnt_lo_u32_b32"]
    three = ["v_fma_f32", "v_mad_u32_u24", "v_mad_i32_i24", "v_bfe_u32", "v_bfe_i32", "v_bfi_b32", "v_alignbit_b32", "v_alignbyte_b32", "v_perm_b32", "v_add3_u32", "v_lshl_add_u32", "v_add_lshl_u32", "v_lshl_or_b32", "v_and_or_b32",
             "v_or3_b32", "v_xad_u32", "v_min3_i32", "v_max3_u32", "v_med3_i32", "v_med3_u32", "v_sad_u32", "v_pk_mad_u16"]
    one = ["v_mov_b32", "v_not_b32", "v_bfrev_b32", "v_cvt_f32_i32", "v_cvt_f32_u32", "v_cvt_i32_f32", "v_cvt_u32_f32", "v_floor_f32", "v_ceil_f32", "v_trunc_f32", "v_rndne_f32", "v_fract_f32", "v_cvt_f32_ubyte0", "v_cvt_f32_ubyte3",
           n("v_ffbh_u32", "v_clz_i32_u32"), n("v_ffbl_b32", "v_ctz_i32_b32"), "v_frexp_exp_i32_f32", "v_frexp_mant_f32"]
    scalar2 = ["s_add_u32", "s_sub_u32", "s_add_i32", "s_sub_i32", "s_and_b32", "s_or_b32", "s_xor_b32", n("s_andn2_b32", "s_and_not1_b32"), "s_lshl_b32", "s_lshr_b32", "s_ashr_i32", "s_mul_i32", "s_mul_hi_u32", "s_mul_hi_i32", "s_min_i32",
               "s_max_u32", "s_bfe_u32", "s_bfe_i32", "s_bfm_b32", "s_absdiff_i32", "s_pack_ll_b32_b16", "s_pack_lh_b32_b16", "s_cselect_b32", "s_addc_u32", "s_subb_u32"]
    scalar1 = ["s_mov_b32", "s_not_b32", "s_brev_b32", "s_bcnt1_i32_b32", "s_sext_i32_i8", "s_sext_i32_i16", "s_abs_i32"]
    compare = ["v_cmp_%s_%s" % (r, t) for r in ("lt", "eq", "le", "gt", "ge") for t in ("i32", "u32", "f32")] + ["v_cmp_nlt_f32", "v_cmp_u_f32", "v_cmp_class_f32"]
    return ([(x, "dss") for x in two] + [(x, "dsss") for x in three] + [(x, "ds") for x in one] + [(x, "DSS") for x in scalar2] + [(x, "DS") for x in scalar1] + [(x, "css") for x in compare] +
            [("v_cndmask_b32", "dssc"), ("v_readfirstlane_b32", "Ds"), ("s_cmp_lt_u32", "SS"), ("s_cmp_gt_i32", "SS")])

def program(rng, chip, length, without):
    nine = chip.startswith("gfx9"); vcc = "vcc" if nine else "vcc_lo"; table = [x for x in names(chip) if x[0] not in without]; out = []
    v = lambda: f"v{2 + rng.randrange(REGS)}"
    s = lambda: f"s{8 + rng.randrange(REGS)}"
    for _ in range(length):
        name, kinds = rng.choice(table); ops = []
        scalar_used = (not nine and name.startswith("v_pk")) or name == "v_cndmask_b32"
        for i, k in enumerate(kinds):
            if k == "d": ops.append(v())
            elif k == "D": ops.append(s())
            elif k == "S": ops.append(s() if rng.random() < .8 else str(rng.randrange(-16, 65)))
            elif k == "c": ops.append(vcc)
            # the first source may be a scalar register or a constant
            elif i == 1 and not scalar_used and name != "v_readfirstlane_b32" and rng.random() < .25: ops.append(s() if rng.random() < .6 else str(rng.randrange(-16, 65)))
            else: ops.append(v())
        out.append(f"{name} {', '.join(ops)}")
    return out

def kernel(n, body, chip):
    nine = chip.startswith("gfx9"); twelve = chip.startswith("gfx12")
    load = (lambda k: {2: "s_load_dwordx2", 16: "s_load_dwordx16"}[k] if nine else {2: "s_load_b64", 16: "s_load_b512"}[k])
    wait = "s_wait_kmcnt 0x0" if twelve else "s_waitcnt lgkmcnt(0)"
    vload, vstore = ("global_load_dword", "global_store_dword") if nine else ("global_load_b32", "global_store_b32")
    vwait = "s_wait_loadcnt 0x0" if twelve else "s_waitcnt vmcnt(0)"
    t = [f".globl k{n}", ".p2align 8", f".type k{n},@function", f"k{n}:", f"{load(2)} s[4:5], s[0:1], 0x0", f"{load(2)} s[6:7], s[0:1], 0x8", wait, f"{load(16)} s[8:23], s[4:5], 0x0", wait,
         "v_and_b32 v1, 0x3ff, v0", "v_lshlrev_b32 v40, 2, v1"]
    lanes = 64 if nine else 32
    t += [f"v_mov_b32 v41, {64 + i * 4 * lanes}\n{'v_add_u32' if nine else 'v_add_nc_u32'} v41, v41, v40\n{vload} v{2 + i}, v41, s[4:5]" for i in range(REGS)]
    t += [vwait, "s_mov_b64 vcc, 0" if nine else "s_mov_b32 vcc_lo, 0", "s_cmp_eq_u32 s8, s8"] + body
    add = "v_add_u32" if nine else "v_add_nc_u32"
    for i in range(REGS): t += [f"v_mov_b32 v41, {i * 4 * lanes}", f"{add} v41, v41, v40", f"{vstore} v41, v{2 + i}, s[6:7]"]
    for i in range(REGS): t += [f"v_mov_b32 v42, s{8 + i}", f"v_mov_b32 v41, {(REGS + i) * 4 * lanes}", f"{add} v41, v41, v40", f"{vstore} v41, v42, s[6:7]"]
    t += ["s_endpgm", f".Le{n}:", f".size k{n}, .Le{n}-k{n}", f".amdhsa_kernel k{n}", ".amdhsa_user_sgpr_kernarg_segment_ptr 1", ".amdhsa_kernarg_size 16", ".amdhsa_next_free_vgpr 64", ".amdhsa_next_free_sgpr 64",
          ".amdhsa_accum_offset 64" if nine else ".amdhsa_wavefront_size32 1", ".amdhsa_float_denorm_mode_32 0", ".amdhsa_float_denorm_mode_16_64 3", ".end_amdhsa_kernel"]
    return "\n".join(t)

def source(bodies, chip):
    nine = chip.startswith("gfx9"); meta = "".join(
        f"  - {{.name: k{n}, .symbol: k{n}.kd, .kernarg_segment_size: 16, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .kernarg_segment_align: 8, .wavefront_size: {64 if nine else 32}, .sgpr_count: 64, .vgpr_count: 64,"
        f" .max_flat_workgroup_size: 64, .args: [{{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}, {{.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}]}}\n" for n in range(len(bodies)))
    return f".amdgcn_target \"amdgcn-amd-amdhsa--{chip}\"\n.text\n" + "\n".join(kernel(n, b, chip) for n, b in enumerate(bodies)) + f"\n.amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--{chip}\namdhsa.kernels:\n{meta}...\n.end_amdgpu_metadata\n"

def inputs(rng, lanes):
    special = [0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00000, 0x42280000]
    word = lambda: rng.choice(special) if rng.random() < .2 else rng.getrandbits(32) if rng.random() < .5 else struct.unpack("<I", struct.pack("<f", rng.uniform(-1000, 1000)))[0] if rng.random() < .6 else rng.randrange(64)
    return struct.pack(f"<{16 + REGS * lanes}I", *[word() for _ in range(16 + REGS * lanes)])

def run_here(args):
    """Under amdsim: all kernels of the code object, results to a file."""
    hip = ctypes.CDLL("libamdhip64.so.5"); data = open(args.inputs, "rb").read(); lanes = 64 if args.chip.startswith("gfx9") else 32
    ok = lambda e: e == 0 or sys.exit(f"HIP error {e}")
    module = ctypes.c_void_p(); ok(hip.hipModuleLoad(ctypes.byref(module), args.object.encode()))
    size = len(data) // args.count; out_size = 2 * REGS * lanes * 4
    d_in, d_out = ctypes.c_void_p(), ctypes.c_void_p(); ok(hip.hipMalloc(ctypes.byref(d_in), ctypes.c_size_t(size))); ok(hip.hipMalloc(ctypes.byref(d_out), ctypes.c_size_t(out_size)))
    with open(args.outputs, "wb") as f:
        for n in range(args.count):
            ok(hip.hipMemcpy(d_in, data[n * size:(n + 1) * size], ctypes.c_size_t(size), 1))
            function = ctypes.c_void_p(); ok(hip.hipModuleGetFunction(ctypes.byref(function), module, f"k{n}".encode()))
            params = (ctypes.c_void_p * 2)(ctypes.addressof(d_in), ctypes.addressof(d_out))
            ok(hip.hipModuleLaunchKernel(function, 1, 1, 1, lanes, 1, 1, 0, None, params, None))
            out = ctypes.create_string_buffer(out_size); ok(hip.hipMemcpy(out, d_out, ctypes.c_size_t(out_size), 2)); f.write(out.raw)

def main():
    p = argparse.ArgumentParser(description=__doc__); a = p.add_argument
    a("--amdsim"); a("--emulator"); a("--chip", default="gfx942"); a("--count", type=int, default=200); a("--length", type=int, default=12); a("--seed", type=int, default=1)
    a("--without", default="", help="instructions to leave out, with commas: those that the second emulator is known to get wrong")
    a("--clang", default="clang-19"); a("--lld", default="ld.lld-19"); a("--object"); a("--inputs"); a("--outputs"); args = p.parse_args()
    if args.outputs: return run_here(args)
    rng = random.Random(args.seed); lanes = 64 if args.chip.startswith("gfx9") else 32
    bodies = [program(rng, args.chip, args.length, set(args.without.split(","))) for _ in range(args.count)]; data = [inputs(rng, lanes) for _ in range(args.count)]
    with tempfile.TemporaryDirectory() as d:
        open(f"{d}/p.s", "w").write(source(bodies, args.chip)); open(f"{d}/in", "wb").write(b"".join(data))
        subprocess.run([args.clang, "-c", "-x", "assembler", "--target=amdgcn-amd-amdhsa", f"-mcpu={args.chip}", f"{d}/p.s", "-o", f"{d}/p.o"], check=True)
        subprocess.run([args.lld, "-shared", f"{d}/p.o", "-o", f"{d}/p.co"], check=True)
        subprocess.run([args.amdsim, "--chip", args.chip, sys.executable, os.path.abspath(__file__), "--chip", args.chip, "--count", str(args.count), "--object", f"{d}/p.co", "--inputs", f"{d}/in", "--outputs", f"{d}/out"], check=True)
        ours = open(f"{d}/out", "rb").read(); sys.path.insert(0, args.emulator); import gcn
        co = gcn.CodeObject(open(f"{d}/p.co", "rb").read()); out_size = 2 * REGS * lanes * 4; different = 0
        for n in range(args.count):
            i, o = ctypes.create_string_buffer(data[n], len(data[n])), ctypes.create_string_buffer(out_size)
            pointers = [ctypes.c_uint64(ctypes.addressof(i)), ctypes.c_uint64(ctypes.addressof(o))]
            gcn.launch(co, f"k{n}", (1, 1, 1), (lanes, 1, 1), [ctypes.addressof(x) for x in pointers])
            mine, theirs = struct.unpack(f"<{2 * REGS * lanes}I", ours[n * out_size:(n + 1) * out_size]), struct.unpack(f"<{2 * REGS * lanes}I", o.raw)
            nan = lambda x: x & 0x7fffffff > 0x7f800000
            bad = [k for k in range(2 * REGS * lanes) if mine[k] != theirs[k] and not (nan(mine[k]) and nan(theirs[k]))]
            if bad:
                different += 1; k = bad[0]; r = k // lanes
                print(f"program {n}: {'v%d' % (2 + r) if r < REGS else 's%d' % (8 + r - REGS)} lane {k % lanes}: amdsim {mine[k]:08x}, other {theirs[k]:08x} ({len(bad)} values)"); print("    " + "\n    ".join(bodies[n]), flush=True)
        print(f"{args.chip}: {args.count} programs, {different} differ"); return different != 0

if __name__ == "__main__": sys.exit(main())
