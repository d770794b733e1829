// Every rule that arguments must satisfy: the status says which argument breaks which rule with
// which value, and nothing is written.
#include "catch.hpp"
#include "fixture.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using test::dense_problem;
using test::i64;
using test::packed_problem;
using test::packed_shape;
using test::shape;

namespace {

using dense = dense_problem<float, 16, 24, fa::window>;
using half = dense_problem<fa::f16, 16, 24>;
using packed = packed_problem<float, 16, 24>;

constexpr i64 most = std::numeric_limits<i64>::max(), least = std::numeric_limits<i64>::min();

/// One way to break a rule, and what the status must say.
template <class Args>
struct breach {
  const char* what;
  std::function<void(Args&)> apply;
  fa::status_code code;
  const char* argument;
  const char* shown = nullptr;  ///< how the message writes the value, where it is no number
};

template <class Problem>
void refused(Problem& p, const breach<typename Problem::args>& b) {
  INFO(b.what);
  b.apply(p.a);
  const fa::status s = p.run();
  INFO(s.message());
  CHECK(!s);
  CHECK(std::string(fa::name_of(s.code())) == fa::name_of(b.code));
  CHECK(std::string(s.argument()) == b.argument);
  CHECK(std::string(s.rule()) != "");
  const std::string message = s.message();
  CHECK(message.find(s.argument()) != std::string::npos);
  CHECK(message.find(s.rule()) != std::string::npos);
  const char* shown = b.code == fa::status_code::null_pointer ? "null" : b.shown;
  CHECK(message.find(shown ? shown : std::to_string(s.value())) != std::string::npos);
  CHECK(p.o.untouched());
  CHECK(p.lse.untouched());
}

template <class T>
T* misaligned(T* p) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + 1);
}

const shape usual{2, 4, 2, 10, 12};

}  // namespace

TEST_CASE("the usual arguments are fine") {
  dense d(usual);
  CHECK(test::run_fault(d, d.a.mask) == "");
  packed p(packed_shape{4, 2, {3, 5}, {6, 7}});
  CHECK(test::run_fault(p, fa::no_mask{}) == "");
}

