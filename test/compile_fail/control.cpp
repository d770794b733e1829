// expect nothing
#include <fa/attention.hpp>

// Everything that the other files do wrong, done right: shows that they fail for
// the reason they name.
struct every_other {
  struct bound {
    bool keep(int i, int j) const { return (i + j) % 2 == 0; }
    fa::key_span span(fa::row_range, int keys) const { return {0, 0, 0, keys}; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

struct doubled {
  struct bound {
    float operator()(float s, int, int) const { return 2 * s; }
  };
  bound bind(const fa::sequence&) const { return {}; }
};

template <class... Options>
void instantiate() {
  using attention = fa::attention<Options...>;
  typename attention::forward_args arguments;
  static_cast<void>(attention::forward(fa::host{}, arguments));
}

void all() {
  instantiate<float, fa::head_dim<1>>();
  instantiate<fa::head_dim<64, 48>, fa::causal, fa::bf16, fa::output<float>>();
  instantiate<fa::f16, fa::head_dim<64>, fa::window, fa::varlen>();
  instantiate<float, fa::head_dim<64>, every_other, doubled>();
}
