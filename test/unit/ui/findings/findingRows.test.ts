import assert from 'node:assert/strict';
import type { Finding } from '../../../../src/guard/finding';
import { formatMessage } from '../../../../src/sandbox/message';
import { findingRows, findingsText } from '../../../../src/ui/findings/findingRows';

const finding = (path: string, rule: Finding['mark']['rule'], more: Partial<Finding> = {}): Finding => ({
  ...{ path, change: 'new', foundAt: 0, mark: { rule, kind: 'file', identity: '1' } },
  ...more,
});

describe('the rows of the view Findings', () => {
  it('say what it is and why it matters, also without their icon', () => {
    const [row] = findingRows(
      [{ workspace: '/w', finding: finding('sub/.git', 'repository') }],
      formatMessage,
    );
    assert.equal(row?.label, 'sub/.git');
    assert.equal(row.description, 'new · git repository');
    assert.equal(row.icon, 'error');
    assert.match(row.tooltip, /Git runs hooks and commands/);
    assert.equal(row.accessibleLabel, 'Runs by itself, sub/.git, new, git repository');
  });

  it('show of a long path the end, and the whole where there is place', () => {
    const path = 'packages/analysis/muons/tools/.git/config';
    const [row] = findingRows([{ workspace: '/w', finding: finding(path, 'git') }], formatMessage);
    assert.equal(row?.label, '…is/muons/tools/.git/config');
    assert.ok(row.tooltip.startsWith(`${path}\n`));
    assert.ok(row.accessibleLabel.includes(path));
  });

  it('name the folder where there are several', () => {
    const rows = findingRows(
      ['/one', '/two'].map((workspace) => ({ workspace, finding: finding('Makefile', 'build') })),
      formatMessage,
    );
    assert.deepEqual(
      rows.map(({ description }) => description),
      ['new · build file · one', 'new · build file · two'],
    );
    assert.equal(new Set(rows.map(({ id }) => id)).size, 2);
  });

  it('say that something is gone, and make names plain', () => {
    const path = '$(zap)[a](command:b)\u202e';
    const [row] = findingRows(
      [{ workspace: '/w', finding: finding(path, 'oddName', { isGone: true }) }],
      formatMessage,
    );
    assert.doesNotMatch(`${row?.label}${row?.tooltip}`, /\$\(|\]\(|\u202e/);
    assert.match(row?.description ?? '', /^gone again/);
    assert.equal(row?.contextValue, 'finding');
  });

  it('are a text, too', () => {
    const text = findingsText([{ workspace: '/w', finding: finding('.envrc', 'shell') }], 3, formatMessage);
    assert.match(text, /^Can run: \.envrc\n {4}new, shell start file · \/w$/m);
    assert.match(text, /and 3 more/);
    assert.match(findingsText([], 0, formatMessage), /There are none/);
  });
});