TEST_CASE("dense: each rule") {
  using args = dense::args;
  const std::vector<breach<args>> all = {
      {"q null", [](args& a) { a.q.data = nullptr; }, fa::status_code::null_pointer, "q"},
      {"k null", [](args& a) { a.k.data = nullptr; }, fa::status_code::null_pointer, "k"},
      {"v null", [](args& a) { a.v.data = nullptr; }, fa::status_code::null_pointer, "v"},
      {"o null", [](args& a) { a.o.data = nullptr; }, fa::status_code::null_pointer, "o"},
      {"q misaligned", [](args& a) { a.q.data = misaligned(a.q.data); },
       fa::status_code::misaligned, "q"},
      {"k misaligned", [](args& a) { a.k.data = misaligned(a.k.data); },
       fa::status_code::misaligned, "k"},
      {"v misaligned", [](args& a) { a.v.data = misaligned(a.v.data); },
       fa::status_code::misaligned, "v"},
      {"o misaligned", [](args& a) { a.o.data = misaligned(a.o.data); },
       fa::status_code::misaligned, "o"},
      {"lse misaligned", [](args& a) { a.lse.data = misaligned(a.lse.data); },
       fa::status_code::misaligned, "lse"},
      {"k of another batch", [](args& a) { a.k.batch = 3; }, fa::status_code::shape_mismatch,
       "k.batch"},
      {"v of another batch", [](args& a) { a.v.batch = 1; }, fa::status_code::shape_mismatch,
       "v.batch"},
      {"o of another batch", [](args& a) { a.o.batch = 1; }, fa::status_code::shape_mismatch,
       "o.batch"},
      {"lse of another batch", [](args& a) { a.lse.batch = 1; }, fa::status_code::shape_mismatch,
       "lse.batch"},
      {"v of another length", [](args& a) { a.v.seqlen = 11; }, fa::status_code::shape_mismatch,
       "v.seqlen"},
      {"o of another length", [](args& a) { a.o.seqlen = 9; }, fa::status_code::shape_mismatch,
       "o.seqlen"},
      {"lse of another length", [](args& a) { a.lse.seqlen = 9; }, fa::status_code::shape_mismatch,
       "lse.seqlen"},
      {"o of other heads", [](args& a) { a.o.heads = 2; }, fa::status_code::shape_mismatch,
       "o.heads"},
      {"v of other heads", [](args& a) { a.v.heads = 1; }, fa::status_code::shape_mismatch,
       "v.heads"},
      {"lse of other heads", [](args& a) { a.lse.heads = 2; }, fa::status_code::shape_mismatch,
       "lse.heads"},
      {"heads no multiple", [](args& a) { a.k.heads = a.v.heads = 3; },
       fa::status_code::shape_mismatch, "k.heads"},
      {"more key heads than heads", [](args& a) { a.k.heads = a.v.heads = 8; },
       fa::status_code::shape_mismatch, "k.heads"},
      {"no key heads", [](args& a) { a.k.heads = a.v.heads = 0; }, fa::status_code::shape_mismatch,
       "k.heads"},
      {"q of another head size", [](args& a) { a.q.dim = 24; }, fa::status_code::shape_mismatch,
       "q.dim"},
      {"k of another head size", [](args& a) { a.k.dim = 24; }, fa::status_code::shape_mismatch,
       "k.dim"},
      {"v of another head size", [](args& a) { a.v.dim = 16; }, fa::status_code::shape_mismatch,
       "v.dim"},
      {"o of another head size", [](args& a) { a.o.dim = 16; }, fa::status_code::shape_mismatch,
       "o.dim"},
      {"q with a gap", [](args& a) { a.q.dim_stride = 2; }, fa::status_code::bad_stride,
       "q.dim_stride"},
      {"k with a gap", [](args& a) { a.k.dim_stride = 0; }, fa::status_code::bad_stride,
       "k.dim_stride"},
      {"v with a gap", [](args& a) { a.v.dim_stride = -1; }, fa::status_code::bad_stride,
       "v.dim_stride"},
      {"o with a gap", [](args& a) { a.o.dim_stride = 2; }, fa::status_code::bad_stride,
       "o.dim_stride"},
      {"o rows on each other", [](args& a) { a.o.token_stride = 0; }, fa::status_code::bad_stride,
       "o.token_stride"},
      {"o rows overlap", [](args& a) { a.o.head_stride = 23; }, fa::status_code::bad_stride,
       "o.head_stride"},
      {"o batches on each other", [](args& a) { a.o.batch_stride = 0; },
       fa::status_code::bad_stride, "o.batch_stride"},
      {"lse rows on each other", [](args& a) { a.lse.token_stride = 0; },
       fa::status_code::bad_stride, "lse.token_stride"},
      {"lse heads on each other", [](args& a) { a.lse.head_stride = 0; },
       fa::status_code::bad_stride, "lse.head_stride"},
      {"lse batches on each other", [](args& a) { a.lse.batch_stride = 0; },
       fa::status_code::bad_stride, "lse.batch_stride"},
      {"q stride overflows", [](args& a) { a.q.token_stride = most; }, fa::status_code::bad_stride,
       "q"},
      {"k stride overflows", [](args& a) { a.k.batch_stride = least; }, fa::status_code::bad_stride,
       "k"},
      {"v stride overflows", [](args& a) { a.v.head_stride = most / 2; },
       fa::status_code::bad_stride, "v"},
      {"o stride overflows", [](args& a) { a.o.token_stride = least; }, fa::status_code::bad_stride,
       "o"},
      {"lse stride overflows", [](args& a) { a.lse.head_stride = most; },
       fa::status_code::bad_stride, "lse"},
      {"q batch negative", [](args& a) { a.q.batch = -1; }, fa::status_code::bad_value, "q.batch"},
      {"q length negative", [](args& a) { a.q.seqlen = -1; }, fa::status_code::bad_value,
       "q.seqlen"},
      {"q heads negative", [](args& a) { a.q.heads = -4; }, fa::status_code::bad_value, "q.heads"},
      {"k length negative", [](args& a) { a.k.seqlen = a.v.seqlen = -3; },
       fa::status_code::bad_value, "k.seqlen"},
      {"k length too large", [](args& a) { a.k.seqlen = a.v.seqlen = i64{1} << 40; },
       fa::status_code::bad_value, "k.seqlen"},
      {"k heads negative", [](args& a) { a.k.heads = a.v.heads = -2; }, fa::status_code::bad_value,
       "k.heads"},
      {"scale NaN", [](args& a) { a.softmax_scale = std::numeric_limits<float>::quiet_NaN(); },
       fa::status_code::bad_value, "softmax_scale", "NaN"},
      {"scale infinite", [](args& a) { a.softmax_scale = -std::numeric_limits<float>::infinity(); },
       fa::status_code::bad_value, "softmax_scale", "-infinity"},
      {"scale too large", [](args& a) { a.softmax_scale = 2e38f; }, fa::status_code::bad_value,
       "softmax_scale", "larger"},
      {"scale too small", [](args& a) { a.softmax_scale = -3e38f; }, fa::status_code::bad_value,
       "softmax_scale", "smaller"},
  };
  for (const auto& b : all) {
    dense p(usual);
    refused(p, b);
  }
}

