"""What AMD's code objects say: kernels with their registers and memory, their instructions, and
the loop that does the work.

Used by check_code_objects.py. Tools: LLVM 19's readelf, objdump and cxxfilt (packages llvm-19).
"""
import collections
import os
import re
import struct
import subprocess
import tempfile

BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"

# What one SIMD holds: vector registers a lane, the unit in which they are given out, most waves;
# and LDS: bytes that a workgroup may have, bytes of a compute unit, and the SIMDs that share them.
Chip = collections.namedtuple("Chip", "registers granule waves wave_size group_lds lds simds")
CHIPS = {
    "gfx90a": Chip(512, 8, 8, 64, 65536, 65536, 4),
    "gfx942": Chip(512, 8, 8, 64, 65536, 65536, 4),
    "gfx950": Chip(512, 8, 8, 64, 163840, 163840, 4),
    "gfx1100": Chip(1536, 24, 16, 32, 65536, 131072, 4),
    "gfx1101": Chip(1536, 24, 16, 32, 65536, 131072, 4),
    "gfx1102": Chip(1024, 16, 16, 32, 65536, 131072, 4),
    "gfx1151": Chip(1536, 24, 16, 32, 65536, 131072, 4),
    "gfx1200": Chip(1536, 24, 16, 32, 65536, 131072, 4),
    "gfx1201": Chip(1536, 24, 16, 32, 65536, 131072, 4),
}

# gfx950's instructions that LLVM 19 does not know: bits of the first word and their value,
# the name, and what to put in place of these bits to get an instruction of the same
# length that it does know.
VOP3, VOP1 = 0xFFFF0000, 0xFE01FE00
GFX950 = [
    (VOP3, 0xD3B50000, "v_mfma_f32_16x16x32_bf16", 0xD3E10000),
    (VOP3, 0xD3B70000, "v_mfma_f32_32x32x16_bf16", 0xD3E10000),
    (VOP3, 0xD3D40000, "v_mfma_f32_16x16x32_f16", 0xD3E10000),
    (VOP3, 0xD3D50000, "v_mfma_f32_32x32x16_f16", 0xD3E10000),
    (VOP3, 0xD2680000, "v_cvt_pk_bf16_f32", 0xD1CB0000),
    (0xFE000000, 0x2C000000, "v_dot2c_f32_bf16", 0x6E000000),
    (VOP1, 0x7E00B000, "v_prng_b32", 0x7E000200),
    (VOP1, 0x7E00B200, "v_permlane16_swap_b32", 0x7E000200),
    (VOP1, 0x7E00B400, "v_permlane32_swap_b32", 0x7E000200),
    (VOP1, 0x7E00B600, "v_cvt_f32_bf16", 0x7E000200),
    # The rest of a format: its length is told by its upper bits.
    (0xFC000000, 0xD0000000, "unknown_vop3", 0xD1CB0000),
    (0xFC000000, 0xD8000000, "unknown_ds", 0xD8EC0000),
    (0xFC000000, 0xDC000000, "unknown_global_load", 0xDC5C0000),
    (0xFC000000, 0xE0000000, "unknown_buffer_load", 0xE05C0000),
]

Instruction = collections.namedtuple("Instruction", "address name operands target")


def run(*command, given=None):
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=True).stdout


def bundled(data, chip):
    """The code objects for the chip inside an object file or a program."""
    found = []
    at = data.find(BUNDLE)
    while at >= 0:
        count, = struct.unpack_from("<Q", data, at + len(BUNDLE))
        entry = at + len(BUNDLE) + 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, entry)
            name = data[entry + 24:entry + 24 + length].decode()
            entry += 24 + length
            if size and re.search(rf"-{chip}(:|-|$)", name):
                found.append(data[at + offset:at + offset + size])
        at = data.find(BUNDLE, at + 1)
    return found


def parse_notes(text):
    """Kernels of `llvm-readelf --notes`: symbol -> {".vgpr_count": 241, ...}."""
    kernels, current, depth = {}, None, None
    for line in text.splitlines():
        found = re.match(r"( *)(- )?(\.[\w.]+): *(.*)$", line)
        if not found:
            continue
        column = len(found.group(1)) + len(found.group(2) or "")
        if found.group(2) and (depth is None or column <= depth):
            current, depth = {}, column
        if current is None or column != depth:
            continue                                     # of an argument
        value = found.group(4)
        current[found.group(3)] = int(value) if re.fullmatch(r"-?\d+", value) else value.strip("'")
        if found.group(3) == ".name":
            kernels[current[".name"]] = current
    return kernels


def parse_disassembly(text):
    """Functions of `llvm-objdump -d`: symbol -> instructions. `target` is the address that a
    branch goes to, or None."""
    functions, begins, current = {}, {}, None
    for line in text.splitlines():
        found = re.match(r"([0-9a-f]+) <(.*)>:$", line)
        if found:
            current = functions.setdefault(found.group(2), [])
            begins[found.group(2)] = int(found.group(1), 16)
            continue
        found = re.match(
            r"\s+(\S+)\s*(.*?)\s*// ([0-9A-F]+): [0-9A-F ]+(?:<(.*?)(?:\+0x([0-9a-f]+))?>)?\s*$",
            line)
        if found and current is not None:
            name, operands, address, symbol, offset = found.groups()
            target = begins[symbol] + int(offset or "0", 16) if symbol in begins else None
            current.append(Instruction(int(address, 16), name, operands, target))
    return functions


