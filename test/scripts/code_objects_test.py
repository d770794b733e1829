#!/usr/bin/env python3
"""Tests of scripts/check_code_objects.py and its parts, on disassembly and notes that stand
here: no compiler is needed."""
import pathlib
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import amd_code_objects  # noqa: E402
import amd_prefetch  # noqa: E402
import check_code_objects  # noqa: E402

NOTES = """
    AMDGPU Metadata:
        ---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .offset:         0
        .size:           264
        .value_kind:     by_value
    .group_segment_fixed_size: 65536
    .max_flat_workgroup_size: 512
    .name:           first
    .private_segment_fixed_size: 0
    .sgpr_count:     106
    .sgpr_spill_count: 12
    .vgpr_count:     234
    .vgpr_spill_count: 0
  - .args:
      - .name:           an_argument
        .size:           8
    .group_segment_fixed_size: 0
    .max_flat_workgroup_size: 128
    .name:           second
    .private_segment_fixed_size: 28
    .sgpr_count:     16
    .sgpr_spill_count: 0
    .vgpr_count:     100
    .vgpr_spill_count: 3
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
"""

LINE = "\t{:58} // {:012X}: {}{}"


def assembled(*lines):
    """Disassembly of a function at 0x1000 out of lines "name operands" or "branch >LABEL", with
    labels on lines of their own. All instructions have four bytes."""
    labels, code = {}, []
    for line in lines:
        if line.endswith(":"):
            labels[line[:-1]] = 0x1000 + 4 * len(code)
        else:
            code.append(line)
    text = ["", "0000000000001000 <kernel>:"]
    for i, line in enumerate(code):
        words, _, label = line.partition(" >")
        target = f" <kernel+0x{labels[label] - 0x1000:x}>" if label else ""
        text.append(LINE.format(words + (" 1" if label else ""), 0x1000 + 4 * i,
                                "BF800000", target))
    return amd_code_objects.parse_disassembly("\n".join(text))["kernel"]


LOAD = "global_load_dwordx4 v[0:3], v4, s[0:1]"
MATRIX = "v_mfma_f32_16x16x16_bf16 v[8:11], v[4:5], v[6:7], v[8:11]"


class Reading(unittest.TestCase):
    def test_notes(self):
        kernels = amd_code_objects.parse_notes(NOTES)
        self.assertEqual(sorted(kernels), ["first", "second"])
        self.assertEqual(kernels["first"][".vgpr_count"], 234)
        self.assertEqual(kernels["first"][".sgpr_spill_count"], 12)
        self.assertEqual(kernels["second"][".private_segment_fixed_size"], 28)
        self.assertNotIn(".size", kernels["first"])

    def test_disassembly(self):
        code = assembled("s_mov_b32 s0, 0", "loop:", MATRIX, "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual([i.name for i in code],
                         ["s_mov_b32", "v_mfma_f32_16x16x16_bf16", "s_cbranch_scc1", "s_endpgm"])
        self.assertEqual([i.address for i in code], [0x1000, 0x1004, 0x1008, 0x100C])
        self.assertEqual([i.target for i in code], [None, None, 0x1004, None])
        self.assertEqual(code[0].operands, "s0, 0")

    def test_unknown_instructions(self):
        # eight bytes at 0x1004; the second half is no instruction, then the disassembler is in step
        # again, until 0x1018
        code = [amd_code_objects.Instruction(*i, None) for i in (
            (0x1000, "s_nop", "0"), (0x1004, ".long", "0xd3b50000"),
            (0x1008, ".long", "0x12345678"), (0x100C, "s_nop", "0"),
            (0x1010, ".long", "0x7e00b602"), (0x1014, "s_nop", "0"),
            (0x1018, ".long", "0xd8000000"), (0x101C, "v_fma_f32", "garbage"),
            (0x1024, ".long", "0xd3b50000"))]
        self.assertEqual([i.address for i in amd_code_objects.unknown_in_step(code)],
                         [0x1004, 0x1010, 0x1018])
        name, change = amd_code_objects.stand_in_for(0xD3B500D6)
        self.assertEqual(name, "v_mfma_f32_16x16x32_bf16")
        self.assertEqual([hex(w) for w in change(0xD3B500D6, 0x06ABCDEF)],
                         ["0xd3e100d6", "0x6abcdef"])
        self.assertEqual(amd_code_objects.stand_in_for(0x2DC1A4FF)[0], "v_dot2c_f32_bf16")
        self.assertEqual(hex(amd_code_objects.stand_in_for(0x2DC1A4FF)[1](0x2DC1A4FF, 0)[0]),
                         "0x6fc1a4ff")
        self.assertIsNone(amd_code_objects.stand_in_for(0xC0000000))

    def test_bundle(self):
        entry, payload = b"hipv4-amdgcn-amd-amdhsa--gfx942", b"an elf"
        head = amd_code_objects.BUNDLE + struct.pack("<Q", 1)
        table = struct.pack("<QQQ", len(head) + 24 + len(entry), len(payload), len(entry)) + entry
        data = b"before" + head + table + payload + b"behind"
        self.assertEqual(amd_code_objects.bundled(data, "gfx942"), [payload])
        self.assertEqual(amd_code_objects.bundled(data, "gfx90a"), [])
        self.assertEqual(amd_code_objects.bundled(data, "gfx94"), [])

    def test_occupancy(self):
        kernels = amd_code_objects.parse_notes(NOTES)
        waves = amd_code_objects.occupancy
        # 512 / 240; a group of 8 waves fills the LDS
        self.assertEqual(waves("gfx942", kernels["first"]), 2)
        self.assertEqual(waves("gfx942", kernels["second"]), 4)          # 512 / 104
        self.assertEqual(waves("gfx1100", kernels["second"]), 12)        # 1536 / 120
        self.assertEqual(waves("gfx1102", kernels["second"]), 9)         # 1024 / 112
        self.assertEqual(waves("gfx942", {**kernels["first"], ".max_flat_workgroup_size": 256}), 1)
        self.assertEqual(waves("gfx942", {**kernels["first"], ".max_flat_workgroup_size": 128}),
                         0.5)

    def test_names(self):
        name = check_code_objects.kernel_name

        def kernel(shape, call):
            call = f"fa::forward_call<fa::forward_shape<{shape}>, {call}, true>"
            return f"void fa::amd_entry<fa::forward_kernel, {call}>({call}, long)"

        rounding = "(fa::weight_rounding)"
        self.assertEqual(name(kernel(f"fa::bf16, fa::bf16, 128, 128, {rounding}0, void",
                                     "fa::bf16, fa::window, fa::no_score")),
                         "bf16 128/128 window")
        self.assertEqual(name(kernel(f"float, float, 192, 128, {rounding}2, void",
                                     "float, m<1, 2>, fa::no_score")),
                         "f32 192/128 m<1, 2> rounding (weight_rounding)2")
        self.assertEqual(name(kernel(f"fa::f16, fa::f16, 64, 64, {rounding}0, void",
                                     "float, fa::causal_top_left, s")),
                         "f16 64/64 causal_top_left s to f32")
        self.assertIsNone(name("void other(int)"))


