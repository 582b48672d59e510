import * as v from 'valibot';
import { record } from './schemas';

/**
 * How the gateway signs requests to a model: `bearer` is `Authorization: Bearer KEY`, the other two are headers of
 * that name with the key as their value, `none` sends no key.
 */
export const modelAuthentication = v.picklist(['bearer', 'x-api-key', 'api-key', 'none']);
export type ModelAuthentication = v.InferOutput<typeof modelAuthentication>;

/** Ids of providers as opencode's configuration has them; safe as a segment of a path. */
export const providerId = v.pipe(
  v.string(),
  v.regex(/^[\w.-]{1,64}$/),
  v.check((id) => !/^\.+$/.test(id)),
);

/** A server of models that the sandbox reaches through the gateway, and only through it. */
export const modelUpstream = v.object({
  providerId,
  /** normalised by `gateway/modelAddress.ts`: http or https, no user, query, fragment or final slash */
  baseUrl: v.string(),
  authentication: modelAuthentication,
});
export type ModelUpstream = v.InferOutput<typeof modelUpstream>;

/** An HTTP proxy of the site, through which this computer reaches the internet. Holds no credentials. */
export const siteProxy = v.object({
  /** `http://HOST:PORT` or `https://HOST:PORT` */
  url: v.string(),
  /** hosts and `.domains` that are reached without it, as NO_PROXY has them */
  exceptions: v.array(v.string()),
});
export type SiteProxy = v.InferOutput<typeof siteProxy>;

/** What the sandbox may reach, apart from the mode of its network. Nothing here is secret. */
export const networkAccess = v.object({
  /** entries as `gateway/hostEntry.ts` writes them; they count with a restricted network */
  allowedHosts: v.array(v.string()),
  models: v.array(modelUpstream),
  siteProxy: v.optional(siteProxy),
});
export type NetworkAccess = v.InferOutput<typeof networkAccess>;

/** What reaches the supervisor over its standard input and nothing else: never argv, a file, a log or a record. */
export const sandboxSecrets = v.object({
  /** by the id of the provider */
  modelKeys: record(v.string(), v.string()),
  /** the value of the header Proxy-Authorization for the site's proxy */
  siteProxyAuthorization: v.optional(v.string()),
  /** variables for inside, which the user chose to show to the agent */
  environment: record(v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)), v.string()),
});
export type SandboxSecrets = v.InferOutput<typeof sandboxSecrets>;

/** No secrets at all. */
export const noSecrets: SandboxSecrets = { modelKeys: {}, environment: {} };
