// Vercel's AI SDK against us: its OpenAI provider over both APIs and its OpenAI-compatible one, whole and streamed.
import assert from "node:assert/strict";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";

const where = { baseURL: process.env.BASE_URL, apiKey: process.env.API_KEY };
const openai = createOpenAI(where);
const compatible = createOpenAICompatible({ ...where, name: "citeweb" });
const prompt = "How much is the Enterprise plan?";
const models = {
  "openai, responses": openai.responses("citeweb-quote"),
  "openai, chat": openai.chat("citeweb-quote"),
  compatible: compatible("citeweb-quote"),
};
for (const [name, model] of Object.entries(models)) {
  const whole = await generateText({ model, prompt });
  assert.match(whole.text, /\[\^1\]/);
  const streamed = streamText({ model, prompt });
  let text = "";
  for await (const piece of streamed.textStream) text += piece;
  assert.equal(text, whole.text);
  assert.equal(await streamed.finishReason, "stop");
  console.log(`vercel ai, ${name}: ${(await whole.sources).length} sources`);
}
