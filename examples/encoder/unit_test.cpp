// Tests of the encoder's parts that need no model: Unicode, word splitting, pieces, files,
// arithmetic, threads.
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "gelu.hpp"
#include "linear.hpp"
#include "model.hpp"
#include "safetensors.hpp"
#include "thread_pool.hpp"
#include "tokenizer.hpp"
#include "unicode.hpp"

namespace {

using encoder::checks;

std::u32string decode(std::string_view text) {
  std::u32string characters;
  while (!text.empty()) characters += encoder::take_character(text);
  return characters;
}

std::string fold_all(std::string_view text) {
  std::string out;
  for (const char32_t c : decode(text)) {
    for (const char32_t f : encoder::fold(c)) encoder::append_character(out, f);
  }
  return out;
}

void test_unicode(checks& t) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {  // there and back, every character
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    encoder::append_character(text, c);
    if (decode(text) != std::u32string(1, c))
      t.expect(false, "UTF-8 of character " + std::to_string(c));
  }
  constexpr char32_t bad = encoder::replacement_character;
  t.expect(decode("a\x80z") == std::u32string({'a', bad, 'z'}), "a stray continuation byte");
  t.expect(decode("\xC3") == std::u32string({bad}), "a missing continuation byte");
  t.expect(decode("\xE4\xB8 ") == std::u32string({bad, bad, ' '}), "a character cut short");
  t.expect(decode("\xC0\xAF") == std::u32string({bad, bad}), "an overlong form");
  t.expect(decode("\xED\xA0\x80") == std::u32string({bad, bad, bad}), "a surrogate");
  t.expect(decode("\xF4\x90\x80\x80") == std::u32string({bad, bad, bad, bad}),
           "a number past U+10FFFF");
  t.expect(decode("\xFF\xFE") == std::u32string({bad, bad}), "bytes that never occur");

  t.expect(fold_all("AZaz09_") == "azaz09_", "ASCII");
  t.expect(fold_all("ÀÉÎÕÜ àéîõü ÇçÑñŸ Ạặ") == "aeiou aeiou ccnny aa", "Latin");
  t.expect(fold_all("Øø Łł ẞß Þ Æ ı İ") == "øø łł ßß þ æ ı i",
           "Latin letters that do not decompose");
  t.expect(fold_all("e\xCC\x81") == "e", "a combining accent goes");
  t.expect(fold_all("ΆΑάα ΣΠς ᾳ ᾯ") == "αααα σπς α ω", "Greek");
  t.expect(fold_all("ЁёЙй ЀѝЉ") == "ееии еиљ", "Cyrillic");
  t.expect(fold_all("각가힣") == "\u1100\u1161\u11A8\u1100\u1161\u1112\u1175\u11C2", "Hangul");
  t.expect(fold_all("がパ") == "かハ", "kana lose their voicing marks");
  t.expect(fold_all("ＡＢ") == "ａｂ", "full-width letters stay full-width");
  t.expect(fold_all("\U0001D160") == "\U0001D158\U0001D165\U0001D16E", "one to three");
}

void test_words(checks& t) {
  using words = std::vector<std::string>;
  const auto expect = [&](std::string_view text, const words& wanted) {
    const words got = encoder::split_words(text);
    t.expect(got == wanted, nlohmann::json(text).dump() + " gave " + nlohmann::json(got).dump());
  };
  expect("", {});
  expect(" \t\r\n\u3000", {});
  expect("Hello, World!", {"hello", ",", "world", "!"});
  expect("don't $5 a_b", {"don", "'", "t", "$", "5", "a", "_", "b"});
  expect("a\u00A0b\u2003c", {"a", "b", "c"});
  expect(std::string_view("a\0b\x07", 4), {"ab"});
  expect("a\u200Bb\u00ADc", {"abc"});
  expect("x中文y", {"x", "中", "文", "y"});
  expect("かな한", {"かな\u1112\u1161\u11AB"});
  expect("a\u2260b", {"a", "=", "b"});
  expect("“q”—…", {"“", "q", "”", "—", "…"});
}

