import * as vscode from 'vscode';
import { addOpencodeDefinition } from '../apptainer/definitions';
import { readDefinition } from '../apptainer/readDefinition';
import { message } from '../sandbox/message';
import { Cancelled } from '../sandbox/userError';
import type { BuildWish } from '../ui/images/imageBuilder';
import { programObstacle } from '../ui/setup/obstacles';
import { plainText } from '../ui/plainText';
import { windowFacts } from '../ui/window';
import type { Services } from './services';

type Choice = vscode.QuickPickItem & { readonly wish: () => Promise<BuildWish> };

/** Lets the user choose what to build an image from, and builds it. */
export async function buildImage(services: Services): Promise<void> {
  const obstacle = programObstacle(windowFacts());
  if (obstacle) {
    throw obstacle;
  }
  const title = vscode.l10n.t('Build an image from');
  const choice = await vscode.window.showQuickPick(choices(services), { title });
  if (!choice) {
    throw new Cancelled('nothing was chosen');
  }
  const record = await services.imageBuilder.build(await choice.wish());
  void services.say.information(
    record?.opencodeVersion === undefined
      ? message('The image was built. It has no opencode: Open Shell works, an agent does not.')
      : message(
          'The image was built, with opencode {0}. Sandboxes use it from now on.',
          record.opencodeVersion,
        ),
  );
}

function choices({ imageBuilder, images }: Services): Choice[] {
  const own = (name: 'agent' | 'scientific') => async (): Promise<BuildWish> => ({
    definition: await imageBuilder.ownDefinition(name),
    name,
    source: `${name}.def`,
  });
  const open = vscode.window.visibleTextEditors
    .map(({ document }) => document)
    .filter(({ uri }) => uri.scheme === 'file' && uri.path.endsWith('.def'));
  return [
    {
      label: vscode.l10n.t('The agent and its tools'),
      description: vscode.l10n.t('Debian, opencode, git, python3'),
      wish: own('agent'),
    },
    {
      label: vscode.l10n.t('The agent and scientific Python'),
      description: vscode.l10n.t('numpy, scipy, pandas, matplotlib, Scikit-HEP'),
      wish: own('scientific'),
    },
    {
      label: vscode.l10n.t('An image of mine, with opencode added…'),
      wish: async () => {
        const path = await images.checkPlace(await chooseFile('sif'));
        return { definition: addOpencodeDefinition(path), name: 'added', source: path };
      },
    },
    ...open.map((document) => ({
      label: vscode.l10n.t('The open file {0}', plainText(vscode.workspace.asRelativePath(document.uri))),
      wish: () => Promise.resolve(ownWish(document.getText(), document.uri.fsPath)),
    })),
    {
      label: vscode.l10n.t('A definition file…'),
      wish: async () => {
        const path = await chooseFile('def');
        return ownWish(await readDefinition(path), path);
      },
    },
  ];
}

/** What somebody else wrote: the user, or an agent. */
function ownWish(definition: string, file: string): BuildWish {
  return { definition, file, name: 'own', source: file };
}

async function chooseFile(ending: 'sif' | 'def'): Promise<string> {
  const title =
    ending === 'sif'
      ? vscode.l10n.t('Choose the file of an image')
      : vscode.l10n.t('Choose a definition file');
  const filters = { [ending]: [ending], [vscode.l10n.t('All files')]: ['*'] };
  const [file] = (await vscode.window.showOpenDialog({ title, filters })) ?? [];
  if (file?.scheme !== 'file') {
    throw new Cancelled('no file was chosen');
  }
  return file.fsPath;
}
