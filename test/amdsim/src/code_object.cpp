#include "code_object.hpp"

#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace amdsim {
namespace {

constexpr char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr u64 bundle_magic_bytes = sizeof(bundle_magic) - 1;

template <class T>
T read(const u8* p, u64 at, u64 size) {
  if (at > size || size - at < sizeof(T)) throw bad_image("truncated code object");
  T v;
  std::memcpy(&v, p + at, sizeof v);
  return v;
}

struct bundle_entry {
  u64 offset, size;
  std::string target;
};

std::vector<bundle_entry> bundle_entries(const u8* data, u64 size) {
  std::vector<bundle_entry> out;
  const u64 n = read<u64>(data, bundle_magic_bytes, size);
  u64 at = bundle_magic_bytes + 8;
  for (u64 i = 0; i < n; ++i) {
    const u64 off = read<u64>(data, at, size), bytes = read<u64>(data, at + 8, size),
              name = read<u64>(data, at + 16, size);
    if (name > size || at + 24 > size - name) throw bad_image("truncated offload bundle");
    out.push_back({off, bytes, std::string(reinterpret_cast<const char*>(data + at + 24), name)});
    at += 24 + name;
  }
  return out;
}

/// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-" -> "gfx90a"
std::string target_chip(const std::string& triple) {
  const auto dashes = triple.rfind("--");
  std::string t = dashes == std::string::npos ? triple : triple.substr(dashes + 2);
  t = t.substr(0, t.find(':'));
  while (!t.empty() && t.back() == '-') t.pop_back();
  return t;
}
/// A build for xnack+ or sramecc- does not load on a chip that runs with the opposite.
bool features_fit(const std::string& triple) {
  return triple.find("xnack+") == std::string::npos && triple.find("sramecc-") == std::string::npos;
}

}  // namespace

u64 image_bytes(const u8* data) {
  constexpr u64 unbounded = u64{1} << 62;
  if (std::memcmp(data, bundle_magic, bundle_magic_bytes) == 0) {
    u64 end = 0;
    for (const auto& e : bundle_entries(data, unbounded)) end = std::max(end, e.offset + e.size);
    return end;
  }
  if (std::memcmp(data, ELFMAG, SELFMAG) == 0) {
    Elf64_Ehdr h;
    std::memcpy(&h, data, sizeof h);
    return h.e_shoff + u64{h.e_shnum} * h.e_shentsize;
  }
  if (std::memcmp(data, "CCOB", 4) == 0)
    throw bad_image("compressed offload bundle: build with --no-offload-compress");
  throw bad_image("neither an offload bundle nor an ELF code object");
}

std::vector<u8> image_for(const u8* data, u64 size, const chip& c) {
  if (size >= SELFMAG && std::memcmp(data, ELFMAG, SELFMAG) == 0) return {data, data + size};
  if (size < bundle_magic_bytes || std::memcmp(data, bundle_magic, bundle_magic_bytes) != 0)
    throw bad_image("neither an offload bundle nor an ELF code object");
  std::string seen;
  for (const auto& e : bundle_entries(data, size)) {
    if (e.target.find("amdgcn") == std::string::npos) continue;
    if (target_chip(e.target) == c.name && features_fit(e.target) && e.size) {
      if (e.offset > size || size - e.offset < e.size) throw bad_image("truncated offload bundle");
      return {data + e.offset, data + e.offset + e.size};
    }
    seen += (seen.empty() ? "" : ", ") + e.target;
  }
  throw no_image(std::string("no image for ") + c.name + " in this binary; it has " +
                 (seen.empty() ? "none for AMD GPUs" : seen));
}

code_object::code_object(const u8* image, u64 size, const chip& c) {
  const auto h = read<Elf64_Ehdr>(image, 0, size);
  if (std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_machine != 224)
    throw bad_image("not an AMDGPU ELF image");
  if ((h.e_flags & 0xff) != c.elf_mach)
    throw no_image(std::string("the code object was made for another chip than ") + c.name);
  load_segments(image, size);
  read_symbols(image, size);
  relocate(image, size);
  read_metadata(image, size);
}

code_object::~code_object() {
  if (mapping_) munmap(mapping_, bytes);
}

void code_object::load_segments(const u8* image, u64 size) {
  const auto h = read<Elf64_Ehdr>(image, 0, size);
  std::vector<Elf64_Phdr> segments;
  u64 end = 0;
  for (u64 i = 0; i < h.e_phnum; ++i) {
    segments.push_back(read<Elf64_Phdr>(image, h.e_phoff + i * h.e_phentsize, size));
    if (segments.back().p_type == PT_LOAD)
      end = std::max<u64>(end, segments.back().p_vaddr + segments.back().p_memsz);
  }
  if (!end || end > (u64{1} << 32)) throw bad_image("code object without loadable segments");
  bytes = (end + 4095) / 4096 * 4096;
  mapping_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw bad_image("no memory for a code object");
  }
  base = reinterpret_cast<u64>(mapping_);
  for (const auto& s : segments) {
    if (s.p_type != PT_LOAD) continue;
    if (s.p_offset > size || size - s.p_offset < s.p_filesz || s.p_filesz > s.p_memsz)
      throw bad_image("truncated code object");
    std::memcpy(static_cast<u8*>(mapping_) + s.p_vaddr, image + s.p_offset, s.p_filesz);
    if (s.p_flags & PF_X) {
      text = base + s.p_vaddr;
      text_bytes = s.p_memsz;
    }
  }
}

