#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "assembly.hpp"

/// Calls `each` with the name of every instruction that the simulator knows.
extern "C" void amdsim_known_instructions(void (*each)(const char*));

namespace assembly {
namespace {

std::string chip_name;

u32 chip_bit() {
  if (chip_name == "gfx90a") return gfx90a;
  if (chip_name == "gfx942") return gfx942;
  if (chip_name == "gfx950") return gfx950;
  if (chip_name.rfind("gfx115", 0) == 0) return gfx11 | gfx115;
  return chip_name.rfind("gfx11", 0) == 0 ? gfx11 : gfx12;
}

std::string kernel_text(u32 n, const test_case& t) {
  const bool nine = chip_bit() & gfx9, twelve = chip_bit() & gfx12;
  std::ostringstream s;
  const std::string name = "case" + std::to_string(n);
  const char* load4 = nine ? "s_load_dwordx4" : "s_load_b128";
  const char* load2 = nine ? "s_load_dwordx2" : "s_load_b64";
  const char* load16 = nine ? "s_load_dwordx16" : "s_load_b512";
  const char* scalar_wait = twelve ? "s_wait_kmcnt 0x0" : "s_waitcnt lgkmcnt(0)";
  s << ".globl " << name << "\n.p2align 8\n.type " << name << ",@function\n" << name << ":\n";
  s << load4 << " s[4:7], s[0:1], 0x0\n"
    << load2 << " s[24:25], s[0:1], 0x10\n"
    << scalar_wait << "\n"
    << load16 << " s[8:23], s[4:5], 0x0\n"
    << scalar_wait << "\n";
  s << "v_and_b32 v1, 0x3ff, v0\nv_lshlrev_b32 v24, 4, v1\n";
  for (u32 i = 0; i < 16; ++i) s << "v_mov_b32 v" << 2 + i << ", s" << 8 + i << "\n";
  for (u32 i = 0; i < 4; ++i) s << "v_mov_b32 v" << 20 + i << ", 0xdeadbeef\n";
  if (!t.lane_inputs.empty()) {
    s << "v_lshlrev_b32 v25, 2, v1\n";
    for (u32 i = 0; 64 * i < t.lane_inputs.size(); ++i)
      s << (nine ? "global_load_dword v" : "global_load_b32 v") << 2 + i
        << ", v25, s[24:25] offset:" << 256 * i << "\n";
    s << (twelve ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n");
  }
  s << t.code << "\n";
  s << (twelve ? "s_wait_loadcnt 0x0\ns_wait_dscnt 0x0\ns_wait_kmcnt 0x0\n"
               : "s_waitcnt vmcnt(0) lgkmcnt(0)\n");
  s << (nine ? "s_mov_b64 exec, -1\nglobal_store_dwordx4"
             : "s_mov_b32 exec_lo, -1\nglobal_store_b128")
    << " v24, v[20:23], s[6:7]\ns_endpgm\n";
  s << ".Lend" << n << ":\n.size " << name << ", .Lend" << n << "-" << name << "\n";
  s << ".amdhsa_kernel " << name
    << "\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_system_sgpr_workgroup_id_x "
       "1\n.amdhsa_kernarg_size 24\n.amdhsa_group_segment_fixed_size "
       "4096\n.amdhsa_private_segment_fixed_size 256\n";
  if (nine) s << ".amdhsa_next_free_vgpr 512\n.amdhsa_accum_offset 256\n";
  else s << ".amdhsa_next_free_vgpr 256\n.amdhsa_wavefront_size32 1\n";
  if (chip_bit() & (gfx942 | gfx950 | rdna)) s << ".amdhsa_enable_private_segment 1\n";
  s << ".amdhsa_next_free_sgpr 96\n.amdhsa_float_denorm_mode_32 3\n.amdhsa_float_denorm_mode_16_64 "
       "3\n.end_amdhsa_kernel\n";
  return s.str();
}

std::string metadata(const std::vector<u32>& numbers) {
  std::ostringstream s;
  const bool nine = chip_bit() & gfx9;
  s << ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.target: 'amdgcn-amd-amdhsa--"
    << chip_name << "'\namdhsa.kernels:\n";
  for (u32 n : numbers)
    s << "  - .name: case" << n << "\n    .symbol: case" << n
      << ".kd\n    .kernarg_segment_size: 24\n    .group_segment_fixed_size: 4096\n    "
         ".private_segment_fixed_size: 256\n    .kernarg_segment_align: 8\n    .wavefront_size: "
      << (nine ? 64 : 32)
      << "\n    .sgpr_count: 96\n    .vgpr_count: 256\n    .max_flat_workgroup_size: 64\n    "
         ".args:\n"
      << "      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}\n     "
         " - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}\n"
      << "      - {.offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global}\n";
  s << "...\n.end_amdgpu_metadata\n";
  return s.str();
}

bool assemble(const std::vector<u32>& numbers, const std::string& base) {
  std::ofstream out(base + ".s");
  out << ".amdgcn_target \"amdgcn-amd-amdhsa--" << chip_name << "\"\n.text\n";
  for (u32 n : numbers) out << kernel_text(n, cases()[n]);
  out << metadata(numbers);
  out.close();
  const std::string compiler = chip_name == "gfx950" ? std::string(AMDSIM_CLANG22) +
                                                           " -Wno-unused-command-line-argument"
                                                     : AMDSIM_CLANG;
  const std::string command = "unset LD_PRELOAD; " + compiler +
                              " -c -x assembler --target=amdgcn-amd-amdhsa -mcpu=" + chip_name +
                              " " + base + ".s -o " + base + ".o && (ld.lld-19 -shared " + base +
                              ".o -o " + base + ".co || ld.lld -shared " + base + ".o -o " + base +
                              ".co)";
  return std::system(command.c_str()) == 0;
}

int run() {
  std::vector<u32> numbers;
  for (u32 n = 0; n < cases().size(); ++n)
    if (cases()[n].on & chip_bit()) numbers.push_back(n);
  const char* dir = std::getenv("TMPDIR");
  std::string base = std::string(dir ? dir : "/tmp") + "/amdsim_assembly_" + chip_name + "_XXXXXX";
  if (!mkdtemp(base.data())) return 1;
  base += "/cases";
  if (!assemble(numbers, base)) return 1;
  hipModule_t m;
  if (hipModuleLoad(&m, (base + ".co").c_str()) != hipSuccess) return 1;
  u32 *in, *out, *memory;
  if (hipMalloc(reinterpret_cast<void**>(&in), 64) != hipSuccess ||
      hipMalloc(reinterpret_cast<void**>(&out), 64 * 16) != hipSuccess ||
      hipMalloc(reinterpret_cast<void**>(&memory), 4096) != hipSuccess)
    return 1;
  int wrong = 0;
  for (u32 n : numbers) {
    const test_case& t = cases()[n];
    std::memset(in, 0, 64);
    for (u32 i = 0; i < t.in.size() && i < 16; ++i) in[i] = t.in[i];
    for (u32 i = 0; i < 1024; ++i) memory[i] = i < t.lane_inputs.size() ? t.lane_inputs[i] : 4 * i;
    hipFunction_t f;
    if (hipModuleGetFunction(&f, m, ("case" + std::to_string(n)).c_str()) != hipSuccess) return 1;
    void* args[] = {&in, &out, &memory};
    const hipError_t e = hipModuleLaunchKernel(f, 1, 1, 1, wave_lanes(), 1, 1, 0, nullptr, args,
                                               nullptr);
    bool good = e == hipSuccess;
    if (!good) std::printf("FAIL (%s): %s\n", hipGetErrorName(e), t.code.c_str());
    for (u32 l = 0; good && l < wave_lanes(); ++l)
      for (u32 r = 0; good && r < t.results; ++r) {
        const u32 want = t.want(l, r), got = out[4 * l + r];
        const bool both_nan = (want & 0x7fffffffu) > inf && (got & 0x7fffffffu) > inf &&
                              want == nan;
        if (want != got && !both_nan) {
          std::printf("FAIL lane %u v%u: %08x, expected %08x: %s\n", l, 20 + r, got, want,
                      t.code.c_str());
          good = false;
        }
      }
    wrong += !good;
  }
  std::printf("%s: %zu programs, %d wrong%s\n", chip_name.c_str(), numbers.size(), wrong,
              wrong ? "" : ": all ok");
  if (std::system(("rm -rf " + base.substr(0, base.rfind('/'))).c_str()) != 0) return 1;
  return wrong != 0;
}

/// The rows of the table: names that begin alike, the first that fits.
struct row_name {
  const char* prefix;
  const char* text;
};
constexpr row_name row_names[] = {{"v_cmp", "`v_cmp*`, `v_cmpx*`"},
                                  {"v_mfma", "`v_mfma*`"},
                                  {"v_wmma", "`v_wmma*`"},
                                  {"v_cvt", "`v_cvt*`"},
                                  {"v_pk", "`v_pk*`"},
                                  {"v_", "`v_*`, the others"},
                                  {"s_", "`s_*`"},
                                  {"ds_", "`ds_*`"},
                                  {"global_atomic", "`global_atomic*`"},
                                  {"global_", "`global_*`, the others"},
                                  {"flat_", "`flat_*`"},
                                  {"scratch_", "`scratch_*`"},
                                  {"buffer_", "`buffer_*`"},
                                  {"", "others"}};

/// Instructions by name: known, and executed by the programs of the coverage files that test runs
/// wrote (named after their chips).
int coverage(int count, char** files) {
  static std::set<std::string> known;
  amdsim_known_instructions([](const char* n) { known.insert(n); });
  const char* families[] = {"gfx9", "gfx11", "gfx12"};
  std::set<std::string> seen[4];  // by family, and all
  for (int i = 0; i < count; ++i) {
    std::ifstream f(files[i]);
    const std::string file = files[i];
    for (std::string line; std::getline(f, line);) {
      seen[3].insert(line);
      for (int k = 0; k < 3; ++k)
        if (file.find(families[k]) != std::string::npos) seen[k].insert(line);
    }
  }
  constexpr std::size_t rows = std::size(row_names);
  int known_in[rows + 1] = {}, covered[rows + 1][4] = {};
  for (const std::string& n : known) {
    std::size_t r = 0;
    while (n.rfind(row_names[r].prefix, 0) != 0) ++r;
    for (const std::size_t at : {r, rows}) {
      ++known_in[at];
      for (int k = 0; k < 4; ++k) covered[at][k] += static_cast<int>(seen[k].count(n));
    }
    if (!seen[3].count(n) && std::getenv("AMDSIM_LIST_UNCOVERED"))
      std::printf("uncovered: %s\n", n.c_str());
  }
  std::printf(
      "| instructions | known | covered | on gfx9 | on gfx11 | on gfx12 "
      "|\n|---|---|---|---|---|---|\n");
  for (std::size_t r = 0; r <= rows; ++r)
    if (known_in[r])
      std::printf("| %s | %d | %d | %d | %d | %d |\n", r < rows ? row_names[r].text : "all",
                  known_in[r], covered[r][3], covered[r][0], covered[r][1], covered[r][2]);
  return 0;
}

}  // namespace

std::vector<test_case>& cases() {
  static std::vector<test_case> c;
  return c;
}
void add(u32 on, std::string code, std::vector<u32> in, std::vector<u32> out) {
  const u32 n = static_cast<u32>(out.size());
  cases().push_back({on,
                     std::move(code),
                     std::move(in),
                     [out = std::move(out)](u32, u32 r) { return out[r]; },
                     n,
                     {}});
}
void add_lanes(u32 on, std::string code, std::vector<u32> in, std::function<u32(u32, u32)> want,
               u32 results) {
  cases().push_back({on, std::move(code), std::move(in), std::move(want), results, {}});
}
u32 wave_lanes() { return chip_bit() & gfx9 ? 64 : 32; }
const std::string& chip() { return chip_name; }

}  // namespace assembly

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::strcmp(argv[1], "coverage") == 0) return assembly::coverage(argc - 2, argv + 2);
  assembly::chip_name = argv[1];
  assembly::valu_cases();
  assembly::memory_cases();
  assembly::matrix_cases();
  assembly::mode_cases();
  assembly::integer_tables();
  assembly::half_tables();
  assembly::float_tables();
  assembly::compare_tables();
  assembly::convert_tables();
  assembly::scaled_conversions();
  assembly::scalar_tables();
  assembly::atomic_tables();
  assembly::load_store_tables();
  return assembly::run();
}
