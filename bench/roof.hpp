// The roofs: loops that do nothing but fused multiply-adds, bf16 dot products, or reads.
#pragma once

#include <cstddef>
#include <string>

namespace bench {

/// What the vector unit of this build is called, and whether it has bf16 dot products.
const char* instruction_set();
bool has_bf16_dot();

/// Floating-point operations per second of f32 multiply-adds on `threads` threads at once, for
/// about a millisecond.
double fma_roof(int threads);

/// The same of bf16 dot products that accumulate in f32 (two multiply-adds a lane); 0 where this
/// build has none.
double bf16_dot_roof(int threads);

/// Whether bf16 dot products do more operations per second here than multiply-adds.
bool bf16_dot_pays();

/// Bytes per second of reading [data, data + bytes) once, front to back, each thread its own part.
double read_roof(const void* data, std::size_t bytes, int threads);

/// Memory for caches that are read: `bytes` of it, in large pages where there are any, the same
/// pages at every call so that a program holds one of them only. `fresh` says whether the contents
/// are what the last caller with this tag left there.
void* arena(std::size_t bytes, const std::string& tag, bool& fresh);

/// How much memory must be read between two reads of one byte so that it comes from DRAM again: 4
/// times the last cache.
std::size_t beyond_caches();

}  // namespace bench
