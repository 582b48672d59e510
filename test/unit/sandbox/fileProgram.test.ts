import assert from 'node:assert/strict';
import { fileProgram } from '../../../src/sandbox/fileProgram';
import { UserError } from '../../../src/sandbox/userError';

const cases: readonly (readonly [file: string, firstLine: string, program: readonly string[]])[] = [
  ['/w/a.py', 'import os\n', ['python3']],
  ['/w/a.PY', '', ['python3']],
  ['/w/a.sh', 'echo', ['sh']],
  ['/w/a.R', '# x', ['Rscript']],
  ['/w/a.r', '', ['Rscript']],
  ['/w/a.py', '#!/usr/bin/env python3.12\nimport os', ['/usr/bin/env', 'python3.12']],
  ['/w/a', '#!/bin/bash -e\n', ['/bin/bash', '-e']],
  ['/w/a', '#! /bin/bash   -e  -u \r\n', ['/bin/bash', '-e  -u']],
  ['/w/a', '#!/usr/bin/env -S python3 -u\n', ['/usr/bin/env', 'python3', '-u']],
  ['/w/a', '#!/bin/sh', ['/bin/sh']],
  // what the kernel would not take either
  ['/w/a.sh', ' #!/bin/bash\n', ['sh']],
  ['/w/a.sh', '#!bash\n', ['sh']],
];

describe('fileProgram', () => {
  for (const [file, firstLine, program] of cases) {
    it(`runs ${file} that begins with ${JSON.stringify(firstLine)}`, () => {
      assert.deepEqual(fileProgram(file, firstLine), [...program, file]);
    });
  }

  it('does not guess', () => {
    for (const [file, firstLine] of [
      ['/w/a', 'echo'],
      ['/w/a.ipynb', '{'],
      ['/w/py', '\u007fELF'],
    ] as const) {
      assert.throws(
        () => fileProgram(file, firstLine),
        (error) => error instanceof UserError && error.code === 'file.noInterpreter',
      );
    }
  });
});
