import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { projectFile } from '../../support/projectFile';

describe('this VS Code', () => {
  it('is the oldest that the manifest allows', () => {
    const { engines } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
      readonly engines: { readonly vscode: string };
    };
    const [major, minor] = vscode.version.split('.');
    assert.equal(engines.vscode, `^${major}.${minor}.0`);
  });
});