nlohmann::json small_tokenizer() {
  return nlohmann::json::parse(R"({
    "added_tokens": [{"id": 1, "content": "[CLS]"}, {"id": 2, "content": "[SEP]"},
                     {"id": 3, "content": "[MASK]"}],
    "normalizer": {"type": "BertNormalizer", "lowercase": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 6,
              "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[MASK]": 3, "un": 4, "##aff": 5,
                        "##able": 6, "a": 7, "##a": 8,
                        "una": 9, "é": 10, "##中": 11, "中": 12, "##f": 13}}})");
}

void test_pieces(checks& t) {
  const encoder::tokenizer tokenizer(small_tokenizer());
  using ids = std::vector<encoder::token_id>;
  const auto expect = [&](std::string_view text, std::size_t most, const ids& wanted) {
    const ids got = tokenizer.encode(text, most);
    t.expect(got == wanted, nlohmann::json(text).dump() + " gave " + nlohmann::json(got).dump());
  };
  expect("", 8, {1, 2});
  expect("una", 8, {1, 9, 2});
  expect("unaff", 8, {1, 9, 13, 13, 2});  // greedy takes una, though un aff would do as well
  expect("unable", 8, {1, 0, 2});         // greedy takes una, and then nothing fits "ble"
  expect("AAAAAA aaaaaaa", 9, {1, 7, 8, 8, 8, 8, 8, 0, 2});  // seven characters are too long a word
  expect("a a a a", 4, {1, 7, 7, 2});
  expect("a a a a", 2, {1, 2});
  expect("a[MASK]a [SEP]", 8, {1, 7, 3, 7, 2, 2});
  expect("[mask]", 8, {1, 0, 0, 0, 2});
  expect("x中", 8, {1, 0, 12, 2});
  t.expect(tokenizer.vocabulary_size() == 14, "size of the vocabulary");

  auto other = small_tokenizer();
  other["model"]["type"] = "BPE";
  t.expect_error("WordPiece", [&] { encoder::tokenizer{other}; });
  other = small_tokenizer();
  other["model"]["vocab"].erase("[CLS]");
  t.expect_error("[CLS]", [&] { encoder::tokenizer{other}; });
  t.expect_error("cannot open",
                 [] { encoder::tokenizer::from_file("/nonexistent/tokenizer.json"); });
}

/// A file that is gone at the end of the scope.
struct scratch_file {
  std::string path;
  scratch_file(const std::string& name, const std::string& content)
      : path((std::filesystem::temp_directory_path() / ("fa_encoder_unit_test_" + name)).string()) {
    std::ofstream(path, std::ios::binary) << content;
  }
  ~scratch_file() { std::filesystem::remove(path); }
};

std::string safetensors_bytes(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + header + data;
}

void test_safetensors(checks& t) {
  const float values[] = {1.5f, -2.0f};
  const std::string data(reinterpret_cast<const char*>(values), sizeof values);
  const std::string halves = {'\x00', '\x3E', '\xC0', '\x3F'};  // 1.5 in f16, 1.5 in bf16
  const std::string header = R"({"__metadata__": {"format": "pt"},
    "x": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
    "h": {"dtype": "F16", "shape": [1], "data_offsets": [8, 10]},
    "b": {"dtype": "BF16", "shape": [1], "data_offsets": [10, 12]},
    "i": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
    "far": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},
    "odd": {"dtype": "F32", "shape": "?"},
    "small": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})";
  {
    const scratch_file good("good", safetensors_bytes(header, data + halves));
    encoder::safetensors file(good.path);
    t.expect(file.load("x", {1, 2}) == std::vector{1.5f, -2.0f}, "F32");
    t.expect(file.load("h", {1}) == std::vector{1.5f}, "F16");
    t.expect(file.load("b", {1}) == std::vector{1.5f}, "BF16");
    t.expect_error("no tensor y", [&] { file.load("y", {1}); });
    t.expect_error("shape [1,2], expected [2,1]", [&] { file.load("x", {2, 1}); });
    t.expect_error("dtype I64", [&] { file.load("i", {1}); });
    t.expect_error("not all there", [&] { file.load("far", {2}); });
    t.expect_error("not all there", [&] { file.load("small", {2}); });
    t.expect_error("odd:", [&] { file.load("odd", {2}); });
  }
  const auto expect_refused = [&](const std::string& part, const std::string& content) {
    const scratch_file bad("bad", content);
    t.expect_error(part, [&] { encoder::safetensors{bad.path}; });
  };
  expect_refused("too short", "");
  expect_refused("too short", "short");
  expect_refused("past the end", std::string(7, '\xFF') + '\x7F' + "{}");
  expect_refused("past the end", safetensors_bytes(header, data).substr(0, 40));
  expect_refused("no JSON object", safetensors_bytes("{nonsense", data));
  expect_refused("no JSON object", safetensors_bytes("[1]", data));
  t.expect_error("cannot open", [] { encoder::safetensors{"/nonexistent/model.safetensors"}; });
}

