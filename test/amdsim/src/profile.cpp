#include "profile.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "memory.hpp"

namespace amdsim {
namespace {

constexpr const char* category_names[] = {"matrix",  "trans", "valu",    "lds", "vmem",
                                          "scratch", "wait",  "barrier", "nop", "salu"};

bool has(const std::string& s, const char* part) { return s.find(part) != std::string::npos; }
bool starts(const std::string& s, const char* part) { return s.rfind(part, 0) == 0; }

/// Floating-point operations per cycle of one SIMD at the vendor's peak rate.
double flops_per_cycle(const chip& c, const std::string& source) {
  struct row {
    const char* chip;
    double f16, bf16, f32, fp8, xf32;
  };
  constexpr row rows[] = {{"gfx90a", 256, 256, 64, 0, 0},
                          {"gfx942", 512, 512, 64, 1024, 256},
                          {"gfx950", 1024, 1024, 64, 2048, 0},
                          {"gfx11", 256, 256, 0, 0, 0},
                          {"gfx12", 512, 512, 0, 1024, 0}};
  for (const row& r : rows) {
    if (!starts(c.name, r.chip)) continue;
    const double v = source == "bf16"   ? r.bf16
                     : source == "f32"  ? r.f32
                     : source == "fp8"  ? r.fp8
                     : source == "xf32" ? r.xf32
                                        : r.f16;
    return v > 0 ? v : r.f16;
  }
  return 512;
}

/// "..._32x32x8_bf16" -> 2 * 32 * 32 * 8 and the type behind it.
bool matrix_shape(const std::string& m, double& flops, std::string& source) {
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (m[i] != '_' || i + 1 >= m.size() || !std::isdigit(static_cast<unsigned char>(m[i + 1])))
      continue;
    unsigned a, b, k;
    int used = 0;
    if (std::sscanf(m.c_str() + i + 1, "%ux%ux%u%n", &a, &b, &k, &used) != 3) continue;
    flops = 2.0 * a * b * k;
    const std::string tail = m.substr(i + 1 + static_cast<std::size_t>(used));
    source = has(tail, "fp8") || has(tail, "bf8") ? "fp8"
             : has(tail, "bf16")                  ? "bf16"
             : has(tail, "f16")                   ? "f16"
             : has(tail, "xf32")                  ? "xf32"
                                                  : "f32";
    if (has(tail, "f8f6f4")) source = "fp8";
    return true;
  }
  return false;
}

/// To the nearest whole number, halves to the even one.
u64 whole(double x) { return static_cast<u64>(std::nearbyint(x)); }

}  // namespace

void classify(const std::string& m, const chip& c, op_extra& x) {
  const bool cdna = c.gen == family::gfx9;
  const u32 wide = cdna ? 4 : 1;
  category k = category::salu;
  double cycles = 1;
  double flops;
  std::string source;
  if ((has(m, "mfma") || has(m, "wmma")) && matrix_shape(m, flops, source)) {
    k = category::matrix;
    cycles = flops / flops_per_cycle(c, source);
  } else if (starts(m, "v_")) {
    k = category::valu;
    cycles = wide;
    if (!has(m, "readlane") && !has(m, "readfirstlane"))
      for (const char* t : {"exp", "log", "rcp", "rsq", "sqrt", "sin", "cos"})
        if (starts(m, (std::string("v_") + t).c_str()) ||
            starts(m, (std::string("v_s_") + t).c_str())) {
          k = category::trans;
          cycles = 4 * wide;
        }
  } else if (starts(m, "ds_")) {
    k = category::lds;
    cycles = wide;
  } else if (starts(m, "global_") || starts(m, "buffer_") || starts(m, "flat_") ||
             starts(m, "tbuffer_")) {
    k = category::vmem;
    cycles = wide;
  } else if (starts(m, "scratch_")) {
    k = category::scratch;
    cycles = 4;
  } else if (starts(m, "s_waitcnt") || starts(m, "s_wait_")) {
    k = category::wait;
  } else if (has(m, "barrier")) {
    k = category::barrier;
  } else if (starts(m, "s_nop") || starts(m, "s_delay") || starts(m, "s_setprio") ||
             starts(m, "s_sleep")) {
    k = category::nop;
  }
  x.category = static_cast<u8>(k);
  x.cycles = cycles;
}

