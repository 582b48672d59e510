import { BlockList, isIPv4 } from 'node:net';
import { canonicalAddress, embeddedAddress } from './hostName';

/** What an address is for; everything but `public` is this computer's, its networks' or nobody's. */
export type AddressClass =
  | 'public'
  | 'metadata'
  | 'loopback'
  | 'linkLocal'
  | 'private'
  | 'multicast'
  | 'unspecified'
  | 'broadcast'
  | 'reserved';

type Subnets = readonly (readonly [string, number])[];

/**
 * From the IANA registries of special-purpose IPv4 and IPv6 addresses (RFC 6890, as of 2025) and of multicast
 * addresses. The first class that holds an address counts. For IPv6 it is the other way round below: only what is
 * assigned for global unicast is public.
 */
const specialSubnets: readonly (readonly [Exclude<AddressClass, 'public'>, Subnets])[] = [
  [
    // where clouds tell a machine its own credentials: AWS, Azure, Google and others; ECS; Alibaba; Azure's
    // host, which has a public address; Oracle; AWS and Google over IPv6
    'metadata',
    [
      ['169.254.169.254', 32],
      ['169.254.170.2', 32],
      ['100.100.100.200', 32],
      ['168.63.129.16', 32],
      ['192.0.0.192', 32],
      ['fd00:ec2::254', 128],
      ['fd20:ce::254', 128],
    ],
  ],
  [
    'loopback',
    [
      ['127.0.0.0', 8],
      ['::1', 128],
    ],
  ],
  [
    'unspecified', // RFC 791 3.2: "this network"; Linux connects 0.0.0.0 and :: to itself
    [
      ['0.0.0.0', 8],
      ['::', 128],
    ],
  ],
  [
    'linkLocal',
    [
      ['169.254.0.0', 16],
      ['fe80::', 10],
    ],
  ],
  [
    'private', // RFC 1918; RFC 6598, carrier-grade NAT; RFC 4193; RFC 3879, site-local
    [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['100.64.0.0', 10],
      ['fc00::', 7],
      ['fec0::', 10],
    ],
  ],
  [
    'multicast',
    [
      ['224.0.0.0', 4],
      ['ff00::', 8],
    ],
  ],
  ['broadcast', [['255.255.255.255', 32]]],
  [
    // IETF protocols with Teredo (RFC 4380); documentation; 6to4 and its relays (RFC 7526); benchmarks (RFC
    // 2544); future use
    'reserved',
    [
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['240.0.0.0', 4],
      ['2001::', 23],
      ['2001:db8::', 32],
      ['2002::', 16],
      ['3fff::', 20],
    ],
  ],
];

/** Global unicast, RFC 4291 2.4 and the IANA registry of IPv6 address space. */
const globalUnicast = onceMade(() => blockList([['2000::', 3]]));
/** RFC 6052 2.1: an IPv4 address, reached through NAT64; names lead there in networks without IPv4. */
const nat64Prefix = '64:ff9b::';

const specialLists = onceMade(() =>
  specialSubnets.map(([kind, subnets]) => [kind, blockList(subnets)] as const),
);

/**
 * What an address is for. IPv4 addresses inside IPv6 ones count as what they are: mapped ones and those of NAT64;
 * those of 6to4, Teredo and the deprecated compatible form are never public.
 * @param text as a resolver or a person gives it; what is no address (or has a zone id) is `reserved`
 */
export function classifyAddress(text: string): AddressClass {
  const canonical = canonicalAddress(text);
  if (canonical === undefined) {
    return 'reserved';
  }
  const address = embeddedAddress(canonical, nat64Prefix) ?? canonical;
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const special = specialLists().find(([, list]) => list.check(address, family))?.[0];
  return special ?? (family === 'ipv4' || globalUnicast().check(address, family) ? 'public' : 'reserved');
}

/** Makes something when it is wanted for the first time: a window that starts does not want it. */
function onceMade<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

function blockList(subnets: Subnets): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) {
    list.addSubnet(network, prefix, isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}
