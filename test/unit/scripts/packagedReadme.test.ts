import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFile } from '../../support/projectFile';
import { useTemporaryFolder } from '../../support/temporaryFolder';

interface PackagedReadme {
  packagedReadme(repository: string): string;
  anchorOf(heading: string): string;
}

describe('the page of the installed extension', () => {
  const root = useTemporaryFolder();
  let script: PackagedReadme;

  before(async () => {
    script = (await import(projectFile('scripts/build/packagedReadme.mjs'))) as PackagedReadme;
  });

  function pageOf(files: Readonly<Record<string, string>>): string {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root(), path)), { recursive: true });
      writeFileSync(join(root(), path), text);
    }
    return script.packagedReadme(root());
  }

  it('has the pages to which the README leads behind it, and leads to their headings', () => {
    const page = pageOf({
      'README.md':
        '# Name\n\nSee [a part](docs/two.md#the-part).\n\nAll: [a page](docs/one.md), [two](docs/two.md).\n',
      'docs/one.md': "# One's page\n\nSee [two](two.md).\n\n```sh\n# no heading, [no](link.md)\n```\n",
      'docs/two.md': '# Two\n\n## The part\n',
    });
    assert.equal(
      page,
      '# Name\n\nSee [a part](#the-part).\n\nAll: [a page](#ones-page), [two](#two).\n\n' +
        "## One's page\n\nSee [two](#two).\n\n```sh\n# no heading, [no](link.md)\n```\n\n" +
        '## Two\n\n### The part\n',
    );
  });

  it('names what is in the source alone, leaves addresses, and leaves out pictures', () => {
    const page = pageOf({
      'README.md':
        '# Name\n\n![P](p.png)\n\n[LICENSE](LICENSE) [x](https://example.org) [how](docs/one.md)\n',
      'docs/one.md': '# One\n\n[All rows](rows.md)\n',
      'docs/rows.md': '# Rows\n',
      LICENSE: '',
    });
    assert.equal(
      page,
      '# Name\n\n`LICENSE` [x](https://example.org) [how](#one)\n\n' +
        '## One\n\nAll rows (`docs/rows.md` in the source)\n',
    );
  });

  it('is not made with a link to a file that is not there', () => {
    assert.throws(() => pageOf({ 'README.md': '# Name\n\n[gone](docs/gone.txt)\n' }), /docs\/gone\.txt/);
  });

  it('has in this repository no link that leads nowhere', () => {
    const page = withoutCode(script.packagedReadme(projectFile('.')));
    const anchors = anchorsOf(page);
    assert.equal(new Set(anchors).size, anchors.length, anchors.join('\n'));
    const targets = targetsOf(page);
    assert.deepEqual(
      targets.filter((target) => !anchors.includes(target)),
      [],
    );
    assert.ok(targets.includes('#settings'));
  });

  it('is made of documents that lead to files and headings that are there', () => {
    const pages = readdirSync(projectFile('docs')).filter((name) => name.endsWith('.md'));
    const texts = new Map(
      ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages.map((name) => `docs/${name}`)].map(
        (path) => [path, withoutCode(readFileSync(projectFile(path), 'utf8'))] as const,
      ),
    );
    const dead = [...texts].flatMap(([path, text]) =>
      targetsOf(text).filter((target) => {
        const [file = '', fragment] = target.split('#');
        const found = file === '' ? path : join(dirname(path), file);
        const isThere = existsSync(projectFile(found));
        return (
          !isThere || (fragment !== undefined && !anchorsOf(texts.get(found) ?? '').includes(`#${fragment}`))
        );
      }),
    );
    assert.deepEqual(dead, []);
  });

  function withoutCode(page: string): string {
    return page.replaceAll(/^```[^]*?^```$/gm, '');
  }

  function anchorsOf(page: string): string[] {
    return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => `#${script.anchorOf(heading)}`);
  }

  /** Where a page leads, but for addresses. */
  function targetsOf(page: string): string[] {
    const targets = [...page.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    return targets.filter((target) => !/^https?:/.test(target));
  }
});