void profile_lds(wave& w, const op&, const u32* addresses, const u32* offsets, u32 offset_count,
                 u32 bytes) {
  // Lanes are served in groups that could fill all banks once; a group takes as many passes as its
  // busiest bank has different words.
  const u32 banks = w.prog->target->is("gfx950") ? 64 : 32;
  const u32 per = bytes >= 4 ? std::max(1u, 4 * banks / bytes) : banks;
  u32 lanes[row_lanes], n = 0;
  for (u64 m = w.exec(); m; m &= m - 1) lanes[n++] = addresses[__builtin_ctzll(m)];
  u64 ideal = 0, actual = 0;
  for (u32 k = 0; k < offset_count; ++k)
    for (u32 first = 0; first < n; first += per) {
      u32 words[64][2 * row_lanes], count[64] = {}, worst = 1;  // different words by bank
      for (u32 i = first; i < n && i < first + per; ++i) {
        const u64 at = lanes[i] + offsets[k];  // wraps at 32 bits
        for (u64 d = at / 4; d <= (at + bytes - 1) / 4; ++d) {
          const u32 b = static_cast<u32>(d % banks);
          u32 j = 0;
          while (j < count[b] && words[b][j] != static_cast<u32>(d)) ++j;
          if (j < count[b]) continue;
          words[b][count[b]++] = static_cast<u32>(d);
          worst = std::max(worst, count[b]);
        }
      }
      ideal += 1;
      actual += worst;
    }
  w.run->lds_passes_ideal.fetch_add(ideal, std::memory_order_relaxed);
  w.run->lds_passes.fetch_add(actual, std::memory_order_relaxed);
}

void write_profile(const launch& l) {
  const program& p = *l.prog;
  const chip& c = *p.target;
  u64 instructions[categories] = {};
  double cycles[categories] = {};
  std::map<std::string, u64> by_name;
  for (std::size_t i = 0; i < l.counts.size(); ++i) {
    if (!l.counts[i]) continue;
    const op_extra& x = *p.ops[i].x;
    instructions[x.category] += l.counts[i];
    cycles[x.category] += static_cast<double>(l.counts[i]) * x.cycles;
    std::string upper = x.mnemonic;
    for (char& ch : upper) ch = static_cast<char>(std::toupper(static_cast<unsigned char>(ch)));
    by_name[upper] += l.counts[i];
  }
  nlohmann::ordered_json counts = nlohmann::ordered_json::object(),
                         spent = nlohmann::ordered_json::object();
  double other = 0;
  for (u32 k = 0; k < categories; ++k) {
    if (instructions[k]) {
      counts[category_names[k]] = instructions[k];
      spent[category_names[k]] = whole(cycles[k]);
    }
    if (k != static_cast<u32>(category::matrix)) other += cycles[k];
  }
  const double simds = c.gen == family::gfx9 ? 4 : 2;
  const double matrix = cycles[0] / simds, vector = other / simds,
               lds = static_cast<double>(l.lds_passes.load());
  const double busiest = std::max({matrix, vector, lds});
  const auto share = [&](double of) {
    return matrix > 0 ? std::round(matrix / of * 1e4) / 1e4 : 0.0;
  };
  const u32 lanes = p.wave64 ? 64 : 32, threads = l.block[0] * l.block[1] * l.block[2];
  std::vector<std::pair<std::string, u64>> top(by_name.begin(), by_name.end());
  std::sort(top.begin(), top.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (top.size() > 40) top.resize(40);
  nlohmann::ordered_json most = nlohmann::ordered_json::object();
  for (const auto& [n, k] : top) most[n] = k;
  nlohmann::ordered_json line;
  line["kernel"] = l.kernel->name;
  line["arch"] = c.name;
  line["groups"] = u64{l.grid[0]} * l.grid[1] * l.grid[2];
  line["waves"] = (threads + lanes - 1) / lanes;
  line["lds_bytes"] = l.lds_bytes;
  line["vgpr"] = l.kernel->vgprs;
  line["agpr"] = l.kernel->has_agprs ? nlohmann::ordered_json(l.kernel->agprs)
                                     : nlohmann::ordered_json(nullptr);
  line["spills"] = l.kernel->vgpr_spills;
  line["scratch"] = l.kernel->scratch_bytes;
  line["instructions"] = counts;
  line["cycles"] = spent;
  line["lds_passes"] = {{"ideal", l.lds_passes_ideal.load()},
                        {"with_conflicts", l.lds_passes.load()}};
  line["matrix_share_serial"] = share(matrix + vector);
  line["matrix_share_overlapped"] = share(busiest);
  line["cu_cycles_serial"] = whole(matrix + vector);
  line["cu_cycles_overlapped"] = whole(busiest);
  line["top"] = most;
  if (std::FILE* f = std::fopen(l.set->profile.c_str(), "a")) {
    const std::string s = line.dump() + "\n";
    std::fwrite(s.data(), 1, s.size(), f);
    std::fclose(f);
  } else {
    std::fprintf(stderr, "amdsim: cannot write the profile to %s\n", l.set->profile.c_str());
  }
}

}  // namespace amdsim
