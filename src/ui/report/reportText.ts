import { escapeMarkdown } from '../plainText';
import type { ReportBlock } from './reportBlock';

/**
 * The isolation report in Markdown. Every text is escaped: the report holds no links, images or HTML, whatever the
 * paths in it are called.
 */
export function reportMarkdown(blocks: readonly ReportBlock[]): string {
  return blocks.map((block) => blockLines(block).join('\n')).join('\n\n') + '\n';
}

function blockLines(block: ReportBlock): string[] {
  switch (block.kind) {
    case 'heading':
      return [`${'#'.repeat(block.level)} ${escapeMarkdown(block.text)}`];
    case 'paragraph':
      return [block.tone === undefined ? escapeMarkdown(block.text) : `**${escapeMarkdown(block.text)}**`];
    case 'list':
      return block.items.map((item) => `- ${escapeMarkdown(item)}`);
    case 'table': {
      const rows = block.rows.map((cells) => cells.map(({ text }) => text));
      const [titles = '', ...lines] = [block.titles, ...rows].map(
        (cells) => `| ${cells.map(escapeMarkdown).join(' | ')} |`,
      );
      return [titles, `|${' --- |'.repeat(block.titles.length)}`, ...lines];
    }
  }
}
