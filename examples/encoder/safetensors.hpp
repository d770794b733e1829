#pragma once
// Reads a .safetensors file: 8 bytes little-endian header size, the header (JSON: name -> dtype,
// shape, byte offsets), data.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fa/attention.hpp>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace encoder {

class safetensors {
 public:
  /// Reads the header; throws std::runtime_error, naming the file, if this is not such a file.
  explicit safetensors(const std::string& path)
      : path_(path), file_(path, std::ios::binary | std::ios::ate) {
    static_assert(std::endian::native == std::endian::little, "the format is little-endian");
    if (!file_) fail("cannot open");
    const auto file_bytes = static_cast<std::uint64_t>(file_.tellg());
    std::uint64_t header_bytes = 0;
    if (file_bytes < sizeof header_bytes) fail("not a safetensors file: too short");
    read(0, &header_bytes, sizeof header_bytes);
    if (header_bytes > file_bytes - sizeof header_bytes)
      fail("not a safetensors file, or cut off: header past the end");
    std::string header(header_bytes, '\0');
    read(sizeof header_bytes, header.data(), header.size());
    data_begin_ = sizeof header_bytes + header_bytes;
    data_bytes_ = file_bytes - data_begin_;
    header_ = nlohmann::json::parse(header, nullptr, false);
    if (!header_.is_object()) fail("not a safetensors file: the header is no JSON object");
  }

  /// The tensor of this name as floats, row-major. Its shape must be the one given; its
  /// dtype F32, F16 or BF16.
  std::vector<float> load(const std::string& name, std::initializer_list<std::size_t> shape) {
    const auto entry = header_.find(name);
    if (entry == header_.end()) fail("no tensor " + name);
    std::string dtype;
    std::vector<std::size_t> stored_shape, offsets;
    try {
      entry->at("dtype").get_to(dtype);
      entry->at("shape").get_to(stored_shape);
      entry->at("data_offsets").get_to(offsets);
    } catch (const nlohmann::json::exception& error) {
      fail(name + ": " + error.what());
    }
    if (!std::ranges::equal(stored_shape, shape)) {
      fail(name + ": shape " + nlohmann::json(stored_shape).dump() + ", expected " +
           nlohmann::json(shape).dump());
    }
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    if (dtype != "F32" && dtype != "F16" && dtype != "BF16")
      fail(name + ": dtype " + dtype + " is not read here");
    const std::size_t bytes = count * (dtype == "F32" ? 4 : 2);
    if (offsets.size() != 2 || offsets[1] > data_bytes_ || offsets[0] > offsets[1] ||
        offsets[1] - offsets[0] != bytes) {
      fail(name + ": its bytes are not all there");
    }
    const std::uint64_t begin = data_begin_ + offsets[0];
    if (dtype == "F16") return load_as<fa::f16>(begin, count);
    if (dtype == "BF16") return load_as<fa::bf16>(begin, count);
    return load_as<float>(begin, count);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_ + ": " + what);
  }

  void read(std::uint64_t at, void* to, std::size_t bytes) {
    file_.seekg(static_cast<std::streamoff>(at));
    if (!file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      fail("cannot read");
  }

  template <class Stored>
  std::vector<float> load_as(std::uint64_t at, std::size_t count) {
    std::vector<Stored> stored(count);
    read(at, stored.data(), count * sizeof(Stored));
    if constexpr (std::is_same_v<Stored, float>) {
      return stored;
    } else {
      std::vector<float> values(count);
      std::ranges::transform(stored, values.begin(),
                             [](Stored x) { return static_cast<float>(x); });
      return values;
    }
  }

  std::string path_;
  std::ifstream file_;
  std::uint64_t data_begin_ = 0, data_bytes_ = 0;
  nlohmann::json header_;
};

}  // namespace encoder
