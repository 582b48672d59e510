import { message, type Message } from '../sandbox/message';

/** Hosts that belong together, to be allowed with one choice. */
export interface HostPreset {
  readonly id: string;
  readonly title: Message;
  /** entries as `formatHostEntry` writes them */
  readonly hosts: readonly string[];
}

/**
 * The presets, with the hosts that the usual clients of each need to read from it; docs/network.md lists them. Hugging
 * Face publishes its own in huggingface.co/.well-known/meta.json, GitHub in api.github.com/meta.
 */
export const hostPresets: readonly HostPreset[] = [
  {
    id: 'python',
    title: message('Python packages (PyPI)'),
    hosts: ['pypi.org', 'files.pythonhosted.org'],
  },
  {
    id: 'condaForge',
    title: message('conda-forge'),
    hosts: ['conda.anaconda.org', 'conda-static.anaconda.org'],
  },
  {
    id: 'npm',
    title: message('npm packages'),
    hosts: ['registry.npmjs.org'],
  },
  {
    id: 'gitHub',
    title: message('GitHub'),
    hosts: [
      'github.com',
      'api.github.com',
      'codeload.github.com',
      'raw.githubusercontent.com',
      'objects.githubusercontent.com',
      'release-assets.githubusercontent.com',
      'media.githubusercontent.com',
      'github-cloud.githubusercontent.com',
    ],
  },
  {
    id: 'huggingFace',
    title: message('Hugging Face'),
    hosts: ['huggingface.co', 'hf.co', '*.hf.co'],
  },
  {
    id: 'scikitHep',
    title: message('Scikit-HEP data'),
    hosts: [
      // skhep_testdata takes its files from here, as do many tutorials
      'raw.githubusercontent.com',
      'scikit-hep.org',
      'root.cern',
      'opendata.cern.ch',
      'eospublic.cern.ch',
    ],
  },
];
