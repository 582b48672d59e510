import { type Content, ContentServer } from '../../support/contentServer';

const mirrorVariable = 'SANDBOXED_AGENT_DEBIAN_MIRROR';

/** Puts a server of ours in the place of Debian's for the tests of the suite around it. */
export function useDebianMirror(answer: Content): void {
  let mirror: ContentServer;
  before(async () => {
    mirror = await ContentServer.start(answer);
    process.env[mirrorVariable] = `${mirror.address}/debian`;
  });
  after(() => {
    Reflect.deleteProperty(process.env, mirrorVariable);
    mirror.stop();
  });
}