class PrefetchDistance(unittest.TestCase):
    def ahead(self, *lines, separate=False):
        return amd_prefetch.prefetch(assembled(*lines), separate)

    def test_in_flight(self):
        found = self.ahead("loop:", LOAD, MATRIX, MATRIX, MATRIX, "s_waitcnt vmcnt(0)", MATRIX,
                           "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.loads, found.products, found.least), (1, 4, 3))

    def test_sunk_to_its_use(self):
        found = self.ahead("loop:", MATRIX, MATRIX, MATRIX, LOAD, "s_waitcnt vmcnt(0)",
                           "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual(found.least, 0)

    def test_around_the_loop(self):
        found = self.ahead("loop:", MATRIX, MATRIX, "s_waitcnt vmcnt(0)", MATRIX, LOAD, MATRIX,
                           "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual(found.least, 3)

    def test_a_wait_that_leaves_it_in_flight(self):
        found = self.ahead("loop:", LOAD, LOAD, MATRIX, "s_waitcnt vmcnt(2)", MATRIX,
                           "s_waitcnt vmcnt(1)", MATRIX,
                           "s_waitcnt vmcnt(0)", MATRIX, "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.least, found.most), (2, 3))

    def test_a_reload_of_spilled_registers_waits_for_all(self):
        found = self.ahead("loop:", LOAD, MATRIX, "scratch_load_dword v9, off, s0",
                           "s_waitcnt vmcnt(0)", MATRIX, MATRIX,
                           "s_waitcnt vmcnt(0)", "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.loads, found.least), (1, 1))

    def test_stores_count_where_they_share_the_counter(self):
        loop = ["loop:", LOAD, "global_store_dword v0, v1, s[0:1]", MATRIX, "s_waitcnt vmcnt(1)",
                MATRIX, "s_waitcnt vmcnt(0)",
                "s_cbranch_scc1 >loop", "s_endpgm"]
        self.assertEqual(self.ahead(*loop).least, 1)
        self.assertEqual(self.ahead(*loop, separate=True).least, 2)

    def test_rdna4(self):
        product = "v_wmma_f32_16x16x16_bf16 v[0:7], v[8:11], v[8:11], v[0:7]"
        found = self.ahead("loop:", "global_load_b128 v[0:3], v4, s[0:1]", product,
                           "s_wait_dscnt 0x0", product,
                           "s_wait_loadcnt 0x0", "s_cbranch_scc1 >loop", "s_endpgm", separate=True)
        self.assertEqual((found.products, found.least), (2, 2))

    def test_idle_waves_are_no_measure(self):
        found = self.ahead("loop:", LOAD, "s_cbranch_scc0 >idle", MATRIX, MATRIX, "idle:",
                           "s_waitcnt vmcnt(0)",
                           "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual(found.least, 2)

    def test_of_two_ways_to_load_the_better(self):
        found = self.ahead("loop:", "s_cbranch_scc0 >ragged", LOAD, "s_branch >loaded", "ragged:",
                           LOAD, "s_waitcnt vmcnt(0)",
                           "loaded:", MATRIX, MATRIX, "s_waitcnt vmcnt(0)",
                           "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.loads, found.least), (1, 2))

    def test_rows_at_odd_addresses_are_no_measure(self):
        found = self.ahead("loop:", "s_cbranch_scc0 >odd", LOAD, "s_branch >loaded", "odd:",
                           "global_load_ushort v0, v4, s[0:1]",
                           "s_waitcnt vmcnt(0)", LOAD, "s_waitcnt vmcnt(0)", "loaded:", MATRIX,
                           "s_waitcnt vmcnt(0)",
                           "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.loads, found.least), (1, 1))

    def test_ragged_tiles_are_no_measure(self):
        clamp = "v_min_u32_e32 v4, s4, v4"
        found = self.ahead("loop:", "s_cbranch_scc0 >whole", clamp, LOAD, "s_waitcnt vmcnt(0)",
                           "whole:", "s_cbranch_scc1 >loaded", LOAD,
                           "loaded:", MATRIX, MATRIX, "s_waitcnt vmcnt(0)",
                           "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.loads, found.least), (1, 2))
        found = self.ahead("loop:", clamp, LOAD, MATRIX, "s_waitcnt vmcnt(0)",
                           "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.loads, found.least), (1, 1))

    def test_the_loop_that_does_the_work(self):
        found = self.ahead("first:", LOAD, "s_waitcnt vmcnt(0)", MATRIX, "s_cbranch_scc1 >first",
                           "loop:", LOAD, MATRIX, MATRIX,
                           "s_waitcnt vmcnt(0)", "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.products, found.least), (2, 2))

    def test_multiply_adds_where_there_are_no_matrix_instructions(self):
        found = self.ahead("loop:", LOAD, "v_fma_f32 v0, v1, v2, v3",
                           "v_dual_fmac_f32 v0, v1, v2 :: v_dual_mul_f32 v4, v5, v6",
                           "s_waitcnt vmcnt(0)", "s_cbranch_scc1 >loop", "s_endpgm")
        self.assertEqual((found.products, found.least), (2, 2))

    def test_no_loop(self):
        self.assertEqual(self.ahead(LOAD, "s_waitcnt vmcnt(0)", MATRIX, "s_endpgm").loads, 0)


class Rules(unittest.TestCase):
    good = {"spills": 0, "scratch": 0, "agpr": 0, "moves": 0, "vgpr": 256, "lds": 65536,
            "instruction": "v_mfma_f32_16x16x16_bf16", "products": 100, "waves": 2,
            "loads": 4, "ahead": 25}
    limits = {"instruction": "v_mfma_f32_*bf16", "waves": "2", "ahead": "0.25"}

    def broken(self, limits=None, **changes):
        return len(check_code_objects.broken("gfx942", {**self.good, **changes},
                                             limits or self.limits))

    def test_each_rule(self):
        self.assertEqual(self.broken(), 0)
        for change in ({"spills": 1}, {"scratch": 4}, {"agpr": 1}, {"moves": 1}, {"vgpr": 257},
                       {"lds": 65540},
                       {"instruction": "none"},
                       {"instruction": "v_mfma_f32_16x16x16_f16"}, {"waves": 1}, {"loads": 0},
                       {"ahead": 24}):
            self.assertEqual(self.broken(**change), 1, change)
        self.assertEqual(len(check_code_objects.broken("gfx942", self.good, None)), 1)
        self.assertEqual(len(check_code_objects.broken("gfx950", {**self.good, "lds": 163840},
                                                       self.limits)), 0)

    def test_first_line_that_fits(self):
        rows = [{"chip": "gfx942", "kernel": "bf16 256*", "waves": "1"},
                {"chip": "gfx9*", "kernel": "bf16 *", "waves": "2"}]
        self.assertEqual(check_code_objects.limits_for(rows, "gfx942",
                                                       "bf16 256/256 window")["waves"], "1")
        self.assertEqual(check_code_objects.limits_for(rows, "gfx90a",
                                                       "bf16 256/256 window")["waves"], "2")
        self.assertIsNone(check_code_objects.limits_for(rows, "gfx1100", "bf16 64/64 window"))


if __name__ == "__main__":
    unittest.main()
