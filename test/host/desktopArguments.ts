import { fileURLToPath } from 'node:url';

/** The arguments of the desktop `code` program that mean something to the host. */
export interface DesktopArguments {
  readonly folder?: string;
  readonly extensionDevelopmentPaths: readonly string[];
  readonly extensionTestsPath?: string;
  readonly userDataFolder?: string;
  readonly extensionsFolder?: string;
  readonly workspaceTrust: boolean;
}

/**
 * Reads a command line as `@vscode/test-electron` writes it: every option in the form `--name=value`. Options that
 * have no meaning here (`--no-sandbox`, `--disable-updates` …) are passed over.
 */
export function parseDesktopArguments(argv: readonly string[]): DesktopArguments {
  const values = (name: string) =>
    argv
      .filter((argument) => argument.startsWith(`--${name}=`))
      .map((argument) => argument.slice(name.length + 3));
  const [folderUri] = values('folder-uri');

  const [extensionTestsPath] = values('extensionTestsPath');
  const [userDataFolder] = values('user-data-dir');
  const [extensionsFolder] = values('extensions-dir');
  return {
    ...(folderUri === undefined ? {} : { folder: fileURLToPath(folderUri) }),
    ...(extensionTestsPath === undefined ? {} : { extensionTestsPath }),
    ...(userDataFolder === undefined ? {} : { userDataFolder }),
    ...(extensionsFolder === undefined ? {} : { extensionsFolder }),
    extensionDevelopmentPaths: values('extensionDevelopmentPath'),
    workspaceTrust: !argv.includes('--disable-workspace-trust'),
  };
}