TEST_CASE("16-bit pointers must be aligned too") {
  half q(usual), o(usual);
  refused(q, {"q", [](half::args& a) { a.q.data = misaligned(a.q.data); },
              fa::status_code::misaligned, "q"});
  refused(o, {"o", [](half::args& a) { a.o.data = misaligned(a.o.data); },
              fa::status_code::misaligned, "o"});
}

TEST_CASE("packed: each rule") {
  using args = packed::args;
  static const std::int32_t falling[] = {0, 5, 3}, negative[] = {-1, 3, 8}, beyond[] = {0, 3, 9},
                            too_long[] = {4, 5}, below[] = {-1, 5};
  static const std::int32_t k_beyond[] = {0, 6, 100}, k_used[] = {6, 8};
  const std::vector<breach<args>> all = {
      {"no offsets of q", [](args& a) { a.cu_seqlens_q = nullptr; }, fa::status_code::null_pointer,
       "cu_seqlens_q"},
      {"no offsets of k", [](args& a) { a.cu_seqlens_k = nullptr; }, fa::status_code::null_pointer,
       "cu_seqlens_k"},
      {"offsets fall", [](args& a) { a.cu_seqlens_q = falling; }, fa::status_code::bad_offsets,
       "cu_seqlens_q"},
      {"offsets of k fall", [](args& a) { a.cu_seqlens_k = falling; }, fa::status_code::bad_offsets,
       "cu_seqlens_k"},
      {"offsets start below 0", [](args& a) { a.cu_seqlens_q = negative; },
       fa::status_code::bad_offsets, "cu_seqlens_q"},
      {"offsets beyond the tokens", [](args& a) { a.cu_seqlens_q = beyond; },
       fa::status_code::bad_offsets, "cu_seqlens_q"},
      {"offsets of k beyond the tokens", [](args& a) { a.cu_seqlens_k = k_beyond; },
       fa::status_code::bad_offsets, "cu_seqlens_k"},
      {"more used than there is", [](args& a) { a.seqused_q = too_long; },
       fa::status_code::bad_offsets, "seqused_q"},
      {"more keys used than there are", [](args& a) { a.seqused_k = k_used; },
       fa::status_code::bad_offsets, "seqused_k"},
      {"used below 0", [](args& a) { a.seqused_k = below; }, fa::status_code::bad_offsets,
       "seqused_k"},
      {"batch negative", [](args& a) { a.batch = -1; }, fa::status_code::bad_value, "batch"},
      {"batch beyond counting", [](args& a) { a.batch = i64{1} << 62; }, fa::status_code::bad_value,
       "batch", "63 bits"},
      {"bound below a length", [](args& a) { a.max_seqlen_q = 4; }, fa::status_code::bad_offsets,
       "max_seqlen_q"},
      {"bound of k below a length", [](args& a) { a.max_seqlen_k = 6; },
       fa::status_code::bad_offsets, "max_seqlen_k"},
      {"bound negative", [](args& a) { a.max_seqlen_k = -6; }, fa::status_code::bad_value,
       "max_seqlen_k"},
      {"tokens in a batch", [](args& a) { a.q.batch = a.k.batch = a.v.batch = a.o.batch = 2; },
       fa::status_code::bad_value, "q.batch"},
      {"heads no multiple", [](args& a) { a.k.heads = a.v.heads = 3; },
       fa::status_code::shape_mismatch, "k.heads"},
      {"q null", [](args& a) { a.q.data = nullptr; }, fa::status_code::null_pointer, "q"},
      {"lse of other tokens", [](args& a) { a.lse.seqlen = 7; }, fa::status_code::shape_mismatch,
       "lse.seqlen"},
  };
  for (const auto& b : all) {
    packed p(packed_shape{4, 2, {3, 5}, {6, 7}});
    refused(p, b);
  }
}

