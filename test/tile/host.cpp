// Verbs on the host's machines.
#include "catch.hpp"
#include "checks.hpp"
#include "mapped.hpp"

#include <fa/machine/host/line/machine.hpp>
#include <fa/machine/host/strip/machine.hpp>

#include <algorithm>

namespace {

/// Tiles on this machine's CPU, block after block.
struct on_host {
  /// Ends where the next byte may not be touched.
  template <class T>
  class array {
   public:
    explicit array(const std::vector<T>& x)
        : count_(x.size()), pages_(bytes() + test::page_bytes()) {
      pages_.forbid(bytes(), test::page_bytes());
      std::copy(x.begin(), x.end(), data());
    }
    T* data() const { return pages_.template as<T>() + (bytes() / sizeof(T) - count_); }
    std::vector<T> get() const { return {data(), data() + count_}; }

   private:
    std::size_t bytes() const { return fa::round_up(count_ * sizeof(T), test::page_bytes()); }
    std::size_t count_;
    test::mapped pages_;
  };
  static constexpr bool keeps_values_apart = true;
  static constexpr bool aligned = false;

  template <class M, fa::forward_config cfg, class Probe, class Problem>
  static void run_blocks(Problem a, int blocks) {
    for (a.block = 0; a.block < blocks; ++a.block) test::run_probe<M, cfg, Probe>(a);
  }
};

/// Two strips of rows, and steps that end inside a register tile.
struct on_strips : on_host {
  template <class T>
  static constexpr bool rounds_weights = fa::host_machine::multiplies_pairs<T>;
  template <class T, int D, int DV>
  static constexpr fa::forward_config config() {
    return {2 * fa::host_machine::strip_rows, 22, D, DV};
  }
  template <class Probe, int D, int DV, class Problem>
  static void run(const Problem& a, int blocks) {
    constexpr auto cfg = config<typename Problem::element, D, DV>();
    run_blocks<fa::host_machine::strips, cfg, Probe>(a, blocks);
  }
};

template <int Rows>
struct on_lines : on_host {
  template <class T>
  static constexpr bool rounds_weights = false;
  template <class T, int D, int DV>
  static constexpr fa::forward_config config() {
    return {Rows, 22, D, DV};
  }
  template <class Probe, int D, int DV, class Problem>
  static void run(const Problem& a, int blocks) {
    constexpr auto cfg = config<typename Problem::element, D, DV>();
    run_blocks<fa::host_machine::lines, cfg, Probe>(a, blocks);
  }
};

template <class Place, class T, int D, int DV>
void check(const char* name) {
  int failed = 0;
  auto report = [&](bool good, const std::string& what) {
    if (good || ++failed > 20) return;
    UNSCOPED_INFO(what);
  };
  test::tile_checks<Place, T, D, DV, decltype(report)>(report, name).all();
  CHECK(failed == 0);
}

}  // namespace

TEST_CASE("strips, f32") {
  check<on_strips, float, 40, 24>("f32");
  check<on_strips, float, 19, 37>("f32");
}

TEST_CASE("strips, 16 bits") {
  check<on_strips, fa::f16, 40, 19>("f16");
  check<on_strips, fa::bf16, 19, 40>("bf16");
}

TEST_CASE("lines, f32") {
  check<on_lines<fa::host_machine::most_line_rows>, float, 40, 19>("f32");
  check<on_lines<1>, float, 19, 40>("f32, one row");
}

TEST_CASE("lines, 16 bits") {
  check<on_lines<2>, fa::f16, 40, 19>("f16");
  check<on_lines<fa::host_machine::most_line_rows>, fa::bf16, 19, 40>("bf16");
}
