import assert from 'node:assert/strict';
import { transcriptName } from '../../../../src/ui/sessions/transcriptName';

describe('the name of a transcript’s tab', () => {
  const id = 'ses_dcf91a527ffeyUzSvEkcM4o6ez';

  it('says when the session was begun, and tells apart those of the same minute', () => {
    const created = new Date(2026, 0, 5, 7, 3, 59).getTime();
    assert.equal(transcriptName('Session', { id, created }), 'Session 2026-01-05 07.03 M4o6ez');
    assert.notEqual(
      transcriptName('Session', { id, created }),
      transcriptName('Session', { id: 'ses_dcf91a527ffeyUzSvEkcM4o6eA', created }),
    );
  });

  it('bears any time that a session may claim', () => {
    for (const created of [0, 8.64e15]) {
      assert.match(
        transcriptName('Session', { id, created }),
        /^Session (\d+-\d\d-\d\d \d\d\.\d\d |)M4o6ez$/,
      );
    }
  });
});
