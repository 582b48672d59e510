import type { ReportBlock } from './reportBlock';

/** Buttons in a row; the page sends the key of the one that was pressed. */
export interface ButtonBlock {
  readonly kind: 'buttons';
  readonly buttons: readonly { readonly key: string; readonly text: string }[];
}

export type PageBlock = ReportBlock | ButtonBlock;

/** What the page is sent: the whole report, each time that something in it is new. */
export interface ReportMessage {
  readonly blocks: readonly PageBlock[];
}

/** What the page sends, once it listens: whatever was sent before is lost. */
export const pageIsReady = 'ready';

/** The key of the button that a message of the page is about, if it is about one. */
export function pressedButton(said: unknown): string | undefined {
  const isObject = typeof said === 'object' && said !== null;
  return isObject && 'pressed' in said && typeof said.pressed === 'string' ? said.pressed : undefined;
}

/**
 * The web page that shows the report. It holds no text: {@link ReportMessage} brings it, and becomes text nodes only,
 * so no path or name can become part of the page. It loads nothing, and runs the one script that `nonce` names.
 * @param nonce a fresh random text of letters and digits
 * @param language of the texts (BCP 47)
 */
export function reportPage(nonce: string, language: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${language.replace(/[^\w-]/g, '')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main></main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}

/** Colours of the user's theme; a state is always a word, too. */
const style = `
  body { padding: 0 1.5em 2em; font-size: var(--vscode-font-size); line-height: 1.5; }
  h1 { font-size: 1.6em; font-weight: 600; }
  h2 { font-size: 1.3em; font-weight: 600; margin-top: 1.6em; }
  h3 { font-size: 1.05em; font-weight: 600; margin-top: 1.6em; }
  ul { padding-left: 1.4em; }
  main { overflow-wrap: anywhere; user-select: text; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 0.25em 1em 0.25em 0; min-width: 5em;
    border-bottom: 1px solid var(--vscode-editorWidget-border, var(--vscode-panel-border)); }
  th { font-weight: 600; }
  p.good, p.warning, p.bad { font-size: 1.2em; font-weight: 600; }
  p.unknown { font-weight: 600; }
  button { margin: 0 0.6em 0.4em 0; padding: 0.3em 0.9em; border: 1px solid var(--vscode-button-border, transparent);
    color: var(--vscode-button-foreground); background: var(--vscode-button-background); font: inherit; }
  button:hover { background: var(--vscode-button-hoverBackground); cursor: pointer; }
  button:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
  .good { color: var(--vscode-charts-green); }
  .warning { color: var(--vscode-editorWarning-foreground); }
  .bad { color: var(--vscode-errorForeground); }
  .unknown { color: var(--vscode-descriptionForeground); }
`;

/** Changes only what is new: the page keeps its place, and what somebody has selected in it. */
const script = `
  const element = (name, content, tone) => {
    const made = document.createElement(name);
    made.className = tone ?? '';
    made.append(...content);
    return made;
  };
  const button = ({ key, text }) => {
    const made = element('button', [text]);
    made.dataset.key = key;
    return made;
  };
  const row = (name, cells) => element('tr', cells.map(({ text, tone }) => element(name, [text], tone)));
  const makers = {
    heading: ({ level, text }) => element('h' + level, [text]),
    paragraph: ({ text, tone }) => element('p', [text], tone),
    buttons: ({ buttons }) => element('div', buttons.map(button)),
    list: ({ items }) => element('ul', items.map((item) => element('li', [item]))),
    table: ({ titles, rows }) => element('table', [
      element('thead', [row('th', titles.map((text) => ({ text })))]),
      element('tbody', rows.map((cells) => row('td', cells))),
    ]),
  };
  const renew = (shown, fresh) => {
    if (shown.nodeName !== fresh.nodeName || shown.childNodes.length !== fresh.childNodes.length) {
      shown.replaceWith(fresh);
    } else if (shown.nodeType === Node.TEXT_NODE) {
      if (shown.data !== fresh.data) {
        shown.data = fresh.data;
      }
    } else {
      shown.className = fresh.className;
      Object.assign(shown.dataset, fresh.dataset);
      const children = [...fresh.childNodes];
      [...shown.childNodes].forEach((child, index) => renew(child, children[index]));
    }
  };
  addEventListener('message', ({ data }) => {
    const fresh = element('main', data.blocks.map((block) => makers[block.kind](block)));
    renew(document.querySelector('main'), fresh);
  });
  const extension = acquireVsCodeApi();
  addEventListener('click', ({ target }) => {
    if (target.dataset?.key !== undefined) {
      extension.postMessage({ pressed: target.dataset.key });
    }
  });
  extension.postMessage('${pageIsReady}');
`;
