import { message, type Message } from '../sandbox/message';
import type { Group } from './probe';

/** What a group of probes is called. */
export const groupTitles: Readonly<Record<Group, Message>> = {
  read: message('Read what is not its own'),
  write: message('Write where it must not'),
  environment: message('Find what the environment gives away'),
  process: message('Reach processes of this computer'),
  privilege: message('Gain privileges'),
  network: message('Reach what is not allowed'),
  hostExecuted: message('Leave something that this computer runs by itself'),
  terminal: message('Reach through the terminal'),
  selfDowngrade: message('Weaken the next start'),
  limits: message('Take more than its share'),
};
