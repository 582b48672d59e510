import assert from 'node:assert/strict';
import { reportPage } from '../../../../src/ui/report/reportPage';

describe('reportPage', () => {
  const page = reportPage('0123abcd', 'de');

  it('loads nothing, and runs the one script that its nonce names', () => {
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    assert.equal(policy, "default-src 'none'; style-src 'nonce-0123abcd'; script-src 'nonce-0123abcd'");
    assert.deepEqual(page.match(/<script[^>]*>/g), ['<script nonce="0123abcd">']);
    assert.doesNotMatch(page, /https?:|src=|href=|<a |<form|style="|\son\w+=/);
  });

  it('never reads a text as HTML', () => {
    assert.doesNotMatch(page, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|setAttribute/);
  });

  it('is in the language of its texts, whatever that is called', () => {
    assert.match(page, /<html lang="de">/);
    assert.match(reportPage('0', 'x"><script>'), /<html lang="xscript">/);
  });
});
