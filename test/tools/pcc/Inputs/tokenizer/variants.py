# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variants of tokenizer.json, and the tokens of text.txt that Hugging Face's tokenizers give for them.

  variants.py write FOLDER       writes VARIANT.json for each variant, and refused/*.json, which are not supported
  variants.py compare FOLDER     compares VARIANT.bin, token files of 16 bits, with expected.json
  variants.py record             writes expected.json; needs the package tokenizers
"""

import copy
import json
import sys
from array import array
from pathlib import Path

HERE = Path(__file__).parent
LLAMA = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
         r"|\s+(?!\S)|\s+")
plain = json.loads((HERE / "tokenizer.json").read_text(encoding="utf-8"))


def byte_level(**options):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True, **options}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


def split(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def changed(pre_tokenizer=None, normalizer=None, added=(), **model):
    variant = copy.deepcopy(plain)
    variant["pre_tokenizer"] = pre_tokenizer or byte_level()
    variant["normalizer"] = normalizer
    variant["model"].update(model)
    for number, (content, flags) in enumerate(added):
        variant["added_tokens"].append(
            {"id": 902 + number, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": False, **flags})
    return variant


VARIANTS = {
    "plain": plain,
    "prefix": changed(byte_level(add_prefix_space=True)),
    "llama": changed(sequence(split({"Regex": LLAMA}), byte_level(use_regex=False)), {"type": "NFC"}, ignore_merges=True),
    "removed": changed(sequence(split({"Regex": LLAMA}, "Removed", True), byte_level(use_regex=False))),
    "digits": changed(sequence({"type": "Digits", "individual_digits": True}, byte_level())),
    "groups": changed(sequence({"type": "Digits", "individual_digits": False}, split({"String": "."}), byte_level())),
    "forms": changed(normalizer={"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "NFC"}]},
                     added=[("café", {"normalized": True}), ("ﬁ", {})]),
    "merges": changed(merges=[merge if isinstance(merge, str) else " ".join(merge) for merge in plain["model"]["merges"]]),
}
REFUSED = {
    "unigram": changed(type="Unigram"),
    "no-byte-level": changed({"type": "Whitespace"}),
    "metaspace": changed(sequence({"type": "Metaspace"}, byte_level())),
    "lowercase": changed(normalizer={"type": "Lowercase"}),
    "strip": changed(added=[("<mask>", {"lstrip": True})]),
    "fallback": changed(byte_fallback=True),
    "dropout": changed(dropout=0.1),
    "suffix": changed(end_of_word_suffix="</w>"),
    "behavior": changed(sequence(split({"Regex": "a"}, "MergedWithNext"), byte_level())),
    "regex": changed(sequence(split({"Regex": "("}), byte_level())),
    "merge": changed(merges=["never ever"]),
    "id": changed(vocab={"a": -1}),
}


def record():
    from tokenizers import Tokenizer
    text = (HERE / "text.txt").read_bytes().decode()
    expected = {name: Tokenizer.from_str(json.dumps(variant)).encode(text, add_special_tokens=False).ids
                for name, variant in VARIANTS.items()}
    (HERE / "expected.json").write_text(json.dumps(expected, separators=(",", ":")).replace("],", "],\n") + "\n")


def write(folder):
    (folder / "refused").mkdir()
    for kind, variants in ((folder, VARIANTS), (folder / "refused", REFUSED)):
        for name, variant in variants.items():
            (kind / f"{name}.json").write_text(json.dumps(variant))


def compare(folder):
    for name, tokens in json.loads((HERE / "expected.json").read_text()).items():
        found = array("H", (folder / f"{name}.bin").read_bytes()).tolist()
        place = next((i for i, pair in enumerate(zip(tokens, found)) if pair[0] != pair[1]), None)
        if found == tokens:
            print(f"{name}: {len(found)} tokens are equal")
        else:
            print(f"{name}: expected {len(tokens)} tokens, got {len(found)}; the first difference is at {place}")


if sys.argv[1] == "record":
    record()
else:
    {"write": write, "compare": compare}[sys.argv[1]](Path(sys.argv[2]))
