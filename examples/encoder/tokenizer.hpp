#pragma once
// BERT's uncased WordPiece tokenizer, as a tokenizer.json describes it: text in, token ids out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "unicode.hpp"

namespace encoder {

using token_id = std::int32_t;

/// Cuts text into words: lower case, no accents, no control characters; split at spaces; each
/// punctuation character and each Han ideograph is a word of its own.
inline std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  while (!text.empty()) {
    const char32_t raw = take_character(text);
    if (raw == replacement_character || is_control(raw)) continue;
    if (is_han(raw)) end_word();
    for (const char32_t c :
         fold(raw)) {  // folded first: U+2260, "not equal", becomes the punctuation "="
      if (is_space(c) || is_punctuation(c)) end_word();
      if (!is_space(c)) append_character(word, c);
      if (is_punctuation(c)) end_word();
    }
    if (is_han(raw)) end_word();
  }
  end_word();
  return words;
}

class tokenizer {
 public:
  /// Reads what the tokenizer.json says; throws std::runtime_error if it describes another
  /// kind of tokenizer.
  explicit tokenizer(const nlohmann::json& description) {
    const auto& normalizer = description.at("normalizer");
    const auto& model = description.at("model");
    if (normalizer.value("type", "") != "BertNormalizer" || !normalizer.value("lowercase", false) ||
        model.value("type", "WordPiece") != "WordPiece") {
      throw std::runtime_error(
          "tokenizer.json: only BERT's lower-casing WordPiece tokenizer is implemented");
    }
    const std::string prefix = model.value("continuing_subword_prefix", "##");
    for (const auto& [token, id] : model.at("vocab").items()) {
      if (token.starts_with(prefix))
        middles_.emplace(token.substr(prefix.size()), id.get<token_id>());
      starts_.emplace(token, id.get<token_id>());
    }
    for (const auto& token : description.at("added_tokens")) {
      special_.emplace_back(token.at("content").get<std::string>(), token.at("id").get<token_id>());
    }
    longest_word_ = model.value("max_input_chars_per_word", std::size_t{100});
    unknown_ = id_of(model.value("unk_token", "[UNK]"));
    first_ = id_of("[CLS]");
    last_ = id_of("[SEP]");
  }

  static tokenizer from_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path);
    try {
      return tokenizer(nlohmann::json::parse(file));
    } catch (const nlohmann::json::exception& error) {
      throw std::runtime_error(path + ": " + error.what());
    }
  }

  /// [CLS] pieces... [SEP], at most `max_tokens` (>= 2) in all: what is longer loses its end.
  /// Special tokens that stand in the text as such, "[MASK]", count as themselves.
  std::vector<token_id> encode(std::string_view text, std::size_t max_tokens) const {
    std::vector<token_id> ids = {first_};
    while (!text.empty() && ids.size() < max_tokens) {
      std::size_t at = std::string_view::npos, length = 0;
      token_id special_id = 0;
      for (const auto& [content, id] : special_) {
        if (const std::size_t found = text.find(content); found < at)
          at = found, length = content.size(), special_id = id;
      }
      for (const std::string& word : split_words(text.substr(0, at))) append_pieces(ids, word);
      if (at == std::string_view::npos) break;
      ids.push_back(special_id);
      text.remove_prefix(at + length);
    }
    if (ids.size() > max_tokens - 1) ids.resize(max_tokens - 1);
    ids.push_back(last_);
    return ids;
  }

  /// One more than the largest id.
  std::size_t vocabulary_size() const {
    token_id largest = 0;
    for (const auto& entry : starts_) largest = std::max(largest, entry.second);
    return static_cast<std::size_t>(largest) + 1;
  }

 private:
  struct string_hash : std::hash<std::string_view> {
    using is_transparent = void;  // look up a string_view without making a string of it
  };
  using vocabulary = std::unordered_map<std::string, token_id, string_hash, std::equal_to<>>;

  token_id id_of(std::string_view token) const {
    const auto found = starts_.find(token);
    if (found == starts_.end())
      throw std::runtime_error("tokenizer.json: no token " + std::string(token));
    return found->second;
  }

  /// Greedy: always the longest piece that fits. A word with a part that no piece fits is
  /// unknown as a whole.
  void append_pieces(std::vector<token_id>& ids, const std::string& word) const {
    std::vector<std::size_t> ends;  // the byte behind each character: pieces end only there
    for (std::string_view rest = word; !rest.empty();) {
      take_character(rest);
      ends.push_back(word.size() - rest.size());
    }
    if (ends.size() > longest_word_) return ids.push_back(unknown_);

    const std::size_t before = ids.size();
    for (std::size_t begin = 0; begin < word.size();) {
      const vocabulary& pieces = begin == 0 ? starts_ : middles_;
      auto end = ends.rbegin();
      auto found = pieces.end();
      for (; end != ends.rend() && *end > begin; ++end) {
        found = pieces.find(std::string_view(word).substr(begin, *end - begin));
        if (found != pieces.end()) break;
      }
      if (found == pieces.end()) {
        ids.resize(before);
        return ids.push_back(unknown_);
      }
      ids.push_back(found->second);
      begin = *end;
    }
  }

  vocabulary starts_;   // pieces that begin a word, and everything else that is in the vocabulary
  vocabulary middles_;  // pieces that continue one, without their "##"
  std::vector<std::pair<std::string, token_id>> special_;
  std::size_t longest_word_;
  token_id unknown_, first_, last_;
};

}  // namespace encoder
