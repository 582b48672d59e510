// Lint rules. The import floors of CONTRIBUTING.md are enforced here: imports go downwards only,
// and `vscode` is known to ui/, commands/, extension.ts and container.ts alone.
import { builtinModules } from 'node:module';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const vscodeFree = [
  'probes',
  'launch',
  'supervisor',
  'apptainer',
  'setup',
  'opencode',
  'guard',
  'sandbox',
  'snapshot',
  'gateway',
  'host',
  'companion',
  'reader',
  'sessionEditor',
  'sessionKeeper',
];

/** One zone per floor: files below `target` may not import from `from`. */
const zone = (target, ...from) =>
  from.map((folder) => ({ target: `./src/${target}`, from: `./src/${folder}` }));
const aboveSecondFloor = ['commands', 'ui', 'extension.ts', 'container.ts', 'api.ts'];
const aboveFirstFloor = [
  ...aboveSecondFloor,
  ...['probes', 'launch', 'supervisor', 'setup', 'apptainer', 'opencode', 'guard'],
];
const everything = [...aboveFirstFloor, 'gateway', 'host', 'sandbox', 'snapshot'];

const noVscode = {
  paths: [{ name: 'vscode', message: 'Only ui/, commands/, extension.ts and container.ts know VS Code.' }],
};

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'out/', '.cache/', 'example/'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked, ...tseslint.configs.strict],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    // without it no import of a .ts file is resolved, and the rules on imports say nothing
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.mjs', '.js'] })] },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 45, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.property.name=/^show(Information|Warning|Error)Message$/]',
          message:
            'Only ui/say.ts speaks to the user: text from inside the sandbox must never reach a notification.',
        },
        {
          selector: 'CallExpression[callee.name="exec"], CallExpression[callee.property.name="execSync"]',
          message: 'Never a shell: use host/runProcess.ts.',
        },
        {
          // what it throws and says holds the data that it refuses, which may be a key; its numbers may be Infinity
          selector:
            'CallExpression[callee.object.name="v"][callee.property.name=/^((safeP|p)arser?(Async)?|assert|number|record|tuple)$/]',
          message:
            'Use parseAs or tryParse (sandbox/parseAs.ts), or what sandbox/schemas.ts has; or v.strictTuple.',
        },
        {
          selector:
            'ImportDeclaration[source.value="valibot"] > :not(ImportNamespaceSpecifier[local.name="v"], Literal)',
          message: "import * as v from 'valibot': the rule above knows it by that name.",
        },
        {
          selector: 'CallExpression[callee.property.name="executeCommand"][arguments.0.value="setContext"]',
          message: 'Use ui/setContext.ts.',
        },
      ],
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            ...zone('ui', 'commands', 'extension.ts', 'container.ts'),
            ...zone('commands', 'extension.ts', 'container.ts'),
            ...zone('api.ts', 'extension.ts', 'container.ts', 'commands', 'ui'),
            ...zone('probes', ...aboveSecondFloor),
            // what runs inside a sandbox has nothing of the host's side in its bundle
            ...zone(
              'probes/inside',
              'launch',
              'supervisor',
              'apptainer',
              'opencode',
              'gateway',
              'host',
              'probes/host',
            ),
            ...zone('launch', ...aboveSecondFloor, 'probes'),
            ...zone('supervisor', ...aboveSecondFloor, 'probes', 'launch', 'apptainer', 'setup', 'guard'),
            ...zone('setup', ...aboveSecondFloor, 'probes', 'launch', 'supervisor', 'opencode', 'guard'),
            ...zone(
              'apptainer',
              ...aboveSecondFloor,
              'probes',
              'launch',
              'supervisor',
              'setup',
              'opencode',
              'guard',
            ),
            ...zone(
              'opencode',
              ...aboveSecondFloor,
              'probes',
              'launch',
              'supervisor',
              'setup',
              'apptainer',
              'guard',
            ),
            ...zone(
              'guard',
              ...aboveSecondFloor,
              'probes',
              'launch',
              'supervisor',
              'setup',
              'apptainer',
              'opencode',
            ),
            ...zone('sandbox', ...aboveFirstFloor, 'gateway', 'host'),
            ...zone('snapshot', ...aboveFirstFloor, 'gateway', 'host', 'sandbox'),
            ...zone('gateway', ...aboveFirstFloor),
            ...zone('host', ...aboveFirstFloor, 'gateway'),
            ...zone('companion', ...everything, 'contributions.ts'),
            ...zone('reader', ...everything, 'contributions.ts'),
            ...zone('sessionEditor', ...everything, 'contributions.ts'),
            ...zone('sessionKeeper', ...everything, 'contributions.ts'),
            ...zone('contributions.ts', ...everything),
          ],
        },
      ],
    },
  },
  {
    files: vscodeFree.map((folder) => `src/${folder}/**/*.ts`),
    rules: { 'no-restricted-imports': ['error', noVscode] },
  },
  {
    files: ['src/sandbox/**/*.ts', 'src/snapshot/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          ...noVscode,
          patterns: [
            {
              regex: `^(?!node:path$)(node:|(${builtinModules.join('|')})(/|$))`,
              message: 'sandbox/ and snapshot/ are pure: effects live in host/ and supervisor/.',
            },
          ],
        },
      ],
    },
  },
  {
    // each is the only one that does it
    files: ['src/ui/say.ts', 'src/ui/setContext.ts', 'src/sandbox/parseAs.ts', 'src/sandbox/schemas.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: { 'max-lines-per-function': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
);
