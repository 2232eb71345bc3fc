"""JavaScript that loads saved files: for Node, with packages whose ids were compared with ours."""

import json
from pathlib import Path

ONLY_TOKENIZER_JSON = (
    "Libraries for JavaScript read tokenizer.json and not this format. Export as Hugging Face tokenizer.json for it."
)
"""Of formats that have no library there."""


def hugging_face(tokenizer: Path, config: Path) -> str:
    """With the library that transformers.js is built on; 0.2 was compared on every kind of tokenizer."""
    return f"""\
// npm install @huggingface/tokenizers
import {{ readFileSync }} from "node:fs";
import {{ Tokenizer }} from "@huggingface/tokenizers";

const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const tokenizer = new Tokenizer(
  read({_quoted(tokenizer)}),
  read({_quoted(config)}),
);

const {{ ids, tokens }} = tokenizer.encode("Hello, world!", {{ add_special_tokens: false }});
console.log(ids, tokens);
console.log(tokenizer.decode(ids, {{ skip_special_tokens: false, clean_up_tokenization_spaces: false }}));
"""


def tiktoken(ranks: Path, settings: Path) -> str:
    """With OpenAI's own Rust code in WebAssembly: unlike js-tiktoken it reads every pattern that tiktoken reads."""
    return f"""\
// npm install tiktoken
import {{ readFileSync }} from "node:fs";
import {{ Tiktoken }} from "tiktoken";

const settings = JSON.parse(readFileSync({_quoted(settings)}, "utf8"));
const lines = readFileSync({_quoted(ranks)}, "utf8").split("\\n").filter(Boolean);
const tokens = lines.map((line) => line.split(" ")).filter(([token]) => token !== "="); // an empty one
const ranks = tokens.map(([token, rank]) => `! ${{rank}} ${{token}}`);
const encoding = new Tiktoken(ranks.join("\\n"), settings.special_tokens, settings.pattern);

const ids = encoding.encode("Hello, world!", "all");
console.log(Array.from(ids));
console.log(new TextDecoder("utf-8", {{ ignoreBOM: true }}).decode(encoding.decode(ids)));
encoding.free();
"""


def _quoted(path: Path) -> str:
    return json.dumps(str(path), ensure_ascii=False)
