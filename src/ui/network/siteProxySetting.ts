import * as vscode from 'vscode';
import type { ModelNetwork } from '../../gateway/modelConnection';
import { withProxyVariables } from '../../gateway/proxyVariables';
import { realEffects } from '../../gateway/realEffects';
import {
  siteProxyFrom,
  type SiteProxySources,
  type SiteProxyWithAuthorization,
} from '../../gateway/siteProxy';
import type { Environment } from '../../sandbox/hostEnvironment';

/**
 * The HTTP proxy through which this computer reaches the internet, as VS Code and its environment have it. What a
 * workspace sets does not count: the agent can write it.
 * @param environment that of the extension host
 */
export function readSiteProxy(environment: Environment): SiteProxyWithAuthorization | undefined {
  const sources = readSources(environment);
  return sources && siteProxyFrom(sources);
}

/** An environment for programs that know that proxy by variables alone, such as Apptainer when it pulls. */
export function withSiteProxy(environment: Environment): Environment {
  const sources = readSources(environment);
  return sources ? withProxyVariables(sources) : environment;
}

/** @returns undefined when VS Code is to use none */
function readSources(environment: Environment): SiteProxySources | undefined {
  const http = vscode.workspace.getConfiguration('http');
  if (userValue(http, 'proxySupport') === 'off') return undefined;
  const [proxy, authorization] = ['proxy', 'proxyAuthorization'].map((key) => userValue(http, key));
  const exceptions = userValue(http, 'noProxy');
  return {
    ...(typeof proxy === 'string' && { httpProxySetting: proxy }),
    ...(typeof authorization === 'string' && { authorizationSetting: authorization }),
    ...(Array.isArray(exceptions) && {
      noProxySetting: exceptions.filter((one) => typeof one === 'string'),
    }),
    environment,
  };
}

/** How a model is asked from here: the way that its gateway will go. */
export function modelNetwork(): ModelNetwork {
  const siteProxy = readSiteProxy(process.env);
  return { effects: realEffects, ...(siteProxy && { siteProxy }) };
}

function userValue(configuration: vscode.WorkspaceConfiguration, key: string): unknown {
  const found = configuration.inspect<unknown>(key);
  return found?.globalValue ?? found?.defaultValue;
}
