/** What a sandbox may ask of a model, or why not. Texts are for the agent, in words of ours alone. */
export type ModelRequest =
  | { readonly providerId: string; /** below the base URL, with its query */ readonly path: string }
  | {
      readonly status: 403 | 404 | 405;
      readonly reason: string;
      /** for the header `Allow`, with 405 */
      readonly allow?: string;
    };

/** What is signed; everything else of a provider (files, fine-tuning, billing, keys) is none of the agent's business. */
const signedPaths: readonly { readonly method: 'GET' | 'POST'; readonly path: RegExp }[] = [
  { method: 'POST', path: /^\/(?:chat\/completions|responses|messages|embeddings)$/ },
  { method: 'GET', path: /^\/models(?:\/[\w.:@-]{1,128})?$/ },
];

/** No escapes, no empty and no dot segments: there is one way to read it. */
const plainTarget = /^\/(?!\.{1,2}\/)([\w.-]{1,64})((?:\/(?!\.{1,2}(?:[/?]|$))[\w.:@-]+)+)(\?.*)?$/;

/** Like `?beta=true` and `?api-version=2024-10-21`: eight at most, nothing that needs an escape. */
const plainQuery = /^\?[A-Za-z][\w.-]{0,63}=[\w.:-]{0,128}(?:&[A-Za-z][\w.-]{0,63}=[\w.:-]{0,128}){0,7}$/;

/** A parameter of this name may be a key that replaces ours. */
const credentialParameter = /[?&][\w.-]*(?:key|token|auth|secret|passw|credential|sig)[\w.-]*=/i;

/**
 * Judges method and target of a request.
 * @param target as it stands in the request line: `/PROVIDERID/chat/completions`
 * @param isProvider whether there is a provider of that id
 */
export function judgeModelRequest(
  method: string,
  target: string,
  isProvider: (providerId: string) => boolean,
): ModelRequest {
  const [, providerId, path, query = ''] = plainTarget.exec(target) ?? [];
  if (providerId === undefined || path === undefined) {
    return { status: 403, reason: 'The sandbox passes on plain paths only: /PROVIDER/chat/completions' };
  }
  if (!isProvider(providerId)) {
    return { status: 404, reason: 'The sandbox has no provider of models with this id.' };
  }
  const signed = signedPaths.find((one) => one.path.test(path));
  if (signed === undefined) {
    return {
      status: 404,
      reason:
        'The sandbox passes on chat/completions, responses, messages, embeddings and models, and nothing else.',
    };
  }
  if (signed.method !== method) {
    return {
      status: 405,
      reason: `The sandbox passes this path on for ${signed.method} only.`,
      allow: signed.method,
    };
  }
  if (query !== '' && (!plainQuery.test(query) || credentialParameter.test(query))) {
    return { status: 403, reason: 'The sandbox passes on plain queries without keys only, like ?beta=true' };
  }
  return { providerId, path: `${path}${query}` };
}
