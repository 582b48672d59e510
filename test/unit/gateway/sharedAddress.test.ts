import assert from 'node:assert/strict';
import { isSharedAddress } from '../../../src/gateway/sharedAddress';

describe('isSharedAddress', () => {
  for (const host of ['models.example.org', '8.8.8.8', '[2606:4700::1111]', 'mylocal.example.org']) {
    it(`says yes to ${host}`, () => assert.ok(isSharedAddress(`https://${host}:8000/v1`)));
  }
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '10.1.2.3',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '[fd00::1]',
    'localhost',
    'x.localhost',
    'gpu01',
    'gpu01.local',
    'gpu01.cluster.internal',
  ]) {
    it(`says no to ${host}`, () => assert.ok(!isSharedAddress(`http://${host}:8000/v1`)));
  }
});
