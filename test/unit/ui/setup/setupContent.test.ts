import assert from 'node:assert/strict';
import { formatMessage } from '../../../../src/sandbox/message';
import { checkSetup } from '../../../../src/setup/checkSetup';
import type { Fix } from '../../../../src/setup/line';
import type { PageBlock } from '../../../../src/ui/report/reportPage';
import { fixOf, setupContent } from '../../../../src/ui/setup/setupContent';
import { goodFacts, noApptainer, noImage } from '../../setup/someFacts';

const labelOf = (fix: Fix): string => (fix.kind === 'action' ? fix.action.kind : '');

function pageOf(...lines: Parameters<typeof setupContent>[0][]): PageBlock[] {
  return setupContent(lines[0], formatMessage, labelOf);
}

function buttonsOf(blocks: readonly PageBlock[]): { key: string; text: string }[] {
  return blocks.flatMap((block) => (block.kind === 'buttons' ? block.buttons : []));
}

describe('setupContent', () => {
  it('says that a sandbox can be started only when one was', () => {
    const works = JSON.stringify(pageOf(checkSetup(goodFacts)));
    assert.match(works, /A sandbox can be started\./);
    const notTried = JSON.stringify(pageOf(checkSetup({ ...goodFacts, trial: { kind: 'notTried' } })));
    assert.doesNotMatch(notTried, /can be started\./);
    assert.match(JSON.stringify(pageOf(undefined)), /Looking/);
  });

  it('has buttons for what is wrong, and one to look again', () => {
    const lines = checkSetup({ ...goodFacts, fuse: 'missing', image: noImage, trial: { kind: 'notTried' } });
    const blocks = pageOf(lines);
    assert.match(JSON.stringify(blocks), /No sandbox can be started yet.*sudo modprobe fuse/);
    assert.deepEqual(
      buttonsOf(blocks).map(({ text }) => text),
      ['Copy', 'Run in Terminal…', 'runCommand', 'runCommand', 'Check Again'],
    );
  });

  it('knows each of its buttons again, and no other', () => {
    const lines = checkSetup({
      ...goodFacts,
      apptainer: noApptainer,
      candidates: ['/a/apptainer'],
      trial: { kind: 'notTried' },
    });
    const keys = buttonsOf(pageOf(lines))
      .map(({ key }) => key)
      .filter((key) => key !== 'again');
    assert.deepEqual(
      keys.map((key) => fixOf(lines, key)?.fix.kind),
      ['useProgram', 'action'],
    );
    for (const key of ['', 'apptainer', 'apptainer 0 run', 'apptainer 9 do', '__proto__', 'again']) {
      assert.equal(fixOf(lines, key), undefined, key);
    }
  });
});
