import assert from 'node:assert/strict';
import { firstObstacle, programObstacle, type WindowFacts } from '../../../../src/ui/setup/obstacles';

const fine: WindowFacts = { platform: 'linux', userId: 1000, folderSchemes: ['file'], isTrusted: true };

describe('firstObstacle', () => {
  it('is none for an ordinary user in a trusted folder on Linux', () => {
    assert.equal(firstObstacle(fine), undefined);
  });

  const cases: readonly [string, Partial<WindowFacts>, string, string | undefined][] = [
    ['another system', { platform: 'darwin' }, 'host.notLinux', undefined],
    ['root', { userId: 0 }, 'host.root', undefined],
    ['Restricted Mode', { isTrusted: false }, 'window.notTrusted', 'manageTrust'],
    ['no folder', { folderSchemes: [] }, 'window.noFolder', 'openFolder'],
    ['a virtual folder', { folderSchemes: ['vscode-vfs'] }, 'window.virtual', 'openFolder'],
  ];
  for (const [name, difference, code, action] of cases) {
    it(`is found for ${name}`, () => {
      const obstacle = firstObstacle({ ...fine, ...difference });
      assert.equal(obstacle?.code, code);
      assert.equal(obstacle.action?.kind, action);
    });
  }

  it('does not mind a virtual folder beside one on a disk', () => {
    assert.equal(firstObstacle({ ...fine, folderSchemes: ['vscode-vfs', 'file'] }), undefined);
  });
});

describe('programObstacle', () => {
  it('does not mind that no folder is open', () => {
    assert.equal(programObstacle({ ...fine, folderSchemes: [] }), undefined);
  });

  it('minds Restricted Mode', () => {
    assert.equal(programObstacle({ ...fine, isTrusted: false })?.code, 'window.notTrusted');
  });
});