def text_section(data):
    """Offset in the file minus address of the section .text."""
    header, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, header + i * size) for i in range(count)]
    for name, _, _, address, offset, _ in sections:
        at = sections[names][4] + name
        if data[at:data.index(b"\0", at)] == b".text":
            return offset - address
    raise ValueError("no section .text")


def stand_in_for(word):
    """The name of an instruction of gfx950 and a function that makes its words those of its
    stand-in; None where it is not known."""
    for mask, value, name, other in GFX950:
        if word & mask == value:
            whole = 0xFFFF0000 if name.startswith("unknown") else mask

            def change(word0, word1):
                # Modifiers of vector arithmetic may mean something else.
                if other >> 24 in (0xD1, 0xD2):
                    return other | word0 & 0xFF, word1 & 0x07FFFFFF
                return other | word0 & ~whole, word1

            return name, change
    return None


def length_of(word):
    """Bytes of an instruction by its first word: four, and eight in the long formats
    and with a literal."""
    long_format = word >> 26 in (0x34, 0x36, 0x37, 0x38)
    return 8 if long_format or word & 0x1FF == 0xFF else 4


def unknown_in_step(code):
    """The instructions of a function that the disassembler did not know, as far as it was
    in step: behind one of eight bytes it goes on with the second half, and may be out of
    step from there on."""
    expected = None
    for i in code:
        if expected is not None and i.address > expected:
            return                                       # out of step: the next round sees more
        if expected is not None and i.address < expected:
            continue
        expected = None
        if i.name == ".long":
            yield i
            expected = i.address + length_of(int(i.operands, 16))


def disassemble(data, chip):
    """Functions of a code object. What LLVM 19 does not know of gfx950 is put in by hand: an
    instruction of the same length stands in while the rest is read, since a wrong length would make
    nonsense of what follows."""
    shift, renamed, data = text_section(data), {}, bytearray(data)
    known = "gfx942" if chip == "gfx950" else chip

    def replace(instruction):
        stand_in = stand_in_for(int(instruction.operands, 16)) if chip == "gfx950" else None
        if stand_in is None or instruction.address in renamed:
            place = f"{instruction.operands} at {instruction.address:#x}"
            raise ValueError(f"{chip}: instruction {place} is not known")
        renamed[instruction.address] = stand_in[0]
        at = instruction.address + shift
        struct.pack_into("<II", data, at, *stand_in[1](*struct.unpack_from("<II", data, at)))

    while True:
        with tempfile.NamedTemporaryFile(suffix=".elf") as file:
            file.write(data)
            file.flush()
            text = run(tool("llvm-objdump"), "-d", "--triple=amdgcn-amd-amdhsa",
                       "--mcpu=" + known, file.name)
        functions = parse_disassembly(text)
        unknown = [i for code in functions.values() for i in unknown_in_step(code)]
        if not unknown:
            break
        for i in unknown:
            replace(i)
    return {symbol: [i._replace(name=renamed.get(i.address, i.name)) for i in code]
            for symbol, code in functions.items()}


def tool(name):
    for folder in ("/usr/lib/llvm-19/bin/", "/opt/rocm/llvm/bin/"):
        if os.path.exists(folder + name):
            return folder + name
    return name + "-19"


def read(path, chip):
    """Kernels of an object file or program for the chip: (demangled name, notes, instructions)."""
    with open(path, "rb") as file:
        data = file.read()
    for elf in [data] if data[:4] == b"\x7fELF" and BUNDLE not in data else bundled(data, chip):
        with tempfile.NamedTemporaryFile(suffix=".elf") as file:
            file.write(elf)
            file.flush()
            kernels = parse_notes(run(tool("llvm-readelf"), "--notes", file.name))
        functions = disassemble(elf, chip)
        for symbol, notes in kernels.items():
            yield run(tool("llvm-cxxfilt"), symbol).strip(), notes, functions[symbol]


def occupancy(chip, notes):
    """Waves on a SIMD that registers and LDS allow."""
    c = CHIPS[chip]
    registers = -(-max(notes[".vgpr_count"], 1) // c.granule) * c.granule
    by_registers = min(c.waves, c.registers // registers)
    group_waves = -(-notes[".max_flat_workgroup_size"] // c.wave_size)
    lds = notes[".group_segment_fixed_size"]
    groups = c.lds // lds if lds else 10**6
    by_lds = groups * group_waves / c.simds
    return int(min(by_registers, by_lds)) if by_lds >= 1 else by_lds


def is_matrix(name):
    return name.startswith(("v_mfma_", "v_wmma_", "v_swmmac_", "v_smfmac_"))


def is_multiply_add(name):
    return name.startswith(("v_fma_f32", "v_fmac_f32", "v_fmaak_f32", "v_pk_fma_f32",
                            "v_dual_fmac_f32", "v_dual_fmaak_f32"))
