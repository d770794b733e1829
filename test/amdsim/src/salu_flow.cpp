// Operations that steer a wave: the mode and other hardware registers, branches,
// barriers, waits, messages.
#include "salu.hpp"
#include "schedule.hpp"

namespace amdsim {
namespace {

// ---- hardware registers: id in bits 0..5, offset in 6..10, size - 1 in 11..15 of the immediate

u32 hardware_register(const wave& w, u32 id) {
  switch (id) {
    case 1: return w.mode;
    case 2:
      return (w.scc ? 1u : 0u) | (w.exec() == 0 ? 1u << 9 : 0u) |
             (w.mask(sreg::vcc) == 0 ? 1u << 10 : 0u);
    case 4:
    case 23: return w.id;  // HW_ID: the wave's slot
    case 15: return high32(shared_aperture) << 16 | high32(private_aperture) >> 16;
    case 20: return 0;                          // XCC_ID: one die
    case 29: return static_cast<u32>(w.total);  // SHADER_CYCLES
    default: return 0;
  }
}
void getreg(wave& w, const op& o) {
  const u32 id = o.imm & 63, at = o.imm >> 6 & 31, n = (o.imm >> 11 & 31) + 1;
  const u32 x = hardware_register(w, id) >> at;
  w.set32(o.sdst, n == 32 ? x : x & ((1u << n) - 1));
}
void setreg(wave& w, const op& o) {
  const u32 id = o.imm & 63, at = o.imm >> 6 & 31, n = (o.imm >> 11 & 31) + 1;
  const u32 mask = (n == 32 ? ~0u : (1u << n) - 1) << at,
            value = (o.flags ? o.src[0].lo : w.s[o.sdst]) << at;
  if (id == 1) {
    w.mode = (w.mode & ~mask) | (value & mask);
    apply_mode(w);
  }
}
bool known_register(u32 id) {
  return id == 1 || id == 2 || id == 4 || id == 5 || id == 6 || id == 7 || id == 15 || id == 20 ||
         id == 23 || id == 24 || id == 29;
}
void build_getreg(binder& b, const void*) {
  b.o.sdst = b.write_scalar(0, 1);
  b.o.imm = b.in.raw[0] & 0xffffu;
  if (!known_register(static_cast<u32>(b.o.imm) & 63)) b.refuse("hardware register");
  b.o.run = getreg;
}
void build_setreg(binder& b, const void*) {
  b.o.imm = b.in.raw[0] & 0xffffu;
  if (b.in.name == "s_setreg_imm32_b32") {
    b.o.flags = 1;
    b.o.src[0].lo = b.in.raw[1];
  } else {
    const std::size_t n = b.operand(0).k == operand_text::kind::sgpr ? 0 : 1;
    b.o.sdst = static_cast<u16>(b.operand(n).reg);
    b.note_scalar_read(b.o.sdst, 1);
  }
  if (!known_register(static_cast<u32>(b.o.imm) & 63)) b.refuse("hardware register");
  b.o.run = setreg;
}
void build_mode(binder& b, const void* payload) {  // s_round_mode, s_denorm_mode
  b.o.imm = (b.in.raw[0] & 15) << (payload ? 4 : 0);
  b.o.flags = payload ? 1 : 0;
  b.o.run = [](wave& w, const op& o) {
    w.mode = (w.mode & ~(o.flags ? 0xf0u : 0xfu)) | static_cast<u32>(o.imm);
    apply_mode(w);
  };
}

// ---- program counter

u64 next_address(const wave& w) {
  return w.pc < w.prog->address.size() ? w.prog->address[w.pc] : 0;
}
void jump(wave& w, const op& o, u64 to) {
  u32 index;
  if (w.prog->index_of(to, index)) w.pc = index;
  else fault(w, o, "jumps to an address that holds no decoded code");
}
void build_getpc(binder& b, const void*) {
  b.o.sdst = b.write_scalar(0, 2);
  b.o.imm = static_cast<i64>(b.in.address + b.in.bytes);
  b.o.run = [](wave& w, const op& o) { w.set64(o.sdst, static_cast<u64>(o.imm)); };
}
void build_setpc(binder& b, const void*) {
  b.o.src[0] = b.scalar(0, type::b64);
  b.o.run = [](wave& w, const op& o) { jump(w, o, read64(w, o.src[0])); };
}
void build_swappc(binder& b, const void*) {
  b.o.src[0] = b.scalar(1, type::b64);
  b.o.sdst = b.write_scalar(0, 2);
  b.o.imm = static_cast<i64>(b.in.address + b.in.bytes);
  b.o.run = [](wave& w, const op& o) {
    const u64 to = read64(w, o.src[0]);
    w.set64(o.sdst, static_cast<u64>(o.imm));
    jump(w, o, to);
  };
}
void build_call(binder& b, const void*) {
  b.o.sdst = b.write_scalar(0, 2);
  b.o.imm = static_cast<i16>(b.in.raw[0] & 0xffffu);
  b.o.branches = true;
  b.o.run = [](wave& w, const op& o) {
    w.set64(o.sdst, next_address(w));
    w.pc = o.target;
  };
}

template <auto Condition>
void branch(wave& w, const op& o) {
  if (Condition(w)) w.pc = o.target;
}
template <auto Condition>
void build_branch(binder& b, const void*) {
  b.o.imm = static_cast<i16>(b.in.raw[0] & 0xffffu);
  b.o.branches = true;
  b.o.run = branch<Condition>;
}

// ---- waiting and ending

void run_nothing(wave&, const op&) {}
void build_nothing(binder& b, const void*) { b.o.run = run_nothing; }
void build_end(binder& b, const void*) {
  b.o.run = [](wave& w, const op&) { w.state = stop::end; };
}
void build_barrier(binder& b, const void*) {
  b.o.run = [](wave& w, const op&) {
    ++w.signals;
    note_signal(w);
    w.barrier_pc = w.pc;
    w.state = stop::barrier;
  };
}
void build_signal(binder& b, const void*) {
  // -1 is the workgroup's barrier; -2 the trap handler's. Named barriers do not exist on these
  // chips.
  if (static_cast<i32>(b.operand(0).value) != -1) b.refuse("barrier other than the workgroup's");
  b.o.flags = b.in.name == "s_barrier_signal_isfirst";
  b.o.run = [](wave& w, const op& o) {
    if (o.flags) w.scc = first_to_signal(w);
    ++w.signals;
    note_signal(w);
  };
}
void build_wait_barrier(binder& b, const void*) {
  b.o.run = [](wave& w, const op&) {
    w.barrier_pc = w.pc;
    w.state = stop::split_wait;
  };
}
void build_sleep(binder& b, const void*) {
  b.o.run = [](wave& w, const op&) { w.state = stop::yield; };
}
void build_trap(binder& b, const void*) {
  b.o.run = [](wave& w, const op& o) {
    fault(w, o, "a trap (the program gave up: __builtin_trap, assert or abort)");
  };
}
void build_message(binder& b, const void*) {
  const u32 id = b.in.raw[0] & 0xffu;
  // 3: release registers; 1: interrupt the host, which nobody waits for here
  if (id != 3 && id != 1 && id != 0) b.refuse("message");
  b.o.run = run_nothing;
}
void build_message_return(binder& b, const void*) {
  const u32 id = b.in.raw[0] & 0xffu;
  if (id != 131) b.refuse("message");  // 131: real time
  b.o.sdst = b.write_scalar(0, b.in.name == "s_sendmsg_rtn_b64" ? 2 : 1);
  b.o.flags = b.in.name == "s_sendmsg_rtn_b64";
  b.x.raises = counter::scalar;
  b.o.run = [](wave& w, const op& o) {
    if (o.flags) w.set64(o.sdst, w.total);
    else w.set32(o.sdst, static_cast<u32>(w.total));
  };
}

/// Each wait names, per counter, how many results may be outstanding; 255 where the
/// counter does not matter.
void build_waitcnt(binder& b, const void*) {
  const u32 imm = b.in.raw[0] & 0xffffu;
  u32 load, lds;
  if (b.gfx9()) {
    load = (imm & 15) | (imm >> 14 & 3) << 4;
    lds = imm >> 8 & 15;
    if (load == 63) load = 255;
    if (lds == 15) lds = 255;
  } else {
    load = imm >> 10 & 63;
    lds = imm >> 4 & 63;
    if (load == 63) load = 255;
    if (lds == 63) lds = 255;
  }
  const u32 store = b.gfx9() ? load : 255;
  b.o.counts = load | store << 8 | lds << 16 | lds << 24;
  b.o.run = wait_for;
}
void build_wait_one(binder& b, const void* payload) {
  const auto shifts = reinterpret_cast<std::uintptr_t>(payload);  // one bit per counter
  const u32 n = b.in.raw[0] & 0x3fu;
  u32 counts = 0;
  for (u32 c = 0; c < 4; ++c) counts |= ((shifts >> c & 1) ? n : 255u) << (8 * c);
  if (shifts == 5)
    // loadcnt_dscnt
    counts = (b.in.raw[0] >> 8 & 63) | 0xffu << 8 | (b.in.raw[0] & 63) << 16 | 0xffu << 24;
  if (shifts == 6)
    // storecnt_dscnt
    counts = 0xffu | (b.in.raw[0] >> 8 & 63) << 8 | (b.in.raw[0] & 63) << 16 | 0xffu << 24;
  b.o.counts = counts;
  b.o.run = wait_for;
}

}  // namespace

void define_salu_flow(definitions& d) {
  static const int yes = 1;
  d.add("s_getreg_b32", build_getreg);
  d.add("s_setreg_b32", build_setreg);
  d.add("s_setreg_imm32_b32", build_setreg);
  d.add("s_round_mode", build_mode);
  d.add("s_denorm_mode", build_mode, &yes);
  d.add("s_getpc_b64", build_getpc);
  d.add("s_setpc_b64", build_setpc);
  d.add("s_swappc_b64", build_swappc);
  d.add("s_call_b64", build_call);
  d.add("s_branch", build_branch<[](wave&) { return true; }>);
  d.add("s_cbranch_scc0", build_branch<[](wave& w) { return !w.scc; }>);
  d.add("s_cbranch_scc1", build_branch<[](wave& w) { return w.scc; }>);
  d.add("s_cbranch_vccz", build_branch<[](wave& w) { return w.mask(sreg::vcc) == 0; }>);
  d.add("s_cbranch_vccnz", build_branch<[](wave& w) { return w.mask(sreg::vcc) != 0; }>);
  d.add("s_cbranch_execz", build_branch<[](wave& w) { return w.exec() == 0; }>);
  d.add("s_cbranch_execnz", build_branch<[](wave& w) { return w.exec() != 0; }>);
  for (const char* n : {"s_nop",
                        "s_setprio",
                        "s_delay_alu",
                        "s_clause",
                        "s_inst_prefetch",
                        "s_set_inst_prefetch_distance",
                        "s_icache_inv",
                        "s_dcache_inv",
                        "s_dcache_wb",
                        "s_gl1_inv",
                        "s_waitcnt_depctr",
                        "s_wait_alu",
                        "s_wait_idle",
                        "s_code_end",
                        "s_ttracedata",
                        "s_ttracedata_imm",
                        "s_version",
                        "s_sethalt",
                        "s_incperflevel",
                        "s_decperflevel",
                        "s_wait_event",
                        "s_prefetch_inst",
                        "s_prefetch_inst_pc_rel",
                        "s_prefetch_data",
                        "s_prefetch_data_pc_rel",
                        "s_waitcnt_expcnt",
                        "s_wait_expcnt",
                        "s_wait_samplecnt",
                        "s_wait_bvhcnt",
                        "s_set_gpr_idx_off",
                        "s_singleuse_vdst"})
    d.add(n, build_nothing);
  d.add("s_endpgm", build_end);
  d.add("s_endpgm_saved", build_end);
  d.add("s_barrier", build_barrier);
  d.add("s_barrier_signal", build_signal);
  d.add("s_barrier_signal_isfirst", build_signal);
  d.add("s_barrier_wait", build_wait_barrier);
  d.add("s_sleep", build_sleep);
  d.add("s_trap", build_trap);
  d.add("s_sendmsg", build_message);
  d.add("s_sendmsghalt", build_message);
  d.add("s_sendmsg_rtn_b32", build_message_return);
  d.add("s_sendmsg_rtn_b64", build_message_return);
  d.add("s_waitcnt", build_waitcnt);
  const auto only = [](std::uintptr_t m) { return reinterpret_cast<const void*>(m); };
  d.add("s_waitcnt_vmcnt", build_wait_one, only(1));
  d.add("s_waitcnt_vscnt", build_wait_one, only(2));
  d.add("s_waitcnt_lgkmcnt", build_wait_one, only(12));
  d.add("s_wait_loadcnt", build_wait_one, only(1));
  d.add("s_wait_storecnt", build_wait_one, only(2));
  d.add("s_wait_dscnt", build_wait_one, only(4));
  d.add("s_wait_kmcnt", build_wait_one, only(8));
  d.add("s_wait_loadcnt_dscnt", build_wait_one, only(5));
  d.add("s_wait_storecnt_dscnt", build_wait_one, only(6));
}

}  // namespace amdsim
