/** The opencode.json of the lesson: a provider with a placeholder for the key, two models, and no "model". */
export const lessonConfiguration = `{
  "$schema": "https://opencode.ai/config.json",
  // the models of the computing centre
  "provider": {
    "sdcc": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "SDCC",
      "options": {
        "baseURL": "https://models.sdcc.example/v1/",
        "apiKey": "your-key-here", // from the web page
      },
      "models": {
        "qwen3-coder:30b": { "name": "Qwen3 Coder", "limit": { "context": 131072, "output": 32768 } },
        "llama-3.3-70b": { "name": "Llama 3.3", "limit": { "context": 65536, "output": 8192 } },
      },
    },
  },
}
`;

/** An opencode.json as the lesson has it, with a key. */
export function configurationWithKey(baseUrl: string, key: string): string {
  return `{
  // the models of the computing centre
  "provider": {
    "centre": {
      "npm": "@ai-sdk/openai-compatible",
      "options": {
        "baseURL": "${baseUrl}",
        "apiKey": "${key}", // from the web page
      },
      "models": { "centre-model": { "limit": { "context": 65536, "output": 8192 } } },
    },
  },
}
`;
}
