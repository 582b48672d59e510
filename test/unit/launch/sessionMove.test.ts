import assert from 'node:assert/strict';
import { moveSession } from '../../../src/launch/sessionMove';
import { message } from '../../../src/sandbox/message';
import { UserError } from '../../../src/sandbox/userError';

const failure = (code: string): UserError => new UserError(code, message('no'));

describe('moving a session', () => {
  /** @param failing what goes wrong with a step @returns the steps that were taken, and how it ended */
  async function moved(failing: Readonly<Record<string, UserError>>) {
    const steps: string[] = [];
    const step = (name: string) => () => {
      steps.push(name);
      const error = failing[name];
      return error ? Promise.reject(error) : Promise.resolve();
    };
    const work = moveSession({
      move: step('move'),
      takeOut: step('takeOut'),
      bringBack: step('bringBack'),
    });
    const code = await work.then(
      () => 'moved',
      (error: unknown) => (error instanceof UserError ? error.code : String(error)),
    );
    return { steps, code };
  }

  it('is left to opencode', async () => {
    assert.deepEqual(await moved({}), { steps: ['move'], code: 'moved' });
  });

  it('takes it out and brings it back where opencode can’t', async () => {
    assert.deepEqual(await moved({ move: failure('sessions.unsupported') }), {
      steps: ['move', 'takeOut', 'bringBack'],
      code: 'moved',
    });
  });

  it('deletes nothing after any other failure', async () => {
    for (const code of ['sessions.notChanged', 'sessions.exportTooLarge', 'home.inUse']) {
      assert.deepEqual(await moved({ move: failure(code) }), { steps: ['move'], code });
    }
  });

  it('says where a session is that did not come back', async () => {
    const move = failure('sessions.unsupported');
    const half = await moved({ move, bringBack: failure('sessions.notChanged') });
    assert.equal(half.code, 'sessions.movedToDeleted');
    const kept = await moved({ move, takeOut: failure('sessions.notChanged') });
    assert.deepEqual(kept, { steps: ['move', 'takeOut'], code: 'sessions.notChanged' });
  });
});
