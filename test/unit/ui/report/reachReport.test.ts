import assert from 'node:assert/strict';
import { formatMessage } from '../../../../src/sandbox/message';
import type { SandboxReach } from '../../../../src/supervisor/protocol';
import { reachBlocks } from '../../../../src/ui/report/reachReport';
import { reportMarkdown } from '../../../../src/ui/report/reportText';
import type { ShownSandbox } from '../../../../src/ui/status/indicator';
import { summary, verdictOf } from '../../../support/fakeConnection';

const since = summary.startedAt + 60_000;
const reach: SandboxReach = {
  hosts: [
    { entry: 'pypi.org', since: summary.startedAt },
    { entry: 'data.example:8443', since },
  ],
  models: [{ providerId: 'lab', baseUrl: 'https://models.example/v1' }],
};

function running(network: 'restricted' | 'none' | 'open', told: SandboxReach | undefined): ShownSandbox {
  const status = { phase: 'running', verdict: verdictOf({ network }), ...(told && { reach: told }) } as const;
  return { summary: { ...summary, network }, status };
}

const textOf = (sandbox: ShownSandbox): string => reportMarkdown(reachBlocks(sandbox, formatMessage));

describe('what a sandbox may reach, in the report', () => {
  it('names hosts and models, since when and until when', () => {
    const blocks = reachBlocks(
      { ...running('restricted', reach), allowedOnce: ['data.example:8443'] },
      formatMessage,
    );
    const rows = blocks.flatMap((block) => (block.kind === 'table' ? block.rows : []));
    const time = (value: number): string => new Date(value).toLocaleString();
    assert.deepEqual(
      rows.map((cells) => cells.map(({ text }) => text)),
      [
        ['https://models.example/v1', 'model, lab', time(summary.startedAt), 'this sandbox ends'],
        ['pypi.org', 'allowed host', time(summary.startedAt), 'you remove it'],
        ['data.example:8443', 'allowed host', time(since), 'this sandbox ends'],
      ],
    );
  });

  it('says what the mode of the network is, by what the kernel shows', () => {
    assert.match(
      textOf(running('restricted', { hosts: [], models: [] })),
      /restricted: .*No hosts are allowed/s,
    );
    assert.match(textOf(running('none', { hosts: [], models: [] })), /none: .*It reaches no model/s);
    assert.doesNotMatch(textOf(running('none', reach)), /No hosts/);
    const open = running('open', { hosts: [], models: reach.models });
    assert.match(textOf(open), /open: whatever this computer reaches/);
    assert.match(textOf({ ...open, summary }), /open: whatever this computer reaches/);
  });

  it('says through which proxy', () => {
    const siteProxy = 'http://proxy.site.example:3128';
    assert.match(textOf(running('restricted', { ...reach, siteProxy })), /proxy of this site: .*proxy\.site/);
  });

  it('says only the mode when a supervisor does not tell more, and nothing of what has ended', () => {
    assert.equal(reachBlocks(running('restricted', undefined), formatMessage).length, 2);
    const ended = { summary, status: { phase: 'ended', reach, end: { reason: 'stopped' } } } as const;
    assert.deepEqual(reachBlocks(ended, formatMessage), []);
  });

  it('holds no link or markup, whatever stands in it', () => {
    const entry = '[x](command:workbench.action.quit)|`a`';
    const hostile = { ...reach, hosts: [{ entry, since }] };
    assert.doesNotMatch(textOf(running('restricted', hostile)), /[^\\]\]\(|[^\\]`/);
  });
});
