import * as z from 'zod';

/**
 * How the gateway signs requests to a model: `bearer` is `Authorization: Bearer KEY`, the other two are headers of
 * that name with the key as their value, `none` sends no key.
 */
export const modelAuthentication = z.enum(['bearer', 'x-api-key', 'api-key', 'none']);
export type ModelAuthentication = z.infer<typeof modelAuthentication>;

/** Ids of providers as opencode's configuration has them; safe as a segment of a path. */
export const providerId = z
  .string()
  .regex(/^[\w.-]{1,64}$/)
  .refine((id) => !/^\.+$/.test(id));

/** A server of models that the sandbox reaches through the gateway, and only through it. */
export const modelUpstream = z.object({
  providerId,
  /** normalised by `gateway/modelAddress.ts`: http or https, no user, query, fragment or final slash */
  baseUrl: z.string(),
  authentication: modelAuthentication,
});
export type ModelUpstream = z.infer<typeof modelUpstream>;

/** An HTTP proxy of the site, through which this computer reaches the internet. Holds no credentials. */
export const siteProxy = z.object({
  /** `http://HOST:PORT` or `https://HOST:PORT` */
  url: z.string(),
  /** hosts and `.domains` that are reached without it, as NO_PROXY has them */
  exceptions: z.array(z.string()),
});
export type SiteProxy = z.infer<typeof siteProxy>;

/** What the sandbox may reach, apart from the mode of its network. Nothing here is secret. */
export const networkAccess = z.object({
  /** entries as `gateway/hostEntry.ts` writes them; they count with a restricted network */
  allowedHosts: z.array(z.string()),
  models: z.array(modelUpstream),
  siteProxy: siteProxy.optional(),
});
export type NetworkAccess = z.infer<typeof networkAccess>;

/** What reaches the supervisor over its standard input and nothing else: never argv, a file, a log or a record. */
export const sandboxSecrets = z.object({
  /** by the id of the provider */
  modelKeys: z.record(z.string(), z.string()),
  /** the value of the header Proxy-Authorization for the site's proxy */
  siteProxyAuthorization: z.string().optional(),
  /** variables for inside, which the user chose to show to the agent */
  environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()),
});
export type SandboxSecrets = z.infer<typeof sandboxSecrets>;

/** No secrets at all. */
export const noSecrets: SandboxSecrets = { modelKeys: {}, environment: {} };
