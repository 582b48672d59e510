// Gets the node packages for .ci/run as `npm test` does, so that they are got once.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from './run/packages.mjs';

installPackages(dirname(dirname(fileURLToPath(import.meta.url))));
