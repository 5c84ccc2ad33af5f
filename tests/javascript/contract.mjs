// Asks both APIs in every way of npm's openai and checks that all say the same; prints what it saw as JSON.
import assert from "node:assert/strict";
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.API_KEY, maxRetries: 0 });
const model = "patient-model";
const messages = [{ role: "user", content: process.env.QUESTION }];

function check(text, annotations, citations) {
  assert.equal(annotations.length, 1);
  const cited = annotations[0].url_citation ?? annotations[0];
  assert.equal(text.slice(cited.start_index_utf16, cited.end_index_utf16), "[^1]");
  assert.equal([...text].slice(cited.start_index, cited.end_index).join(""), "[^1]");
  assert.equal(cited.document_index, 0);
  assert.equal(citations[0].cited_text, cited.cited_text);
}

const whole = await client.chat.completions.create({ model, messages });
const { content, annotations } = whole.choices[0].message;
check(content, annotations, whole.citations);

let text = "";
let last;
for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) {
  text += chunk.choices[0]?.delta?.content ?? "";
  if (chunk.choices[0]?.finish_reason) last = chunk;
}
assert.equal(text, content);
check(text, last.choices[0].delta.annotations, last.citations);

const helped = await client.chat.completions.stream({ model, messages }).finalChatCompletion();
assert.equal(helped.choices[0].message.content, content);

const response = await client.responses.create({ model, input: process.env.QUESTION });
const part = response.output.at(-1).content[0];
assert.equal(part.text, content);
check(part.text, part.annotations, response.citations);

const final = await client.responses.stream({ model, input: process.env.QUESTION }).finalResponse();
assert.equal(final.output_text, content);
check(final.output_text, final.output.at(-1).content[0].annotations, final.citations);

console.log(JSON.stringify({ content }));
