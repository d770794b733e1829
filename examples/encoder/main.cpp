// encoder: how alike are sentences? Embeds them with all-MiniLM-L6-v2 and prints their
// cosine similarities.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model.hpp"
#include "tokenizer.hpp"

#ifndef FA_ENCODER_MODEL_DIR
#define FA_ENCODER_MODEL_DIR "models/all-MiniLM-L6-v2"
#endif

namespace {

constexpr const char* help = R"(usage: encoder [OPTION]... [SENTENCE]...

Prints how alike the sentences are, by meaning: the cosine of their embeddings by
all-MiniLM-L6-v2, 1 for the same. Without sentences it takes a few of its own. Sentences are
UTF-8; put -- before one that begins with a dash.

  --dtype f32|bf16   element type of q, k and v in attention; the rest is f32 (default: f32)
  --model DIR        folder with config.json, tokenizer.json, model.safetensors, which
                     get_model.sh DIR brings (default: %s)
  --max-tokens N     cut sentences off behind N tokens, 2 to 512
                     (default: 256, as the model was made)
  --threads N        threads to run on, 0: all of the machine's (default: 0)
  --help             print this
)";

struct options {
  std::string dtype = "f32", model = FA_ENCODER_MODEL_DIR;
  unsigned max_tokens = 256, threads = 0;
  bool help = false;
  std::vector<std::string> sentences;
};

/// Wrong usage, as opposed to wrong files.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

unsigned parse_number(const std::string& option, const std::string& text, unsigned least,
                      unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw usage_error(option + " takes a number from " + std::to_string(least) + " to " +
                      std::to_string(most) + ", not '" + text + "'");
  }
  return value;
}

options parse(const std::vector<std::string>& arguments) {
  options o;
  bool only_sentences = false;
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (only_sentences || argument->empty() || argument->front() != '-') {
      o.sentences.push_back(*argument);
      continue;
    }
    const std::size_t equals = argument->find('=');
    const std::string name = argument->substr(0, equals);
    const auto value = [&]() -> std::string {  // --name VALUE or --name=VALUE
      if (equals != std::string::npos) return argument->substr(equals + 1);
      if (argument + 1 == arguments.end()) throw usage_error(name + " takes a value");
      return *++argument;
    };
    if (name == "--") {
      only_sentences = true;
    } else if (name == "--help" || name == "-h") {
      o.help = true;
    } else if (name == "--dtype") {
      o.dtype = value();
      if (o.dtype != "f32" && o.dtype != "bf16")
        throw usage_error("--dtype is f32 or bf16, not '" + o.dtype + "'");
    } else if (name == "--model") {
      o.model = value();
    } else if (name == "--max-tokens") {
      o.max_tokens = parse_number(name, value(), 2, 512);
    } else if (name == "--threads") {
      o.threads = parse_number(name, value(), 0, 4096);
    } else {
      throw usage_error("unknown option '" + *argument + "'");
    }
  }
  if (o.sentences.empty()) {
    o.sentences = {"A man is eating food.",
                   "A man is eating a piece of bread.",
                   "The girl is carrying a baby.",
                   "A woman is playing the violin.",
                   "Someone plays a string instrument.",
                   "Fused attention never writes the score matrix to memory."};
  }
  return o;
}

/// The sentence on one line of the terminal: no control characters, shortened behind 80 characters.
std::string shown(std::string_view sentence) {
  std::string line;
  for (int count = 0; !sentence.empty(); ++count) {
    if (count == 80) return line + "...";
    const char32_t c = encoder::take_character(sentence);
    encoder::append_character(line, encoder::is_space(c) || encoder::is_control(c) ? ' ' : c);
  }
  return line.empty() ? "(empty)" : line;
}

void print_table(const std::vector<std::string>& sentences, const encoder::matrix& embeddings) {
  const std::size_t count = sentences.size();
  for (std::size_t i = 0; i < count; ++i)
    std::printf("%4zu  %s\n", i + 1, shown(sentences[i]).c_str());
  std::printf("\n    ");
  for (std::size_t j = 0; j < count; ++j) std::printf("%8zu", j + 1);
  std::printf("\n");
  for (std::size_t i = 0; i < count; ++i) {
    std::printf("%4zu", i + 1);
    for (std::size_t j = 0; j < count; ++j) {
      float cosine = 0;  // of rows of length 1
      for (std::size_t k = 0; k < embeddings.columns(); ++k)
        cosine += embeddings.row(i)[k] * embeddings.row(j)[k];
      std::printf("%8.4f", static_cast<double>(cosine));
    }
    std::printf("\n");
  }
}

void run(const options& o) {
  if (!std::filesystem::exists(o.model + "/model.safetensors")) {
    throw std::runtime_error("no model in " + o.model +
                             "; bring it with: examples/encoder/get_model.sh " + o.model);
  }
  encoder::thread_pool pool(o.threads);
  const auto tokenizer = encoder::tokenizer::from_file(o.model + "/tokenizer.json");
  const encoder::model model(o.model, pool);
  if (o.max_tokens > model.config().positions) {
    throw usage_error("--max-tokens is at most " + std::to_string(model.config().positions) +
                      " for this model");
  }

  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::vector<encoder::token_id>> tokens;
  std::size_t total = 0;
  for (const std::string& sentence : o.sentences) {
    tokens.push_back(tokenizer.encode(sentence, o.max_tokens));
    total += tokens.back().size();
  }
  const auto result = o.dtype == "f32" ? model.embed<float>(tokens) : model.embed<fa::bf16>(tokens);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  print_table(o.sentences, result.embeddings);
  std::printf("\n%zu tokens of %zu sentences, packed, in %.1f ms (%.0f tokens/s)\n", total,
              tokens.size(), 1e3 * seconds, static_cast<double>(total) / seconds);
  std::printf("attention of that: host, %u thread%s, %s, %.1f ms\n", pool.size(),
              pool.size() == 1 ? "" : "s", o.dtype.c_str(), 1e3 * result.attention_seconds);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const options o = parse({argv + 1, argv + argc});
    if (o.help) {
      std::printf(help, FA_ENCODER_MODEL_DIR);
    } else {
      run(o);
    }
    return 0;
  } catch (const usage_error& error) {
    std::fprintf(stderr, "encoder: %s; see encoder --help\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "encoder: %s\n", error.what());
    return 1;
  }
}
