import { accessSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * The page of the installed extension: the README, and behind it the pages of `docs/` to which it leads. VS Code opens
 * no file from there and shows no picture but from the network (seen with 1.139, also for `data:`): links lead to
 * headings of the page itself, what is in the source alone is named, and pictures are left out.
 * @param {string} repository folder of README.md
 * @returns {string}
 * @throws {Error} when a file to which it leads is missing
 */
export function packagedReadme(repository) {
  const read = (path) => {
    const text = readFileSync(join(repository, path), 'utf8').trim();
    return { path, text: text.replaceAll(picture, '') };
  };
  const readme = read('README.md');
  const paths = [...readme.text.matchAll(link)].map(([, , target]) => target.replace(/#.*$/, ''));
  // in the order of the list of all, which is the last that names them
  const inOrder = [...new Set(paths.reverse())].reverse();
  const pages = inOrder.filter((path) => /^docs\/.*\.md$/.test(path)).map(read);
  const anchors = new Map(pages.map(({ path, text }) => [path, `#${anchorOf(/^# (.*)$/m.exec(text)[1])}`]));
  const texts = [readme, ...pages].map(({ path, text }) =>
    outsideOfCode(path === readme.path ? text : belowTitle(text), (part) =>
      part.replace(link, (all, words, target) => {
        if (isElsewhere.test(target)) return all;
        const [file, fragment] = target.split('#');
        const found = posix.join(posix.dirname(path), file);
        const anchor = anchors.get(found);
        if (anchor) return `[${words}](${fragment ? `#${fragment}` : anchor})`;
        accessSync(join(repository, found));
        return words === found ? `\`${found}\`` : `${words} (\`${found}\` in the source)`;
      }),
    ),
  );
  return `${texts.join('\n\n')}\n`;
}

/**
 * How VS Code and GitHub call a heading.
 * @param {string} heading
 * @returns {string}
 */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Words, and where they lead. */
const link = /\[([^\]]*)\]\(([^)\s]+)\)/g;

/** A picture by itself. */
const picture = /^!\[[^\]]*\]\([^)\s]+\)\n+/gm;

/** A heading of the same page, or an address. */
const isElsewhere = /^(#|[a-z]+:)/;

/** One heading lower: there is one title. */
function belowTitle(text) {
  return outsideOfCode(text, (part) => part.replaceAll(/^#/gm, '##'));
}

function outsideOfCode(text, change) {
  const parts = text.split(/^(```[^]*?^```$)/m);
  return parts.map((part, index) => (index % 2 === 0 ? change(part) : part)).join('');
}
