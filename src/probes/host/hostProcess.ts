import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { processStatus, readProc } from '../../host/procfs';

/** Says when it got SIGUSR1, and ends when its input does: so it is never left behind. */
const script =
  'trap "echo signal" USR1; echo here; while :; do read -r x; s=$?; [ $s -gt 128 ] || [ $s = 0 ] || exit 0; done';

/** A process of the host that a sandbox must not see, read, or send a signal to. */
export class HostProcess {
  private output = '';
  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    child.stdin.on('error', () => undefined);
  }

  /** @param folder in which it is @param secrets what stands in its arguments and in its environment */
  static async start(folder: string, secrets: { argument: string; variable: string }): Promise<HostProcess> {
    const child = spawn('/bin/sh', ['-c', script, secrets.argument], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', CANARY: secrets.variable },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const started = new HostProcess(child);
    await once(child.stdout, 'data');
    return started;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The signals that it got. */
  get signals(): string[] {
    return this.output.split('\n').filter((line) => line === 'signal');
  }

  /** Whether another process traces it now (proc_pid_status(5)). */
  get isTraced(): boolean {
    return (processStatus(this.pid)?.get('TracerPid') ?? '0') !== '0';
  }

  end(): void {
    this.child.stdin.end();
    this.child.kill('SIGKILL');
  }
}

/** A System V message queue of the host, made by a program of util-linux. */
export class HostQueue {
  private constructor(readonly id: number) {}

  /** `undefined` where there is no such program. */
  static make(): HostQueue | undefined {
    const made = spawnSync('/usr/bin/ipcmk', ['-Q', '-p', '0600'], {
      encoding: 'utf8',
      env: { LC_ALL: 'C' },
    });
    const id = /(\d+)\s*$/.exec(made.stdout ?? '')?.[1];
    return made.status === 0 && id !== undefined ? new HostQueue(Number(id)) : undefined;
  }

  /** Whether something was put into it: msqid and qnum in /proc/sysvipc/msg (proc_sysvipc(5)). */
  get hasMessages(): boolean {
    const rows = (readProc('sysvipc/msg') ?? '').split('\n').map((line) => line.trim().split(/\s+/));
    const row = rows.find(([, id]) => Number(id) === this.id);
    return row === undefined || Number(row[4]) > 0;
  }

  remove(): void {
    spawnSync('/usr/bin/ipcrm', ['-q', String(this.id)], { env: {} });
  }
}
