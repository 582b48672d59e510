import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import type { GatewayEffects } from './gateway';
import { systemAuthorities } from './systemAuthorities';

let authorities: readonly string[] | undefined;

/** The network as it is. */
export const realEffects: GatewayEffects = {
  resolve: async (host) => {
    const answers = await lookup(host, { all: true, order: 'verbatim' });
    return answers.map(({ address }) => address);
  },
  connect: (host, port) =>
    connect({ host, port, allowHalfOpen: true, noDelay: true, autoSelectFamily: false }),
  get authorities() {
    return (authorities ??= systemAuthorities());
  },
};
