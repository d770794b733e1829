#pragma once
// A BERT-like sentence encoder, all-MiniLM-L6-v2: token ids in, one vector of length 1 per sentence
// out. Everything is f32 on this program's own threads; attention is the library's, on q, k and v
// of the element type that the caller names.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fa/attention.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "gelu.hpp"
#include "linear.hpp"
#include "safetensors.hpp"
#include "thread_pool.hpp"
#include "tokenizer.hpp"

namespace encoder {

/// The sizes in a model's config.json.
struct model_config {
  std::size_t hidden, heads, layers, intermediate, positions, vocabulary;
  float norm_epsilon;

  /// Throws std::runtime_error, naming the file, if it is missing, broken or about a
  /// model of another kind.
  static model_config from_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path);
    try {
      const auto json = nlohmann::json::parse(file);
      if (json.value("model_type", "") != "bert" || json.value("hidden_act", "") != "gelu" ||
          json.value("position_embedding_type", "absolute") != "absolute") {
        throw std::runtime_error(path +
                                 ": only BERT with gelu and absolute positions is implemented");
      }
      return {.hidden = json.at("hidden_size"),
              .heads = json.at("num_attention_heads"),
              .layers = json.at("num_hidden_layers"),
              .intermediate = json.at("intermediate_size"),
              .positions = json.at("max_position_embeddings"),
              .vocabulary = json.at("vocab_size"),
              .norm_epsilon = json.at("layer_norm_eps")};
    } catch (const nlohmann::json::exception& error) {
      throw std::runtime_error(path + ": " + error.what());
    }
  }
};

struct layer_norm {
  std::vector<float> weight, bias;
  float epsilon;

  /// Normalises one row in place.
  void apply(float* row) const {
    const std::size_t size = weight.size();
    float mean = 0, variance = 0;
    for (std::size_t i = 0; i < size; ++i) mean += row[i];
    mean /= static_cast<float>(size);
    for (std::size_t i = 0; i < size; ++i) variance += (row[i] - mean) * (row[i] - mean);
    const float scale = 1.0f / std::sqrt(variance / static_cast<float>(size) + epsilon);
    for (std::size_t i = 0; i < size; ++i) row[i] = (row[i] - mean) * scale * weight[i] + bias[i];
  }
};

class model {
 public:
  static constexpr std::size_t head_dim = 32;

  struct result {
    matrix embeddings;  // [sentences, hidden], each row of length 1
    double attention_seconds;
  };

  /// Loads `directory`/config.json and model.safetensors. `pool` must outlive the model.
  model(const std::string& directory, thread_pool& pool)
      : pool_(&pool), config_(model_config::from_file(directory + "/config.json")) {
    const auto& c = config_;
    if (c.heads * head_dim != c.hidden) {
      throw std::runtime_error(directory + "/config.json: the size of a head, " +
                               std::to_string(c.hidden) + " / " + std::to_string(c.heads) +
                               ", is not the 32 that this program is compiled for");
    }
    safetensors file(directory + "/model.safetensors");
    words_ = file.load("embeddings.word_embeddings.weight", {c.vocabulary, c.hidden});
    positions_ = file.load("embeddings.position_embeddings.weight", {c.positions, c.hidden});
    types_ = file.load("embeddings.token_type_embeddings.weight", {2, c.hidden});
    embedding_norm_ = load_norm(file, "embeddings.LayerNorm");
    for (std::size_t i = 0; i < c.layers; ++i) {
      const std::string name = "encoder.layer." + std::to_string(i) + ".";
      layers_.push_back(
          {.qkv = load_qkv(file, name + "attention.self."),
           .attention_output = load_linear(file, name + "attention.output.dense", c.hidden,
                                           c.hidden),
           .attention_norm = load_norm(file, name + "attention.output.LayerNorm"),
           .expand = load_linear(file, name + "intermediate.dense", c.intermediate, c.hidden),
           .contract = load_linear(file, name + "output.dense", c.hidden, c.intermediate),
           .output_norm = load_norm(file, name + "output.LayerNorm")});
    }
  }

