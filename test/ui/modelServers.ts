import { type DemoModel, startDemoModel } from '../../scripts/demoModel/server';
import { localServers } from '../../src/launch/localModels';
import { greetingScenario } from '../support/agentWorkspace';

/** A scripted model on the usual port of a local server. */
export interface LocalModel {
  /** how the server that usually listens there is called */
  readonly name: string;
  readonly model: DemoModel;
}

/**
 * Starts a scripted model on the first usual port of a local server that is free.
 * @param modelNames ids of its models
 */
export async function startLocalModel(modelNames: readonly string[]): Promise<LocalModel> {
  const failures: unknown[] = [];
  for (const { name, baseUrl } of localServers) {
    try {
      const scenario = { ...greetingScenario, models: modelNames };
      return { name, model: await startDemoModel({ scenario, port: Number(new URL(baseUrl).port) }) };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, 'all usual ports of local servers of models are taken');
}
