import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  commandIds,
  contextKeys,
  emptySessionsStates,
  networkLogStates,
  profileIds,
  setupStates,
  settingKeys,
  settingName,
  settingsSection,
  viewIds,
} from '../../src/contributions';
import { projectFile } from '../support/projectFile';

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
}

interface Setting {
  readonly scope: string;
}

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly menus: Readonly<Record<string, readonly { command: string; when?: string }[]>>;
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
    readonly views: Readonly<Record<string, readonly { id: string }[]>>;
    readonly viewsWelcome: readonly { view: string; contents: string; when: string }[];
    readonly terminal: { readonly profiles: readonly { id: string }[] };
    readonly walkthroughs: readonly {
      when: string;
      steps: readonly { media: { svg: string; altText: string }; completionEvents: readonly string[] }[];
    }[];
  };
}

const manifestText = readFileSync(projectFile('package.json'), 'utf8');
const manifest = JSON.parse(manifestText) as Manifest;
const texts = JSON.parse(readFileSync(projectFile('package.nls.json'), 'utf8')) as Readonly<
  Record<string, string>
>;
const { commands, configuration, menus, views, viewsWelcome, terminal, walkthroughs } = manifest.contributes;
const settings = Object.values(settingKeys).map(settingName);

/** The text behind `%key%`. */
function textOf(reference: string | undefined): string | undefined {
  return texts[/^%(.+)%$/.exec(reference ?? '')?.[1] ?? ''];
}

describe('the manifest', () => {
  it('has the settings that docs/settings.md explains, and no others', () => {
    const page = readFileSync(projectFile('docs/settings.md'), 'utf8');
    const explained = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
    assert.deepEqual(explained.sort(), Object.values(settingKeys).sort());
  });

  it('has the commands that the code has', () => {
    assert.deepEqual(commands.map(({ command }) => command).sort(), Object.values(commandIds).sort());
  });

  it('has the settings that the code has', () => {
    assert.deepEqual(Object.keys(configuration.properties).sort(), settings.sort());
  });

  it('has the views and terminal profiles that the code has', () => {
    const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id).sort();
    assert.deepEqual(idsOf(Object.values(views).flat()), Object.values(viewIds).sort());
    assert.deepEqual(idsOf(terminal.profiles), Object.values(profileIds).sort());
  });

  it('has one welcome text for each state of the setup, and for each of the empty network log', () => {
    assert.deepEqual(
      viewsWelcome.map(({ view, when }) => `${view}: ${when}`).sort(),
      [
        ...setupStates.map((state) => `${viewIds.sandboxes}: ${contextKeys.setup} == ${state}`),
        ...emptySessionsStates.map(
          (state) => `${viewIds.sessions}: ${contextKeys.sessionsState} == ${state}`,
        ),
        ...networkLogStates.map(
          (state) => `${viewIds.networkLog}: ${contextKeys.networkLogState} == ${state}`,
        ),
      ].sort(),
    );
  });

  it('calls the main command Start Sandboxed Agent, and groups the others', () => {
    for (const { command, title, category } of commands) {
      const isMain = command === commandIds.start;
      assert.equal(textOf(category), isMain ? undefined : 'Sandboxed Agent', command);
      assert.ok(textOf(title), command);
      assert.equal(textOf(title) === 'Start Sandboxed Agent', isMain, command);
    }
  });

  it('has a text for every key, and no other texts', () => {
    const used = [...manifestText.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key);
    assert.deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
  });

  it('lets a workspace set nothing that is executed or bound', () => {
    const settable = Object.entries(configuration.properties).filter(([, { scope }]) => scope !== 'machine');
    assert.deepEqual(
      settable.map(([name]) => name),
      [settingName('network'), settingName('permission'), settingName('git'), settingName('protectedPaths')],
    );
    assert.deepEqual(
      [...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort(),
      settings.sort(),
    );
  });

  it('activates when a window has started, and by nothing else', () => {
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished']);
  });

  it('names only commands and context keys that exist', () => {
    const ids: readonly string[] = Object.values(commandIds);
    const keys: readonly string[] = Object.values(contextKeys);
    const known = [...keys, ...Object.values(viewIds)];
    const conditions = [...Object.values(menus).flat(), ...viewsWelcome].map(({ when }) => when);
    for (const [key] of conditions.flatMap((when) => [...(when?.matchAll(/sandboxedAgent\.\w+/g) ?? [])])) {
      assert.ok(known.includes(key), key);
    }
    for (const { command } of Object.values(menus).flat()) {
      assert.ok(ids.includes(command), command);
    }
    const events = walkthroughs.flatMap(({ steps }) => steps.flatMap((step) => step.completionEvents));
    for (const event of [...events, ...walkthroughs.map(({ when }) => when)]) {
      for (const key of event.replace(/^(onContext:|!)/, '').split(' && ')) {
        assert.ok(keys.includes(key), event);
      }
    }
    for (const [, command] of Object.values(texts).flatMap((text) => [
      ...text.matchAll(/\(command:([^)]+)\)/g),
    ])) {
      assert.ok(command?.startsWith('workbench.') === true || ids.includes(command ?? ''), command);
    }
  });

  const steps = walkthroughs.flatMap((walkthrough) => walkthrough.steps);

  it('has steps of the walkthrough that facts complete, and not that a command was clicked', () => {
    for (const { completionEvents } of steps) {
      assert.ok(completionEvents.length > 0);
      assert.ok(completionEvents.every((event) => event.startsWith('onContext:')));
      // also of what was true before the walkthrough was opened, see ui/setup/walkthroughContext.ts
      const facts = completionEvents.filter((event) => !event.includes('&&'));
      assert.deepEqual(
        completionEvents,
        facts.flatMap((event) => [event, `${event} && ${contextKeys.pageOpened}`]),
      );
    }
  });

  it('has pictures for them in the colours of the theme, which are told to who doesn’t see them', () => {
    for (const { media } of steps) {
      const picture = readFileSync(projectFile(media.svg), 'utf8');
      // VS Code puts the file into a page as it is, and shows the text of the manifest nowhere (1.139)
      assert.ok(picture.includes(`<title>${textOf(media.altText)}</title>`), media.svg);
      assert.match(picture, /^<svg [^>]*role="img"/);
      for (const [, colour = ''] of picture.matchAll(/\b(?:fill|stroke)="([^"]*)"/g)) {
        assert.match(colour, /^(none|var\(--vscode-.*\))$/, media.svg);
      }
      // the page allows neither styles nor scripts in it
      assert.doesNotMatch(picture, /<(?:style|script|image|use|a)\b|\b(?:style|href)=/);
    }
  });
});

describe('the code', () => {
  it('names only commands, settings and context keys that exist', () => {
    const known: readonly string[] = [
      ...Object.values(commandIds),
      ...Object.values(contextKeys),
      ...Object.values(viewIds),
      ...Object.values(profileIds),
      ...settings,
    ];
    const others = ['sandboxedAgent.status'];
    for (const name of readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' })) {
      const content = name.endsWith('.ts') ? readFileSync(join(projectFile('src'), name), 'utf8') : '';
      for (const [, id = ''] of content.matchAll(new RegExp(`'(${settingsSection}\\.[\\w.]+)'`, 'g'))) {
        assert.ok([...known, ...others].includes(id), `${name} names ${id}`);
      }
    }
  });
});