void code_object::read_symbols(const u8* image, u64 size) {
  const auto h = read<Elf64_Ehdr>(image, 0, size);
  for (u64 i = 0; i < h.e_shnum; ++i) {
    const auto s = read<Elf64_Shdr>(image, h.e_shoff + i * h.e_shentsize, size);
    if (s.sh_type != SHT_SYMTAB && s.sh_type != SHT_DYNSYM) continue;
    const auto strings = read<Elf64_Shdr>(image, h.e_shoff + u64{s.sh_link} * h.e_shentsize, size);
    for (u64 at = 0; at + sizeof(Elf64_Sym) <= s.sh_size; at += sizeof(Elf64_Sym)) {
      const auto y = read<Elf64_Sym>(image, s.sh_offset + at, size);
      if (!y.st_name || y.st_shndx == SHN_UNDEF || y.st_shndx == SHN_ABS) continue;
      const u64 name = strings.sh_offset + y.st_name;
      if (name >= size) throw bad_image("truncated string table");
      const char* text_at = reinterpret_cast<const char*>(image + name);
      symbols[std::string(text_at, strnlen(text_at, size - name))] = {
          base + y.st_value, y.st_size, ELF64_ST_TYPE(y.st_info) == STT_FUNC};
    }
  }
}

void code_object::relocate(const u8* image, u64 size) {
  constexpr u32 r_abs64 = 3, r_relative64 = 13;
  const auto h = read<Elf64_Ehdr>(image, 0, size);
  for (u64 i = 0; i < h.e_shnum; ++i) {
    const auto s = read<Elf64_Shdr>(image, h.e_shoff + i * h.e_shentsize, size);
    if (s.sh_type != SHT_RELA) continue;
    const auto symtab = read<Elf64_Shdr>(image, h.e_shoff + u64{s.sh_link} * h.e_shentsize, size);
    for (u64 at = 0; at + sizeof(Elf64_Rela) <= s.sh_size; at += sizeof(Elf64_Rela)) {
      const auto r = read<Elf64_Rela>(image, s.sh_offset + at, size);
      if (r.r_offset > bytes - 8) throw bad_image("relocation outside the image");
      u64 value = base + static_cast<u64>(r.r_addend);
      if (ELF64_R_TYPE(r.r_info) == r_abs64)
        value += read<Elf64_Sym>(image,
                                 symtab.sh_offset + ELF64_R_SYM(r.r_info) * sizeof(Elf64_Sym), size)
                     .st_value;
      else if (ELF64_R_TYPE(r.r_info) != r_relative64)
        throw bad_image("relocation of type " + std::to_string(ELF64_R_TYPE(r.r_info)) +
                        " is not implemented");
      std::memcpy(static_cast<u8*>(mapping_) + r.r_offset, &value, 8);
    }
  }
}

void code_object::read_metadata(const u8* image, u64 size) {
  constexpr u32 nt_amdgpu_metadata = 32;
  const auto h = read<Elf64_Ehdr>(image, 0, size);
  nlohmann::json meta;
  for (u64 i = 0; i < h.e_phnum; ++i) {
    const auto p = read<Elf64_Phdr>(image, h.e_phoff + i * h.e_phentsize, size);
    if (p.p_type != PT_NOTE) continue;
    for (u64 at = p.p_offset; at + sizeof(Elf64_Nhdr) <= p.p_offset + p.p_filesz;) {
      const auto n = read<Elf64_Nhdr>(image, at, size);
      const u64 body = at + sizeof n + (u64{n.n_namesz} + 3) / 4 * 4;
      if (n.n_type == nt_amdgpu_metadata) {
        if (body > size || size - body < n.n_descsz) throw bad_image("truncated metadata");
        meta = nlohmann::json::from_msgpack(image + body, image + body + n.n_descsz, true, false);
      }
      at = body + (u64{n.n_descsz} + 3) / 4 * 4;
    }
  }
  if (meta.is_discarded() || !meta.is_object())
    throw bad_image("code object without readable metadata");
  for (const auto& k : meta.value("amdhsa.kernels", nlohmann::json::array())) {
    kernel_info info;
    info.name = k.value(".name", "");
    info.symbol = k.value(".symbol", "");
    info.kernarg_bytes = k.value(".kernarg_segment_size", 0u);
    info.lds_bytes = k.value(".group_segment_fixed_size", 0u);
    info.scratch_bytes = k.value(".private_segment_fixed_size", 0u);
    info.max_threads = k.value(".max_flat_workgroup_size", 1024u);
    info.vgprs = k.value(".vgpr_count", 0u);
    info.agprs = k.value(".agpr_count", 0u);
    info.has_agprs = k.contains(".agpr_count");
    info.sgprs = k.value(".sgpr_count", 0u);
    info.vgpr_spills = k.value(".vgpr_spill_count", 0u);
    info.sgpr_spills = k.value(".sgpr_spill_count", 0u);
    info.wave_size = k.value(".wavefront_size", 64u);
    info.dynamic_stack = k.value(".uses_dynamic_stack", false);
    for (const auto& a : k.value(".args", nlohmann::json::array()))
      info.arguments.push_back(
          {a.value(".value_kind", ""), a.value(".offset", 0u), a.value(".size", 0u)});
    const auto s = symbols.find(info.symbol);
    if (s == symbols.end()) throw bad_image("kernel descriptor " + info.symbol + " is missing");
    info.descriptor = s->second.address;
    const u8* d = reinterpret_cast<const u8*>(info.descriptor);
    info.lds_bytes = read<u32>(d, 0, 64);
    info.scratch_bytes = read<u32>(d, 4, 64);
    info.entry = info.descriptor + read<u64>(d, 16, 64);
    info.rsrc3 = read<u32>(d, 44, 64);
    info.rsrc1 = read<u32>(d, 48, 64);
    info.rsrc2 = read<u32>(d, 52, 64);
    info.properties = read<u16>(d, 56, 64);
    kernels[info.name] = info;
  }
}

}  // namespace amdsim
