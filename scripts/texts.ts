// The texts that people see, for translators: every literal of `message(…)` and `l10n.t(…)` in src/.
// `node out/scripts/texts.js` writes them to l10n/bundle.l10n.json; a test compares the two.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

export interface CollectedTexts {
  /** sorted, each once */
  readonly texts: readonly string[];
  /** calls whose text is no literal, so that it can't be translated: `file:line` */
  readonly unreadable: readonly string[];
}

/** Collects the texts of all TypeScript files below `folder`. */
export function collectTexts(folder: string): CollectedTexts {
  const texts = new Set<string>();
  const unreadable: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || forwarders.includes(name)) {
      continue;
    }
    const content = readFileSync(join(folder, name), 'utf8');
    const file = ts.createSourceFile(name, content, ts.ScriptTarget.ES2022);
    visitCalls(file, (call) => {
      const text = isTextCall(call.expression, file) ? literalText(call.arguments[0]) : '';
      if (text === undefined) {
        const { line } = file.getLineAndCharacterOfPosition(call.getStart(file));
        unreadable.push(`${name}:${line + 1}`);
      } else if (text !== '') {
        texts.add(text);
      }
    });
  }
  return { texts: [...texts].sort(), unreadable };
}

/** Their business is to hand on texts that others wrote. */
const forwarders = ['sandbox/message.ts', 'ui/translate.ts'];

/** What the file of texts holds: each text as its own translation. */
export function bundleOf(texts: readonly string[]): string {
  return `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`;
}

function visitCalls(node: ts.Node, visit: (call: ts.CallExpression) => void): void {
  if (ts.isCallExpression(node)) {
    visit(node);
  }
  ts.forEachChild(node, (child) => visitCalls(child, visit));
}

function isTextCall(callee: ts.Expression, file: ts.SourceFile): boolean {
  return ['message', 'vscode.l10n.t', 'l10n.t'].includes(callee.getText(file));
}

/** The value of a string literal, also of one that was put together from several. */
function literalText(node: ts.Expression | undefined): string | undefined {
  if (node && ts.isStringLiteralLike(node)) {
    return node.text;
  }
  if (node && ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [literalText(node.left), literalText(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

if (require.main === module) {
  const root = resolve(__dirname, '../..');
  const { texts, unreadable } = collectTexts(join(root, 'src'));
  if (unreadable.length > 0) {
    throw new Error(`texts that are no literals: ${unreadable.join(', ')}`);
  }
  writeFileSync(join(root, 'l10n', 'bundle.l10n.json'), bundleOf(texts));
}
