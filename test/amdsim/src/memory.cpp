#include "memory.hpp"

#include <map>
#include <shared_mutex>

#include "math.hpp"
#include "valu_mode.hpp"

namespace amdsim {
namespace memory {
namespace {
std::shared_mutex lock;
std::map<u64, allocation> blocks;
std::atomic<u64> changes{1};
}  // namespace

void add(u64 first, u64 bytes, allocation::kind k) {
  std::unique_lock g(lock);
  blocks[first] = {first, bytes, k, changes.fetch_add(1)};
}
bool remove(u64 first) {
  std::unique_lock g(lock);
  changes.fetch_add(1);
  return blocks.erase(first) != 0;
}
bool find(u64 at, allocation& out) {
  std::shared_lock g(lock);
  auto it = blocks.upper_bound(at);
  if (it == blocks.begin()) return false;
  --it;
  if (at - it->first >= it->second.bytes) return false;
  out = it->second;
  return true;
}
bool nearest(u64 at, allocation& out) {
  std::shared_lock g(lock);
  u64 best = ~u64{0};
  for (const auto& [first, b] : blocks) {
    if (b.k == allocation::kind::arguments || b.k == allocation::kind::code) continue;
    const u64 d = at < first ? first - at : at - first < b.bytes ? 0 : at - first - b.bytes + 1;
    if (d < best) {
      best = d;
      out = b;
    }
  }
  return best != ~u64{0};
}
u64 generation() { return changes.load(std::memory_order_relaxed); }
}  // namespace memory

const mem_form load_forms[] = {
    {"ubyte", 1, 1, false, 0},     {"sbyte", 1, 1, true, 0},
    {"ushort", 2, 1, false, 0},    {"sshort", 2, 1, true, 0},
    {"dword", 4, 1, false, 0},     {"dwordx2", 8, 2, false, 0},
    {"dwordx3", 12, 3, false, 0},  {"dwordx4", 16, 4, false, 0},
    {"ubyte_d16", 1, 1, false, 1}, {"ubyte_d16_hi", 1, 1, false, 2},
    {"sbyte_d16", 1, 1, true, 1},  {"sbyte_d16_hi", 1, 1, true, 2},
    {"short_d16", 2, 1, false, 1}, {"short_d16_hi", 2, 1, false, 2},
    {"u8", 1, 1, false, 0},        {"i8", 1, 1, true, 0},
    {"u16", 2, 1, false, 0},       {"i16", 2, 1, true, 0},
    {"b32", 4, 1, false, 0},       {"b64", 8, 2, false, 0},
    {"b96", 12, 3, false, 0},      {"b128", 16, 4, false, 0},
    {"d16_u8", 1, 1, false, 1},    {"d16_hi_u8", 1, 1, false, 2},
    {"d16_i8", 1, 1, true, 1},     {"d16_hi_i8", 1, 1, true, 2},
    {"d16_b16", 2, 1, false, 1},   {"d16_hi_b16", 2, 1, false, 2},
};
const u32 load_form_count = sizeof load_forms / sizeof *load_forms;
const mem_form store_forms[] = {
    {"byte", 1, 1, false, 0},        {"short", 2, 1, false, 0},
    {"dword", 4, 1, false, 0},       {"dwordx2", 8, 2, false, 0},
    {"dwordx3", 12, 3, false, 0},    {"dwordx4", 16, 4, false, 0},
    {"byte_d16_hi", 1, 1, false, 2}, {"short_d16_hi", 2, 1, false, 2},
    {"b8", 1, 1, false, 0},          {"b16", 2, 1, false, 0},
    {"b32", 4, 1, false, 0},         {"b64", 8, 2, false, 0},
    {"b96", 12, 3, false, 0},        {"b128", 16, 4, false, 0},
    {"d16_hi_b8", 1, 1, false, 2},   {"d16_hi_b16", 2, 1, false, 2},
};
const u32 store_form_count = sizeof store_forms / sizeof *store_forms;

namespace {
i32 s32(u64 x) { return static_cast<i32>(x); }
i64 s64(u64 x) { return static_cast<i64>(x); }
float as_float(u64 x) { return bits_as<float>(low32(x)); }
double as_double(u64 x) { return bits_as<double>(x); }
u64 bits(float f) { return bits_as<u32>(f); }
u64 bits(double d) { return bits_as<u64>(d); }
u64 pk_add_f16(u64 a, u64 b, u64) {
  const auto add = [&](u32 s) {
    return float_to_half(half_to_float(low32(a) >> s & 0xffffu) +
                         half_to_float(low32(b) >> s & 0xffffu));
  };
  return add(0) | add(16) << 16;
}
u64 pk_add_bf16(u64 a, u64 b, u64) {
  const auto add = [&](u32 s) {
    return float_to_bfloat(bfloat_to_float(low32(a) >> s & 0xffffu) +
                           bfloat_to_float(low32(b) >> s & 0xffffu));
  };
  return add(0) | add(16) << 16;
}
}  // namespace

#define AMDSIM_ATOMIC(E)           \
  [](u64 a, u64 b, u64 c) -> u64 { \
    (void)a;                       \
    (void)b;                       \
    (void)c;                       \
    return E;                      \
  }
const atomic_form atomic_forms[] = {
    {"swap", "swap_b32", AMDSIM_ATOMIC(b), 4, false},
    {"cmpswap", "cmpswap_b32", AMDSIM_ATOMIC(low32(a) == low32(c) ? b : a), 4, true},
    {"add", "add_u32", AMDSIM_ATOMIC(low32(a + b)), 4, false},
    {"sub", "sub_u32", AMDSIM_ATOMIC(low32(a - b)), 4, false},
    {"smin", "min_i32", AMDSIM_ATOMIC(s32(a) < s32(b) ? a : b), 4, false},
    {"umin", "min_u32", AMDSIM_ATOMIC(low32(a) < low32(b) ? a : b), 4, false},
    {"smax", "max_i32", AMDSIM_ATOMIC(s32(a) > s32(b) ? a : b), 4, false},
    {"umax", "max_u32", AMDSIM_ATOMIC(low32(a) > low32(b) ? a : b), 4, false},
    {"and", "and_b32", AMDSIM_ATOMIC(a & b), 4, false},
    {"or", "or_b32", AMDSIM_ATOMIC(a | b), 4, false},
    {"xor", "xor_b32", AMDSIM_ATOMIC(a ^ b), 4, false},
    {"inc", "inc_u32", AMDSIM_ATOMIC(low32(a) >= low32(b) ? 0 : a + 1), 4, false},
    {"dec", "dec_u32", AMDSIM_ATOMIC(low32(a) == 0 || low32(a) > low32(b) ? b : a - 1), 4, false},
    {"csub", "csub_u32", AMDSIM_ATOMIC(low32(a) < low32(b) ? 0 : a - b), 4, false},
    {"cond_sub", "cond_sub_u32", AMDSIM_ATOMIC(low32(a) < low32(b) ? a : a - b), 4, false},
    {"sub_clamp", "sub_clamp_u32", AMDSIM_ATOMIC(low32(a) < low32(b) ? 0 : a - b), 4, false},
    {"add_f32", "add_f32", AMDSIM_ATOMIC(bits(as_float(a) + as_float(b))), 4, false},
    {"fmin", "min_f32", AMDSIM_ATOMIC(bits(min_lane(as_float(a), as_float(b)))), 4, false},
    {"fmax", "max_f32", AMDSIM_ATOMIC(bits(max_lane(as_float(a), as_float(b)))), 4, false},
    {"", "min_num_f32", AMDSIM_ATOMIC(bits(min_lane(as_float(a), as_float(b)))), 4, false},
    {"", "max_num_f32", AMDSIM_ATOMIC(bits(max_lane(as_float(a), as_float(b)))), 4, false},
    {"pk_add_f16", "pk_add_f16", pk_add_f16, 4, false},
    {"pk_add_bf16", "pk_add_bf16", pk_add_bf16, 4, false},
    {"swap_x2", "swap_b64", AMDSIM_ATOMIC(b), 8, false},
    {"cmpswap_x2", "cmpswap_b64", AMDSIM_ATOMIC(a == c ? b : a), 8, true},
    {"add_x2", "add_u64", AMDSIM_ATOMIC(a + b), 8, false},
    {"sub_x2", "sub_u64", AMDSIM_ATOMIC(a - b), 8, false},
    {"smin_x2", "min_i64", AMDSIM_ATOMIC(s64(a) < s64(b) ? a : b), 8, false},
    {"umin_x2", "min_u64", AMDSIM_ATOMIC(a < b ? a : b), 8, false},
    {"smax_x2", "max_i64", AMDSIM_ATOMIC(s64(a) > s64(b) ? a : b), 8, false},
    {"umax_x2", "max_u64", AMDSIM_ATOMIC(a > b ? a : b), 8, false},
    {"and_x2", "and_b64", AMDSIM_ATOMIC(a & b), 8, false},
    {"or_x2", "or_b64", AMDSIM_ATOMIC(a | b), 8, false},
    {"xor_x2", "xor_b64", AMDSIM_ATOMIC(a ^ b), 8, false},
    {"inc_x2", "inc_u64", AMDSIM_ATOMIC(a >= b ? 0 : a + 1), 8, false},
    {"dec_x2", "dec_u64", AMDSIM_ATOMIC(a == 0 || a > b ? b : a - 1), 8, false},
    {"add_f64", "add_f64", AMDSIM_ATOMIC(bits(as_double(a) + as_double(b))), 8, false},
    {"min_f64", "min_f64", AMDSIM_ATOMIC(bits(min_lane(as_double(a), as_double(b)))), 8, false},
    {"max_f64", "max_f64", AMDSIM_ATOMIC(bits(max_lane(as_double(a), as_double(b)))), 8, false},
};
#undef AMDSIM_ATOMIC
const u32 atomic_form_count = sizeof atomic_forms / sizeof *atomic_forms;

u64 atomic_apply(u64 at, const atomic_form& f, u64 data, u64 compare) {
  const default_float_scope scope;  // memory does its own arithmetic, whatever MODE says
  if (f.bytes == 4) {
    u32* p = reinterpret_cast<u32*>(at);
    u32 old = __atomic_load_n(p, __ATOMIC_RELAXED), now;
    do now = low32(f.apply(old, data, compare));
    while (!__atomic_compare_exchange_n(p, &old, now, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return old;
  }
  u64* p = reinterpret_cast<u64*>(at);
  u64 old = __atomic_load_n(p, __ATOMIC_RELAXED), now;
  do now = f.apply(old, data, compare);
  while (!__atomic_compare_exchange_n(p, &old, now, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return old;
}

bool lds_read(wave& w, const op& o, u32 lane, u64 at, u32 bytes, u8* out) {
  group& g = *w.g;
  if (at >= g.lds_bytes || g.lds_bytes - at < bytes) [[unlikely]] {
    report_lds_range(w, o, lane, at, bytes);
    std::memset(out, 0, bytes);
    return false;
  }
  if (g.shadow) check_lds(w, o, lane, static_cast<u32>(at), bytes, lds_access::read);
  std::memcpy(out, g.lds + at, bytes);
  return true;
}

bool lds_write(wave& w, const op& o, u32 lane, u64 at, u32 bytes, const u8* in, bool dma) {
  group& g = *w.g;
  if (at >= g.lds_bytes || g.lds_bytes - at < bytes) [[unlikely]] {
    report_lds_range(w, o, lane, at, bytes);
    return false;
  }
  if (g.shadow)
    check_lds(w, o, lane, static_cast<u32>(at), bytes, dma ? lds_access::dma : lds_access::write);
  std::memcpy(g.lds + at, in, bytes);
  return true;
}

u64 lds_atomic(wave& w, const op& o, u32 lane, u64 at, const atomic_form& f, u64 data,
               u64 compare) {
  group& g = *w.g;
  if (at >= g.lds_bytes || g.lds_bytes - at < f.bytes) [[unlikely]] {
    report_lds_range(w, o, lane, at, f.bytes);
    return 0;
  }
  if (w.run->set->align && at % f.bytes) report_alignment(w, o, lane, at, f.bytes, "LDS");
  if (g.shadow) check_lds(w, o, lane, static_cast<u32>(at), f.bytes, lds_access::atomic);
  u64 old = 0;
  std::memcpy(&old, g.lds + at, f.bytes);
  const default_float_scope scope;
  const u64 now = f.apply(old, data, compare);
  std::memcpy(g.lds + at, &now, f.bytes);
  return old;
}

bool scratch_read(wave& w, const op& o, u32 lane, u32 offset, u32 bytes, u8* out) {
  if (offset >= w.scratch_bytes || w.scratch_bytes - offset < bytes) [[unlikely]] {
    report_scratch_range(w, o, lane, offset);
    std::memset(out, 0, bytes);
    return false;
  }
  for (u32 i = 0; i < bytes; ++i) out[i] = *scratch_at(w, lane, offset + i);
  return true;
}
bool scratch_write(wave& w, const op& o, u32 lane, u32 offset, u32 bytes, const u8* in) {
  if (offset >= w.scratch_bytes || w.scratch_bytes - offset < bytes) [[unlikely]] {
    report_scratch_range(w, o, lane, offset);
    return false;
  }
  for (u32 i = 0; i < bytes; ++i) *scratch_at(w, lane, offset + i) = in[i];
  return true;
}

}  // namespace amdsim
