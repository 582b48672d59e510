import assert from 'node:assert/strict';
import { networkLogCsv, networkLogJson } from '../../../../src/ui/network/networkLogExport';
import { allowedEntry, entryOf, hostileHosts, restrictedSandbox } from '../../../support/networkEntries';

const { summary } = restrictedSandbox();
const logWith = (
  hosts: readonly string[],
  workspace = summary.workspace,
): Parameters<typeof networkLogCsv>[0] => [
  {
    summary: { ...summary, workspace },
    isRunning: true,
    entries: hosts.map((host, index) => entryOf({ id: index + 1, host })),
  },
];

describe('the exported network log', () => {
  it('is a table with a line for each attempt', () => {
    const log = { summary, isRunning: true, entries: [allowedEntry(), entryOf({ id: 2 })] };
    assert.deepEqual(networkLogCsv([log]).split('\r\n'), [
      'time,sandbox,sandboxKind,folder,id,host,port,kind,verdict,reason,address,bytesSent,bytesReceived,durationMilliseconds',
      '"2023-11-14T22:13:20.000Z","0123456789abcdef","agent","/data/project",1,"pypi.org",443,"tunnel","allowed",,,1234,5600000,1500',
      '"2023-11-14T22:13:20.000Z","0123456789abcdef","agent","/data/project",2,"tracker.example",443,"tunnel","denied","notAllowed",,0,0,1',
      '',
    ]);
  });

  it('has no cell that a program for tables takes for a formula, wherever it splits', () => {
    const formulas = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      ' =1',
      ' -1',
      'a;=1',
      'a,=1',
      'a\t=1',
      'a"\r\n=1',
      '＝1',
    ];
    const csv = networkLogCsv(logWith([...hostileHosts, ...formulas], '/data/a";=1'));
    for (const cell of csv.split(/[,;\t\r\n"]/)) {
      assert.doesNotMatch(cell, /^\s*[=+@-]/);
    }
    assert.equal(csv.split('\n').length, hostileHosts.length + formulas.length + 2);
  });

  it('is JSON with the names as they are, in ASCII', () => {
    const text = networkLogJson(logWith(hostileHosts));
    assert.match(text, /^[\x20-\x7e\n]*$/);
    const parsed = JSON.parse(text) as { host: string; time: string; folder: string }[];
    assert.deepEqual(
      parsed.map(({ host }) => host),
      hostileHosts,
    );
    assert.equal(parsed[0]?.time, '2023-11-14T22:13:20.000Z');
    assert.equal(parsed[0].folder, '/data/project');
  });
});
