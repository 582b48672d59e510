import assert from 'node:assert/strict';
import { explainStartFailure } from '../../../src/sandbox/startFailures';

/** Texts of Apptainer, as measured or read in its source. */
const cases: [output: string, expected: RegExp][] = [
  [
    'ERROR  : Failed to create user namespace: maximum number of user namespaces exceeded, check /proc/sys/user/max_user_namespaces',
    /max_user_namespaces/,
  ],
  [
    'ERROR  : Could not write info to setgroups: Permission denied\nERROR  : Error while waiting event for user namespace mappings: no event received',
    /AppArmor/,
  ],
  [
    'FATAL:   Unprivileged installation found, user namepace needed but not allowed by configuration.',
    /allow user ns/,
  ],
  ["squashfuse_ll exited: fuse: device not found, try 'modprobe fuse' first", /\/dev\/fuse is missing/],
  [
    'squashfuse_ll exited: fuse: device /dev/fuse not found. Kernel module not loaded?',
    /\/dev\/fuse is missing/,
  ],
  ['squashfuse_ll exited: fuse: failed to open /dev/fuse: Permission denied', /may not open \/dev\/fuse/],
  ['INFO: squashfuse not found, will not be able to mount SIF', /squashfuse is missing/],
  ['FATAL:   could not open image /x.sif: image format not recognized', /damaged/],
  ['squashfuse_ll exited: Something went wrong trying to read the squashfs image.', /damaged/],
  ["the image's architecture (arm64) could not run on the host's (amd64)", /another processor/],
  ['WARNING: Ignoring /w bind mount: user bind control disabled by system administrator', /forbids binding/],
  ['write /x: no space left on device', /disk is full/],
  ['something nobody has seen', /What it said is in the log/],
];

describe('explainStartFailure', () => {
  for (const [output, expected] of cases) {
    it(`knows ${JSON.stringify(output.slice(0, 60))}`, () => {
      assert.match(explainStartFailure(output).text, expected);
    });
  }

  it('never repeats what was printed', () => {
    const { values } = explainStartFailure('[click](command:evil) no space left on device');
    assert.deepEqual(values, []);
  });
});
