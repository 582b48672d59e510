import { histogramScript } from './histogramScript';
import type { Scenario } from './scenario';

/** The name under which opencode knows the demo model. */
export const demoModelName = 'demo';

const whoSpeaks =
  'I am the scripted demo model of Sandboxed Agent, not a real one: what I do is written down in advance. ';

/** What the demo model does in `npm run try`: the example's task, a look at the walls, or a note for anything else. */
export const demoScenario: Scenario = {
  models: [demoModelName],
  title: 'Scripted demo',
  rules: [
    {
      match: 'histogram|muon|TASK\\.md',
      steps: [
        {
          text: `${whoSpeaks}I will look at the data, write pt_histogram.py and run it.`,
          tools: [
            {
              name: 'bash',
              arguments: { command: 'head -n 3 data/muons.csv', description: 'Look at the data' },
            },
          ],
        },
        { tools: [{ name: 'write', arguments: { filePath: 'pt_histogram.py', content: histogramScript } }] },
        {
          tools: [
            {
              name: 'bash',
              arguments: { command: 'python3 pt_histogram.py', description: 'Draw the histogram' },
            },
          ],
        },
        {
          text: 'pt_histogram.py is written and has drawn pt_histogram.png. (This was the scripted demo model.)',
          ifResult: {
            match: 'not found|No such file|Error',
            step: {
              text:
                'pt_histogram.py is written, but running it failed: this image may have no python3, or this folder no ' +
                'data/muons.csv. (This was the scripted demo model.)',
            },
          },
        },
      ],
    },
    {
      match: 'secret|escape|outside|prove',
      steps: [
        {
          text: `${whoSpeaks}I will look for other people's files and try to write outside of this folder.`,
          tools: [
            {
              name: 'bash',
              arguments: {
                command: "sh -c 'ls -A /home /home/*; cat /home/*/.ssh/*; echo hello > /etc/demo-was-here'",
                description: 'Look at the walls of the sandbox',
              },
            },
          ],
        },
        {
          text:
            'Other files of yours are not here, and outside of the folder nothing can be written. What came of it:' +
            '\n\n```\n${result}\n```\n\n(This was the scripted demo model.)',
          ifResult: {
            match: 'PRIVATE KEY',
            step: { text: 'I could read a private key. This must not happen: please report it.' },
          },
        },
      ],
    },
  ],
  otherwise: [
    {
      text: `${whoSpeaks}I will write your task into a file, to show that I can write in this folder.`,
      tools: [
        {
          name: 'write',
          arguments: {
            filePath: 'demo-note.md',
            content: 'The demo model was given this task:\n\n${user}\n',
          },
        },
      ],
    },
    {
      text: 'demo-note.md holds your task. To get it done, configure a real model. (This was the scripted demo model.)',
    },
  ],
};