void test_config(checks& t) {
  const std::string good =
      R"({"model_type": "bert", "hidden_act": "gelu", "hidden_size": 384,
          "num_attention_heads": 12, "num_hidden_layers": 6,
          "intermediate_size": 1536, "max_position_embeddings": 512, "vocab_size": 30522,
          "layer_norm_eps": 1e-12})";
  const scratch_file file("config", good);
  t.expect(encoder::model_config::from_file(file.path).intermediate == 1536, "a config");
  const auto expect_refused = [&](const std::string& part, const std::string& content) {
    const scratch_file bad("config_bad", content);
    t.expect_error(part, [&] { encoder::model_config::from_file(bad.path); });
  };
  expect_refused("parse error", "{");
  expect_refused("hidden_size", R"({"model_type": "bert", "hidden_act": "gelu"})");
  expect_refused("only BERT", R"({"model_type": "gpt2"})");
}

void test_arithmetic(checks& t) {
  double worst = 0;
  for (int i = -80000; i <= 80000; ++i) {
    const float x = static_cast<float>(i) * 1e-4f;
    worst = std::max(
        worst, std::fabs(static_cast<double>(encoder::erf(x)) - std::erf(static_cast<double>(x))));
  }
  t.expect(worst < 6e-7, "erf is off by " + std::to_string(worst));
  t.expect(encoder::gelu(-100.0f) == 0 && encoder::gelu(100.0f) == 100, "gelu far out");
  t.expect(std::isnan(encoder::gelu(NAN)), "gelu of NaN");

  const std::size_t inputs = 37,
                    outputs = 64;  // against the plain sum, at row counts around the tile's
  const auto value = [](std::size_t i) {
    return static_cast<float>(i * 7919 % 257) / 128.0f - 1.0f;
  };
  std::vector<float> weight(outputs * inputs), bias(outputs);
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = value(i);
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = value(i + 5);
  const encoder::linear layer(weight, bias);
  t.expect_error("multiple of 16",
                 [] { encoder::linear(std::vector<float>(17 * 4), std::vector<float>(17)); });
  for (const unsigned threads : {1u, 3u}) {
    encoder::thread_pool pool(threads);
    for (const std::size_t rows : {0u, 1u, 5u, 6u, 7u, 96u, 200u}) {
      encoder::matrix x(rows, inputs), y(rows, outputs);
      for (std::size_t i = 0; i < rows * inputs; ++i) x.data()[i] = value(i + 11);
      layer.apply(pool, x, y, [](float v) { return 2 * v; });
      double error = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t n = 0; n < outputs; ++n) {
          double sum = static_cast<double>(bias[n]);
          for (std::size_t k = 0; k < inputs; ++k) {
            sum += static_cast<double>(x.row(i)[k]) * static_cast<double>(weight[n * inputs + k]);
          }
          error = std::max(error, std::fabs(2 * sum - static_cast<double>(y.row(i)[n])));
        }
      }
      t.expect(error < 1e-4,
               "linear layer, " + std::to_string(rows) + " rows: off by " + std::to_string(error));
    }
  }
}

void test_threads(checks& t) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    encoder::thread_pool pool(threads);
    t.expect(pool.size() == threads, "size of the pool");
    bool once_each = true;
    for (int round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(round));
      pool(round, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& count : calls) once_each = once_each && count == 1;
    }
    t.expect(once_each, "every index once, " + std::to_string(threads) + " threads");
  }
}

}  // namespace

int main() {
  checks t;
  test_unicode(t);
  test_words(t);
  test_pieces(t);
  test_safetensors(t);
  test_config(t);
  test_arithmetic(t);
  test_threads(t);
  return t.finish();
}
