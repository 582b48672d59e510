import assert from 'node:assert/strict';
import type { HostSandbox } from '../../../../src/launch/hostSandboxes';
import type { KnownSandbox } from '../../../../src/launch/sandboxRegistry';
import { formatMessage, message } from '../../../../src/sandbox/message';
import type { SandboxStatus } from '../../../../src/supervisor/protocol';
import { listedSandboxes, sandboxRows, type Row } from '../../../../src/ui/sandboxes/sandboxRows';
import { summary, verdictOf } from '../../../support/fakeConnection';

const verdict = verdictOf();
const now = verdict.time + 1000;
const status: SandboxStatus = { phase: 'running', verdict };
const known = { socket: '/run/own', summary, status };

const entry = {
  id: 'bbbbbbbbbbbbbbbb',
  hostName: 'here',
  bootId: 'boot',
  runDirectory: '/run/other',
  socket: '/run/other/socket',
  workspace: '/data/other',
  kind: 'shell' as const,
  supervisorPid: 1,
  supervisorStartTime: '1',
};
const other: HostSandbox = {
  entry,
  answer: 'answering',
  live: {
    summary: { ...summary, id: entry.id, kind: 'shell', workspace: entry.workspace, network: 'open' },
    status: { phase: 'running', verdict: verdictOf({ network: 'open' }) },
  },
};

function rows(own: readonly KnownSandbox[], others: readonly HostSandbox[], at = now): Row[] {
  const folders = new Set([summary.workspace]);
  return sandboxRows(listedSandboxes(own, others, at), folders, at, formatMessage);
}

function onlyRow(...parameters: Parameters<typeof rows>): Row {
  const [row, ...more] = rows(...parameters);
  assert(row);
  assert.deepEqual(more, []);
  return row;
}

describe('the rows of the view Sandboxes', () => {
  it('say kind, state, network and age', () => {
    const row = onlyRow([known], []);
    assert.equal(row.label, 'Agent');
    assert.equal(row.description, 'isolated · no network · 1 min');
    assert.equal(row.accessibleLabel, 'Agent, isolated, no network, 1 min');
    assert.equal(row.icon, 'shield');
    assert.equal(row.contextValue, 'sandbox attach stop report commandLine changes');
  });

  it('name the folder where the window has several', () => {
    const folders = new Set([summary.workspace, '/data/second']);
    const [row] = sandboxRows(listedSandboxes([known], [], now), folders, now, formatMessage);
    assert.equal(row?.label, 'Agent (project)');
  });

  it('list those of other folders under their folder', () => {
    const [own, folder] = rows([known], [other]);
    assert.equal(own?.label, 'Agent');
    assert.equal(folder?.label, 'other');
    assert.equal(folder.description, '/data');
    const [inside] = folder.children;
    assert.equal(inside?.label, 'Shell');
    assert.match(inside.description, /^isolated · network open · /);
    // the settings that a command line needs are those of the folder
    assert.equal(inside.contextValue, 'sandbox attach stop report');
  });

  it('list a sandbox once that this window knows, too', () => {
    const same = { ...other, entry: { ...entry, id: summary.id, workspace: summary.workspace } };
    assert.equal(rows([known], [same]).length, 1);
  });

  it('say that nobody answers, and offer only to stop it', () => {
    const { live: _live, ...silent } = other;
    const folder = onlyRow([], [{ ...silent, answer: 'notAnswering' }]);
    assert.equal(folder.children[0]?.description, 'not answering');
    assert.equal(folder.children[0].contextValue, 'sandbox stop');
  });

  it('say that another version has started it', () => {
    const { live: _live, ...older } = other;
    const folder = onlyRow([], [{ ...older, answer: 'otherVersion' }]);
    assert.equal(folder.children[0]?.description, 'started by another version');
    assert.equal(folder.children[0].contextValue, 'sandbox attach stop');
  });

  it('say what the host’s list knows of one with a problem, once it was asked there', () => {
    const problem = message('no answer');
    const own = { ...known, status: { phase: 'running' as const }, problem };
    const same = { entry: { ...entry, id: summary.id, workspace: summary.workspace } };
    assert.match(onlyRow([own], []).description, /^not verified ·/);
    assert.match(onlyRow([own], [{ ...same, answer: 'asking' }]).description, /^not verified ·/);
    assert.match(onlyRow([own], [{ ...same, answer: 'notAnswering' }]).description, /^not answering$/);
    assert.match(onlyRow([own], [{ ...same, answer: 'otherVersion' }]).description, /another version$/);
  });

  it('believe no old verdict', () => {
    assert.match(onlyRow([known], [], verdict.time + 6000).description, /^not verified ·/);
  });

  it('keep one that broke, which cannot be stopped any more', () => {
    const broken: SandboxStatus = { phase: 'ended', verdict, end: { reason: 'broken' } };
    const row = onlyRow([{ ...known, status: broken }], []);
    assert.match(row.description, /^broken ·/);
    assert.equal(row.contextValue, 'sandbox report commandLine changes');
  });

  it('have an id that stays', () => {
    const [first] = rows([known], []);
    const [later] = rows([known], [], now + 3_600_000);
    assert.equal(first?.id, later?.id);
    assert.notEqual(first?.description, later?.description);
  });

  it('show a folder’s name as plain text', () => {
    const workspace = '/data/$(error) [x](command:y)\u202e';
    const row = onlyRow([], [{ ...other, entry: { ...entry, workspace }, live: undefined } as never]);
    assert.equal(row.label, '$ (error) [x] (command:y)\ufffd');
  });

  const ages: readonly [number, string][] = [
    [-5, 'just started'],
    [59_000, 'just started'],
    [60_000, '1 min'],
    [59 * 60_000, '59 min'],
    [60 * 60_000, '1 h'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 days'],
  ];
  for (const [age, text] of ages) {
    it(`call ${age} ms "${text}"`, () => {
      assert.ok(onlyRow([known], [], summary.startedAt + age).description.endsWith(`· ${text}`));
    });
  }
});
