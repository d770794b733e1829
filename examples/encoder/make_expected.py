#!/usr/bin/env python3
"""Writes expected_embeddings.json: what transformers and tokenizers, in double precision,
make of a few texts.

    python3 -m venv venv && venv/bin/pip install torch transformers
    venv/bin/python make_expected.py MODEL_DIR > expected_embeddings.json
"""
import json
import sys

import tokenizers
import torch
import transformers

MAX_TOKENS = 256

SENTENCES = [
    "Hello",
    "",
    "A man is eating food.",
    "Someone in a café in Zürich ate crème brûlée — naïvely, perhaps — for 12,50 €.",
    "東京は日本の首都です。Токио — столица Японии. Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.",
    "The attention layer of a transformer lets every token look at every other token of its "
    "sentence: queries meet keys, the softmax turns their products into weights, and the weights "
    "mix the values.Packing sentences of different lengths behind each other saves the work that "
    "padding would waste. A batch of one short and one long sentence would otherwise be as slow "
    "as two long ones. All layers but attention look at one token at a time, so they do not care "
    "where a sentence begins; attention does, and is told so by the running total of the lengths. "
    "With that, no token of one sentence is ever weighed against a token of another, and the "
    "result for a sentence is the same as if it had been alone. This very paragraph is here to be "
    "longer than a hundred tokens, which takes a number of words that is rather tedious to write "
    "and, one fears, to read, so it comes to its end at this point.",
    " ".join(f"Number {i} of a list that is far too long for the model." for i in range(1, 40)),
    "Is it cheaper to compute scores again than to load them?",
    "Recomputing the scores costs less than reading them from memory.",
]

TOKENIZER_TEXTS = [
    "",
    " \t\r\n ",
    "Hello, World!",
    "don't stop-me_now... it's 3.14% of $5 (or ~4^2)=`x`|{y}<z>",
    "UPPER lower MiXeD",
    "unaffable embeddings tokenization",
    "café résumé naïve Ångström ÀÉÎÕÜ ñ ç ÿ Š Ž",
    "cafe\u0301 re\u0301sume\u0301 A\u030angstro\u0308m",                 # combining marks
    "Straße GROẞ Æsir œuvre Łódź Đorđe ıstanbul İstanbul",
    "ΑΒΓ Ελλάδα Ὀδυσσεύς ΣΊΣΥΦΟΣ",
    "Москва Ёлка й Київ ЂЉЊ",
    "שָׁלוֹם עולם",
    "مَرْحَبًا بالعالم",
    "नमस्ते दुनिया हिन्दी में",
    "বাংলা কো ভাষা",
    "ภาษาไทย สวัสดี",
    "中文分词 is 没有 spaces",
    "日本語のテキスト、カタカナ・ガギグとひらがながぎぐ。",
    "한국어 텍스트 안녕하세요 각",
    "豈 更",
    "Tiếng Việt có nhiều dấu",
    "emoji 🙂👍🏽 family 👨‍👩‍👧 flag 🇫🇷 end",
    "zero\u200bwidth soft\u00adhyphen bom\ufeff",
    "nul\u0000byte bell\u0007 esc\u001b del\u007f nel\u0085 replacement\ufffd",
    "tab\tnew\nline\rreturn\vvertical\fform",
    "no\u00a0break em\u2003space ideographic\u3000space line\u2028separator",
    "“quotes” ‘single’ «guillemets» „low“ ‹x›",
    "dash–en—em‒fig‐hyphen−minus",
    "ellipsis… bullet• dagger† section§ pilcrow¶ degree° ©®™",
    "½ ⅓ ² ³ ₂ № ℝ ∞ ≤ ≠ ≢ → ⇒",
    "ﬁne ﬂow ﬀ fullwidth ＡＢＣ１２３！？",
    "x" * 100,
    "x" * 101,
    "a " * 5,
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "qqqqzzzzxxxx 字qq字",
    "1234567890 1,234,567.89 0x1F v2.0-rc1",
    "user@example.com https://example.com/a?b=c&d=e#f",
    "C++20 & C# != F#; a->b; std::vector<int>",
    "[CLS] and [SEP] and [MASK] inside [UNK] text[PAD]",
    "[cls] [ MASK ] [[SEP]]",
    "##ing # #hash ##",
    "Ǆ ǅ ǆ Ǉ Ǌ ﬃ",
    "K Å Ω",  # Kelvin, Angstrom and Ohm signs
    "Zalgo: H\u0301\u0302\u0303e\u0316\u0317l\u0334l\u0335o\u0336\u0337\u0338",
    "ᾳ ῼ ΐ ῦ",
    "ქართული ᲥᲐᲠᲗᲣᲚᲘ Հայերեն ՀԱՅ",
    "𝐛𝐨𝐥𝐝 𝒮𝒸𝓇𝒾𝓅𝓉 𐐀𐐨",
    "ʻokina ‘Okina ʼn ŉ",
    ";\u037e \u1fef`",  # characters that decompose to punctuation
]


def main():
    directory = sys.argv[1]
    tokenizer = tokenizers.Tokenizer.from_file(directory + "/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    model = transformers.BertModel.from_pretrained(directory).double().eval()

    def embed(ids):
        with torch.no_grad():
            hidden = model(input_ids=torch.tensor([ids]),
                           attention_mask=torch.ones(1, len(ids))).last_hidden_state[0]
        return torch.nn.functional.normalize(hidden.mean(dim=0), dim=0).tolist()

    def line(entry):
        return "    " + json.dumps(entry, ensure_ascii=True)

    sentences = []
    for text in SENTENCES:
        ids = tokenizer.encode(text).ids
        sentences.append({"text": text, "tokens": ids,
                          "embedding": [round(x, 7) for x in embed(ids)]})
    texts = [{"text": text, "tokens": tokenizer.encode(text).ids} for text in TOKENIZER_TEXTS]
    versions = (f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}, "
                f"torch {torch.__version__}")
    print("{", f'  "made_by": "{versions}, in double",', f'  "max_tokens": {MAX_TOKENS},',
          '  "sentences": [', sep="\n")
    print(",\n".join(map(line, sentences)), '  ],', '  "tokenizer": [',
          ",\n".join(map(line, texts)), "  ]\n}", sep="\n")


main()