TEST_CASE("what is never used may be anything") {
  // Strides of dimensions of size 1, and pointers where there is nothing.
  dense p(shape{1, 1, 1, 1, 12});
  p.a.q.batch_stride = most, p.a.q.token_stride = least, p.a.q.head_stride = -7;
  p.a.k.batch_stride = 0, p.a.k.head_stride = most;
  p.a.o.batch_stride = p.a.o.token_stride = p.a.o.head_stride = 0;
  p.a.lse.batch_stride = p.a.lse.head_stride = p.a.lse.token_stride = 0;
  CHECK(test::run_fault(p, p.a.mask) == "");
  dense none(shape{2, 4, 2, 0, 12});
  none.a.q.data = nullptr, none.a.o.data = nullptr, none.a.k.data = nullptr,
  none.a.v.data = nullptr;
  CHECK(none.run());
}

TEST_CASE("default arguments are refused, not read") {
  dense::args a;
  CHECK(!dense::attention::forward(fa::host{}, a));
  packed::args p;
  CHECK(!packed::attention::forward(fa::host{}, p));
}

TEST_CASE("a window may be any pair of numbers") {
  for (const i64 left : {least, i64{-2}, i64{0}, i64{1} << 31, most}) {
    for (const i64 right : {least, i64{-2}, i64{0}, i64{1} << 31, most}) {
      dense p(usual);
      p.a.mask = {.left = left, .right = right};
      INFO("window " << left << ' ' << right);
      CHECK(test::run_fault(p, p.a.mask) == "");
    }
  }
}

TEST_CASE("any number of threads") {
  for (const int threads :
       {-1, 0, 1, 2000, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    dense p(usual);
    INFO("threads " << threads);
    REQUIRE(p.run(fa::host{threads}));
    CHECK(test::fault(p, p.a.mask) == "");
  }
}

// Members that are left out have their defaults, which g++ mentions for bases too.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

TEST_CASE("arguments: members may be initialised by name", "[arguments]") {
  using attention = fa::attention<float, fa::head_dim<4>>;
  const float ones[4] = {1.f, 1.f, 1.f, 1.f};
  float o[4] = {};
  const auto row = fa::bshd<const float>(ones, 1, 1, 1, 4);
  const attention::forward_args a{
      .q = row, .k = row, .v = row, .o = fa::bshd(o, 1, 1, 1, 4), .lse = {}, .softmax_scale = {}};
  REQUIRE(attention::forward(fa::host{.threads = 1}, a));
  REQUIRE(o[0] == 1.f);
}
