import assert from 'node:assert/strict';
import { once, EventEmitter } from 'node:events';
import { AttendanceTimer } from '../../../src/supervisor/attendanceTimer';

describe('AttendanceTimer', () => {
  it('calls back when the last client has gone', async () => {
    const events = new EventEmitter();
    const timer = new AttendanceTimer(0, () => events.emit('abandoned'));
    timer.changed(1);
    const abandoned = once(events, 'abandoned');
    timer.changed(0);
    await abandoned;
  });

  it('does not when another one comes in time', async () => {
    let abandoned = 0;
    const timer = new AttendanceTimer(20, () => abandoned++);
    timer.changed(0);
    timer.changed(1);
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal(abandoned, 0);
    timer.dispose();
  });
});