  const model_config& config() const { return config_; }

  /// Runs all sentences at once: their tokens are packed one sentence behind the other, with no
  /// padding. T is the element type of q, k and v: float, fa::bf16 or fa::f16.
  template <class T>
  result embed(std::span<const std::vector<token_id>> sentences) const {
    const std::vector<std::int32_t> starts = starts_of(sentences);
    matrix x = embed_tokens(sentences);
    matrix qkv(x.rows(), 3 * config_.hidden), middle(x.rows(), config_.intermediate);
    matrix attended(x.rows(), config_.hidden), change(x.rows(), config_.hidden);
    result out = {matrix(sentences.size(), config_.hidden), 0};
    for (const layer& l : layers_) {
      l.qkv.apply(*pool_, x, qkv);
      out.attention_seconds += attend<T>(qkv, starts, attended);
      l.attention_output.apply(*pool_, attended, change);
      add_and_norm(x, change, l.attention_norm);
      l.expand.apply(*pool_, x, middle, gelu);
      l.contract.apply(*pool_, middle, change);
      add_and_norm(x, change, l.output_norm);
    }
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      mean_of_length_1(x, static_cast<std::size_t>(starts[s]),
                       static_cast<std::size_t>(starts[s + 1]), out.embeddings.row(s));
    }
    return out;
  }

 private:
  struct layer {
    linear qkv, attention_output;
    layer_norm attention_norm;
    linear expand, contract;
    layer_norm output_norm;
  };

  // [begin:attention]
  /// Self-attention within each sentence: o [tokens, hidden] from qkv [tokens, 3 * hidden]. Returns
  /// the seconds it took.
  template <class T>
  double attend(const matrix& qkv, const std::vector<std::int32_t>& starts, matrix& o) const {
    using attention = fa::attention<T, fa::head_dim<head_dim>, fa::output<float>, fa::varlen>;
    const auto begin = std::chrono::steady_clock::now();

    const auto tokens = static_cast<std::int64_t>(qkv.rows()),
               heads = static_cast<std::int64_t>(config_.heads);
    std::vector<T> rounded;  // q, k and v in the element type, where that is not float
    const T* elements = as_elements(qkv, rounded);
    const auto part = [&](std::size_t i) {  // q, k and v lie side by side in a token's row
      auto view = fa::thd(elements + i * config_.hidden, tokens, heads, std::int64_t{head_dim});
      view.token_stride = static_cast<std::int64_t>(qkv.columns());
      return view;
    };

    typename attention::forward_args a;
    a.q = part(0);
    a.k = part(1);
    a.v = part(2);
    a.o = fa::thd(o.data(), tokens, heads, std::int64_t{head_dim});
    a.batch = static_cast<std::int64_t>(starts.size()) - 1;
    // sentence s is the rows from starts[s] to starts[s + 1]
    a.cu_seqlens_q = a.cu_seqlens_k = starts.data();

    const auto parallel = [this](std::int64_t count, const auto& body) { (*pool_)(count, body); };
    if (const fa::status status = attention::forward(fa::host_with{parallel}, a); !status) {
      throw std::runtime_error(std::string("attention: ") + status.message());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  // [end:attention]

  template <class T>
  const T* as_elements(const matrix& values, std::vector<T>& storage) const {
    if constexpr (std::is_same_v<T, float>) {
      return values.data();
    } else {
      storage.resize(values.rows() * values.columns());
      (*pool_)(static_cast<std::int64_t>(values.rows()), [&](std::int64_t i) {
        const auto row = static_cast<std::size_t>(i);
        const float* from = values.row(row);
        for (std::size_t j = 0; j < values.columns(); ++j)
          storage[row * values.columns() + j] = fa::convert<T>(from[j]);
      });
      return storage.data();
    }
  }

  /// Where each sentence begins among the packed tokens, and the total behind; refuses what the
  /// tables do not hold.
  std::vector<std::int32_t> starts_of(std::span<const std::vector<token_id>> sentences) const {
    std::vector<std::int32_t> starts = {0};
    for (const auto& ids : sentences) {
      if (ids.empty() || ids.size() > config_.positions) {
        throw std::invalid_argument("a sentence has 1 to " + std::to_string(config_.positions) +
                                    " tokens, not " + std::to_string(ids.size()));
      }
      for (const token_id id : ids) {
        if (id < 0 || static_cast<std::size_t>(id) >= config_.vocabulary) {
          throw std::invalid_argument("token " + std::to_string(id) +
                                      " is not in the model's vocabulary");
        }
      }
      starts.push_back(starts.back() + static_cast<std::int32_t>(ids.size()));
    }
    return starts;
  }

  matrix embed_tokens(std::span<const std::vector<token_id>> sentences) const {
    std::size_t tokens = 0;
    for (const auto& ids : sentences) tokens += ids.size();
    matrix x(tokens, config_.hidden);
    std::size_t row = 0;
    for (const auto& ids : sentences) {
      for (std::size_t at = 0; at < ids.size(); ++at, ++row) {
        const float* word = words_.data() + static_cast<std::size_t>(ids[at]) * config_.hidden;
        const float* position = positions_.data() + at * config_.hidden;
        for (std::size_t j = 0; j < config_.hidden; ++j)
          x.row(row)[j] = word[j] + types_[j] + position[j];
        embedding_norm_.apply(x.row(row));
      }
    }
    return x;
  }

  /// x = norm(x + change), row by row.
  void add_and_norm(matrix& x, const matrix& change, const layer_norm& norm) const {
    (*pool_)(static_cast<std::int64_t>(x.rows()), [&](std::int64_t i) {
      float* row = x.row(static_cast<std::size_t>(i));
      const float* add = change.row(static_cast<std::size_t>(i));
      for (std::size_t j = 0; j < x.columns(); ++j) row[j] += add[j];
      norm.apply(row);
    });
  }

  /// out [hidden]: the mean of rows begin to end of x, scaled to length 1.
  static void mean_of_length_1(const matrix& x, std::size_t begin, std::size_t end, float* out) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < x.columns(); ++j) out[j] += x.row(i)[j];
    }
    float squares = 0;
    for (std::size_t j = 0; j < x.columns(); ++j) squares += out[j] * out[j];
    for (std::size_t j = 0; j < x.columns(); ++j) out[j] /= std::sqrt(squares);
  }

  static linear load_linear(safetensors& file, const std::string& name, std::size_t outputs,
                            std::size_t inputs) {
    return {file.load(name + ".weight", {outputs, inputs}), file.load(name + ".bias", {outputs})};
  }

  /// The three projections as one, so that a token's q, k and v come out side by side.
  linear load_qkv(safetensors& file, const std::string& name) const {
    std::vector<float> weight, bias;
    for (const char* part : {"query", "key", "value"}) {
      const auto w = file.load(name + part + ".weight", {config_.hidden, config_.hidden});
      const auto b = file.load(name + part + ".bias", {config_.hidden});
      weight.insert(weight.end(), w.begin(), w.end());
      bias.insert(bias.end(), b.begin(), b.end());
    }
    return {weight, bias};
  }

  layer_norm load_norm(safetensors& file, const std::string& name) const {
    return {file.load(name + ".weight", {config_.hidden}),
            file.load(name + ".bias", {config_.hidden}), config_.norm_epsilon};
  }

  thread_pool* pool_;
  model_config config_;
  std::vector<float> words_, positions_, types_;
  layer_norm embedding_norm_;
  std::vector<layer> layers_;
};

}  // namespace encoder
