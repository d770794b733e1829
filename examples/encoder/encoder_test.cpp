// encoder_test MODEL_DIR EXPECTED.json: the encoder against what an independent implementation made
// of the same texts (see make_expected.py). Exit status 77, "skipped", if the model is not there.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "model.hpp"
#include "thread_pool.hpp"
#include "tokenizer.hpp"

namespace {

using encoder::checks;
using token_ids = std::vector<encoder::token_id>;

struct sentence {
  std::string text;
  token_ids tokens;
  std::vector<double> embedding;
};

/// The text, shortened, in ASCII.
std::string quoted(const std::string& text) {
  std::string_view rest = text;
  for (int i = 0; i < 40 && !rest.empty(); ++i) encoder::take_character(rest);
  const std::string beginning = text.substr(0, text.size() - rest.size());
  return nlohmann::json(rest.empty() ? beginning : beginning + "...").dump(-1, ' ', true);
}

void test_tokens(checks& t, const encoder::tokenizer& tokenizer, const nlohmann::json& entries,
                 std::size_t max_tokens) {
  for (const auto& entry : entries) {
    const auto text = entry.at("text").get<std::string>();
    const token_ids got = tokenizer.encode(text, max_tokens);
    t.expect(got == entry.at("tokens").get<token_ids>(),
             "tokens of " + quoted(text) + ": " + nlohmann::json(got).dump() + ", expected " +
                 entry.at("tokens").dump());
  }
}

/// vocab.txt, one token a line, says the same as tokenizer.json: a token alone encodes
/// to its line number.
void test_vocabulary(checks& t, const encoder::tokenizer& tokenizer, const std::string& path) {
  std::ifstream file(path);
  std::size_t lines = 0;
  for (std::string token; std::getline(file, token); ++lines) {
    if (lines % 100 == 98 && !token.starts_with("##") &&
        !token.starts_with("[unused")) {  // a sample of whole words
      t.expect(tokenizer.encode(token, 3)[1] == static_cast<encoder::token_id>(lines),
               "vocab.txt: " + token);
    }
  }
  t.expect(lines == tokenizer.vocabulary_size(),
           "vocab.txt has " + std::to_string(lines) + " lines");
}

double cosine(const float* a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto x = static_cast<double>(a[i]);
    ab += x * b[i], aa += x * x, bb += b[i] * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

template <class T>
void test_embeddings(checks& t, const encoder::model& model, const std::vector<sentence>& sentences,
                     const char* dtype, double least_cosine) {
  std::vector<token_ids> tokens;
  for (const sentence& s : sentences) tokens.push_back(s.tokens);
  const encoder::matrix together = model.embed<T>(tokens).embeddings;
  const std::size_t bytes = together.columns() * sizeof(float);

  std::printf("%s\n", dtype);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const double c = cosine(together.row(i), sentences[i].embedding);
    std::printf("  cosine %.8f  %3zu tokens  %s\n", c, tokens[i].size(),
                quoted(sentences[i].text).c_str());
    t.expect(c >= least_cosine, "cosine below " + std::to_string(least_cosine));

    double length = 0;
    for (std::size_t j = 0; j < together.columns(); ++j)
      length += std::pow(static_cast<double>(together.row(i)[j]), 2);
    t.expect(std::fabs(length - 1) < 1e-5, "an embedding has length 1");

    const encoder::matrix alone = model.embed<T>(std::span(tokens).subspan(i, 1)).embeddings;
    t.expect(std::memcmp(alone.row(0), together.row(i), bytes) == 0,
             "alone and packed differ: " + quoted(sentences[i].text));
  }

  const std::vector<token_ids> reversed(tokens.rbegin(), tokens.rend());
  const encoder::matrix backwards = model.embed<T>(reversed).embeddings;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    t.expect(std::memcmp(backwards.row(tokens.size() - 1 - i), together.row(i), bytes) == 0,
             "the order changes the result");
  }
  t.expect(model.embed<T>({}).embeddings.rows() == 0, "no sentence");
}

void test_refusals(checks& t, const encoder::model& model) {
  const auto embed = [&](token_ids ids) {
    return [&model, ids] { model.embed<float>(std::vector<token_ids>{ids}); };
  };
  t.expect_error("tokens, not 0", embed({}));
  t.expect_error("tokens, not 513", embed(token_ids(513, 100)));
  t.expect_error("vocabulary", embed({101, 30522, 102}));
  t.expect_error("vocabulary", embed({101, -1, 102}));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: encoder_test MODEL_DIR EXPECTED.json\n");
    return 2;
  }
  const std::string directory = argv[1];
  if (!std::filesystem::exists(directory + "/model.safetensors")) {
    std::printf("skipped: no model in %s; bring it with: examples/encoder/get_model.sh %s\n",
                argv[1], argv[1]);
    return 77;
  }
  const auto expected = nlohmann::json::parse(std::ifstream(argv[2]));
  std::vector<sentence> sentences;
  for (const auto& entry : expected.at("sentences")) {
    sentences.push_back({entry.at("text"), entry.at("tokens"), entry.at("embedding")});
  }

  checks t;
  const auto tokenizer = encoder::tokenizer::from_file(directory + "/tokenizer.json");
  const std::size_t max_tokens = expected.at("max_tokens");
  test_tokens(t, tokenizer, expected.at("sentences"), max_tokens);
  test_tokens(t, tokenizer, expected.at("tokenizer"), max_tokens);
  test_vocabulary(t, tokenizer, directory + "/vocab.txt");

  encoder::thread_pool pool;
  const encoder::model model(directory, pool);
  test_embeddings<float>(t, model, sentences, "f32", 0.999999);
  test_embeddings<fa::bf16>(t, model, sentences, "bf16", 0.9999);
  test_refusals(t, model);
  return t.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "encoder_test: %s\n", error.what());
  return 1;
}
