/** The first 48 bytes of a file that Apptainer made. */
export const sifHeader = Buffer.concat([
  Buffer.from('#!/usr/bin/env run-singularity\n\0', 'latin1'),
  Buffer.from('SIF_MAGIC\0', 'latin1'),
  Buffer.from('01\0', 'latin1'),
  Buffer.from('02\0', 'latin1'),
]);
