// Reads a JSON list of texts, prints a JSON object: tokenizer name -> list of token counts.
import { encode as cl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { encode as o200k } from "gpt-tokenizer/encoding/o200k_base";
import llama2 from "llama-tokenizer-js";
import llama3 from "llama3-tokenizer-js";
import mistral from "mistral-tokenizer-js";

const texts = JSON.parse(await new Response(process.stdin).text());
const quiet = { bos: false, eos: false };
const counters = {
  "o200k (GPT-4o, GPT-5)": (text) => o200k(text).length,
  "cl100k (GPT-4)": (text) => cl100k(text).length,
  "Llama 3": (text) => llama3.encode(text, quiet).length,
  "Llama 2": (text) => llama2.encode(text, false, false).length,
  "Mistral 7B": (text) => mistral.encode(text, false, false).length,
};
const counts = {};
for (const [name, count] of Object.entries(counters)) counts[name] = texts.map(count);
console.log(JSON.stringify(counts));
