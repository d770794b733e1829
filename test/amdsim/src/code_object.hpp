// AMDGPU code objects: finding the image for a chip in a fat binary, loading it, and its metadata.
#pragma once
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "chip.hpp"

namespace amdsim {

/// No image for the simulated chip stands in the binary.
struct no_image : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The bytes are not a code object or bundle that can be read.
struct bad_image : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One argument of a kernel, as its metadata lists it.
struct kernel_argument {
  std::string kind;
  u32 offset = 0, size = 0;
  bool hidden() const { return kind.compare(0, 7, "hidden_") == 0; }
};

/// What metadata and descriptor say about a kernel.
struct kernel_info {
  std::string name, symbol;
  std::vector<kernel_argument> arguments;
  u32 kernarg_bytes = 0, lds_bytes = 0, scratch_bytes = 0, max_threads = 0;
  u32 vgprs = 0, agprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0, wave_size = 64;
  bool dynamic_stack = false;
  bool has_agprs = false;  ///< the metadata count accumulation registers
  u64 descriptor = 0;      ///< host address of the 64-byte descriptor
  u64 entry = 0;           ///< host address of the first instruction
  u32 rsrc1 = 0, rsrc2 = 0, rsrc3 = 0, properties = 0;
};

/// A named address range of the loaded image.
struct symbol {
  u64 address = 0, size = 0;
  bool function = false;
};

/// An image in memory, relocated and ready to run.
class code_object {
 public:
  /// Loads `size` bytes of an ELF image made for `c`.
  code_object(const u8* image, u64 size, const chip& c);
  ~code_object();
  code_object(const code_object&) = delete;
  code_object& operator=(const code_object&) = delete;

  std::map<std::string, kernel_info> kernels;
  std::map<std::string, symbol> symbols;
  u64 base = 0, bytes = 0;       ///< the loaded image
  u64 text = 0, text_bytes = 0;  ///< its executable part

 private:
  void load_segments(const u8* image, u64 size);
  void read_symbols(const u8* image, u64 size);
  void relocate(const u8* image, u64 size);
  void read_metadata(const u8* image, u64 size);
  void* mapping_ = nullptr;
};

/// Size of the fat binary, bundle or ELF image that starts at `data`.
u64 image_bytes(const u8* data);
/// The ELF image for the chip within a bundle, or the ELF image itself. Throws
/// no_image or bad_image.
std::vector<u8> image_for(const u8* data, u64 size, const chip& c);

}  // namespace amdsim
