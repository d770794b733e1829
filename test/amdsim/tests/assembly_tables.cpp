#include "assembly_tables.hpp"

#include <memory>
#include <random>

namespace assembly {
namespace {

constexpr u32 ints[] = {0,          1,          2,          3,          0xff,
                        0x100,      0x7f,       0x80,       0x7fff,     0x8000,
                        0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,
                        0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
constexpr u32 shorts[] = {0,      1,      2,      0x7f,   0x80,   0xff,
                          0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
constexpr u32 halves[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3800, 0x3c00, 0xbc00,
                          0x3e00, 0x4000, 0xc100, 0x4200, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};
constexpr u32 floats[] = {0,          nzero,      denormal,   0x807fffff, 0x00800000,
                          0x3f000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0xc0200000,
                          0x40400000, 0x42f60000, 0x7f7fffff, 0xff7fffff, inf,
                          ninf,       nan,        0x3f7fffff, 0x4b000001};
constexpr u64 doubles[] = {0,
                           u64{1} << 63,
                           1,
                           0x800fffffffffffff,
                           0x0010000000000000,
                           0x3fe0000000000000,
                           0x3ff0000000000000,
                           0xbff8000000000000,
                           0x4004000000000000,
                           0x41dfffffffc00000,
                           0x41efffffffe00000,
                           0xc1e0000000200000,
                           0x7fefffffffffffff,
                           0x7ff0000000000000,
                           0xfff0000000000000,
                           0x7ff8000000000000};

/// std::mt19937 whose numbers are 32 bits wide.
struct generator {
  std::mt19937 engine;
  explicit generator(u32 seed) : engine(seed) {}
  u32 operator()() { return static_cast<u32>(engine()); }
};

template <class T, std::size_t N>
T pick(generator& r, const T (&pool)[N]) {
  return pool[r() % N];
}

/// Some float near one, as random bits seldom are.
u32 common_float(generator& r) {
  return f(
      std::ldexp(static_cast<float>(static_cast<i32>(r()) >> 8), static_cast<int>(r() % 24) - 30));
}

constexpr u32 active_lanes[] = {0xf5a7c3ef, 0x8001fffe};

std::string replaced(std::string s, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size())
    s.replace(at, from.size(), to);
  return s;
}
std::string partial(bool nine) {
  return nine ? "s_mov_b32 exec_lo, 0xf5a7c3ef\ns_mov_b32 exec_hi, 0x8001fffe\n"
              : "s_mov_b32 exec_lo, 0xf5a7c3ef\n";
}

}  // namespace

std::string vector_registers(u32 first, u32 count) {
  std::string s = count == 1 ? "v" : "v[";
  s += std::to_string(first);
  if (count > 1) s.append(":").append(std::to_string(first + count - 1)).append("]");
  return s;
}

bool active(u32 lane) { return active_lanes[lane / 32] >> lane % 32 & 1; }

u32 to_bfloat(float x) {
  if (x != x) return 0x7fc0;
  const u32 down = f(x) >> 16;  // toward zero
  if (std::isinf(x)) return down;
  const double low = static_cast<double>(bfloat(down)),
               high = (down & 0x7fff) == 0x7f7f ? std::ldexp(low < 0 ? -1.0 : 1.0, 128)
                                                : static_cast<double>(bfloat(down + 1)),
               v = static_cast<double>(x);
  const double below = std::fabs(v - low), above = std::fabs(high - v);
  return below == 0 || below < above || (below == above && !(down & 1)) ? down : down + 1;
}

std::vector<u32> lane_inputs(const std::string& kinds) {
  generator r(static_cast<u32>(std::hash<std::string>()(kinds)));
  std::vector<u32> v(64 * kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t l = 0; l < 64; ++l) {
      const bool edge = r() % 8 < 5;
      u32& x = v[64 * i + l];
      switch (kinds[i]) {
        case 's': x = edge ? pick(r, shorts) | pick(r, shorts) << 16 : r(); break;
        case 'h':
          x = edge ? pick(r, halves) | pick(r, halves) << 16 : (r() & 0x8fff8fffu) + 0x30003000u;
          break;
        case 'b':
          x = (edge ? pick(r, floats) : common_float(r)) >> 16 |
              ((edge ? pick(r, floats) : common_float(r)) & 0xffff0000u);
          break;
        case 'f': x = edge ? pick(r, floats) : r() & 1 ? r() : common_float(r); break;
        case 'n': x = r() % 40; break;
        case 'D':
        case 'L': {
          const bool real = kinds[i] == 'D';
          const double ordinary = std::ldexp(static_cast<double>(static_cast<i32>(r())),
                                             static_cast<int>(r() % 40) - 40) *
                                  (1 + static_cast<double>(r()) * 0x1p-40);
          const u64 bits = real   ? (edge ? pick(r, doubles) : std::bit_cast<u64>(ordinary))
                           : edge ? (r() & 1 ? u64{pick(r, ints)} : ~u64{pick(r, ints)} << 32)
                                  : u64{r()} << 32 | r();
          x = static_cast<u32>(bits);
          v[64 * (i + 1) + l] = static_cast<u32>(bits >> 32);
          break;
        }
        case 'd':
        case 'l': break;  // filled in with the low half
        default: x = edge ? pick(r, ints) : r(); break;
      }
    }
  return v;
}

void table(u32 on, const std::string& code, const std::string& kinds, rule r, u32 results,
           bool preset) {
  const auto inputs = std::make_shared<const std::vector<u32>>(lane_inputs(kinds));
  const std::size_t n = kinds.size();
  const auto want = [=](u32 lane, u32 result) {
    if (result >= 2) return untouched;  // of the run with EXEC = 0
    u32 in[16] = {}, out[2] = {preset ? 0 : untouched, preset ? 0 : untouched};
    for (std::size_t i = 0; i < n; ++i) in[i] = (*inputs)[64 * i + lane];
    if (active(lane)) r(in, out);
    return out[result];
  };
  for (bool nine : {true, false}) {
    if (!(on & (nine ? gfx9 : rdna | gfx115))) continue;
    const std::string none = nine ? "\ns_mov_b64 exec, 0\n" : "\ns_mov_b32 exec_lo, 0\n";
    std::string text = (preset ? "v_mov_b32 v20, 0\nv_mov_b32 v21, 0\n" : "") + partial(nine) +
                       code;
    text += none +
            replaced(replaced(replaced(code, "v[20:21]", "v[22:23]"), "v20", "v22"), "v21", "v23");
    text = replaced(text, "@", nine ? "vcc" : "vcc_lo");
    const bool one = results == 1;
    cases().push_back(
        {on & (nine ? gfx9 : rdna | gfx115),
         text,
         {},
         [=](u32 l, u32 k) { return one && k == 1 ? (preset ? 0 : untouched) : want(l, k); },
         4,
         *inputs});
  }
}

void mask_table(u32 on, const std::string& code, const std::string& kinds,
                std::function<bool(const u32*)> r) {
  const auto inputs = std::make_shared<const std::vector<u32>>(lane_inputs(kinds));
  const std::size_t n = kinds.size();
  const auto want = [=](u32 lane, u32) {
    u32 in[16] = {};
    for (std::size_t i = 0; i < n; ++i) in[i] = (*inputs)[64 * i + lane];
    return active(lane) && r(in) ? 1u : 0u;
  };
  for (bool nine : {true, false}) {
    if (!(on & (nine ? gfx9 : rdna | gfx115))) continue;
    std::string text = (nine ? "s_mov_b64 vcc, -1\n" : "s_mov_b32 vcc_lo, -1\n") + partial(nine) +
                       code + (nine ? "\ns_mov_b64 exec, -1\n" : "\ns_mov_b32 exec_lo, -1\n") +
                       "v_cndmask_b32 v20, 0, 1, @";
    text = replaced(text, "@", nine ? "vcc" : "vcc_lo");
    cases().push_back({on & (nine ? gfx9 : rdna | gfx115), text, {}, want, 1, *inputs});
  }
}

}  // namespace assembly
