// Live memory: what the simulated device may touch, and moving data between lanes and memory.
#pragma once
#include "checks.hpp"

namespace amdsim {

/// A block that device code may access.
struct allocation {
  u64 first = 0, bytes = 0;
  enum class kind : u8 { device, host, code, arguments } k = kind::device;
  u64 serial = 0;
};

namespace memory {
void add(u64 first, u64 bytes, allocation::kind k);
/// Removes the block that starts there; false if there is none.
bool remove(u64 first);
/// The block that holds the address; false if there is none.
bool find(u64 at, allocation& out);
/// The block that ends or starts nearest to the address, for messages.
bool nearest(u64 at, allocation& out);
/// Grows with each change; caches compare it.
u64 generation();
}  // namespace memory

/// How one memory instruction moves data.
struct mem_form {
  const char* suffix;  ///< after "global_load_" and the like
  u8 bytes;
  u8 rows;  ///< registers moved
  bool sign;
  u8 half;  ///< 0: whole register; 1: low half, 2: high half, the other is kept
};
extern const mem_form load_forms[];
extern const u32 load_form_count;
extern const mem_form store_forms[];
extern const u32 store_form_count;

/// Atomic operations on one value; `size` 4 or 8 bytes.
using atomic_fn = u64 (*)(u64 old, u64 data, u64 compare);
struct atomic_form {
  const char* name;    ///< gfx9 spelling, without prefix
  const char* name11;  ///< gfx11 and gfx12
  atomic_fn apply;
  u8 bytes;
  bool compares;  ///< data is followed by a value to compare with
};
extern const atomic_form atomic_forms[];
extern const u32 atomic_form_count;

inline u32 load_le(const u8* p, u32 bytes) {
  u32 v = 0;
  std::memcpy(&v, p, bytes);
  return v;
}

/// Extends a loaded byte or short and puts it into the destination register as the form asks.
inline void deliver(u32* row, u32 lane, u32 value, const mem_form& f) {
  if (f.sign) value = static_cast<u32>(sign_extend(value, 8u * f.bytes));
  if (f.half == 1) value = (row[lane] & 0xffff0000u) | (value & 0xffffu);
  if (f.half == 2) value = (row[lane] & 0xffffu) | value << 16;
  row[lane] = value;
}

/// Applies an atomic operation to memory that other threads may change; returns the old value.
u64 atomic_apply(u64 at, const atomic_form& f, u64 data, u64 compare);

/// One lane's access to LDS; false (and zero data) if it lies outside.
bool lds_read(wave& w, const op& o, u32 lane, u64 at, u32 bytes, u8* out);
bool lds_write(wave& w, const op& o, u32 lane, u64 at, u32 bytes, const u8* in, bool dma = false);
u64 lds_atomic(wave& w, const op& o, u32 lane, u64 at, const atomic_form& f, u64 data, u64 compare);

/// Address of a lane's scratch dword; scratch is interleaved by dwords over the lanes.
inline u8* scratch_at(wave& w, u32 lane, u32 offset) {
  return w.scratch + (u64{offset / 4} * w.lanes + lane) * 4 + offset % 4;
}
bool scratch_read(wave& w, const op& o, u32 lane, u32 offset, u32 bytes, u8* out);
bool scratch_write(wave& w, const op& o, u32 lane, u32 offset, u32 bytes, const u8* in);

/// Note of what an LDS instruction touches, for the profile's bank model.
void profile_lds(wave& w, const op& o, const u32* addresses, const u32* offsets, u32 offset_count,
                 u32 bytes);

}  // namespace amdsim
