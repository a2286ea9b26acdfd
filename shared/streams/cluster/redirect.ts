/** What a node of a Cluster answers where another one is to be asked, or the same one later (Redis Cluster specification, "Redirection and resharding"). */

export type ClusterRedirect =
  | { kind: 'moved'; slot: number; address: string }
  /** the slot is on its way, and this key is there already, or new */
  | { kind: 'ask'; slot: number; address: string }
  /** keys of this command are at two nodes at the moment */
  | { kind: 'later' };

const ELSEWHERE = /^(?:EXECABORT [^:]*: )?(MOVED|ASK) (\d+) (\S*):(\d+)$/;
const LATER = /^(?:EXECABORT [^:]*: )?TRYAGAIN /;

/** `asked`: the host that answered, which leaves its own name out where it does not know it. */
export function redirectOf(error: unknown, asked: string): ClusterRedirect | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  if (LATER.test(error.message)) return { kind: 'later' };
  const [, name, slot, host, port] = ELSEWHERE.exec(error.message) ?? [];
  if (name === undefined) return undefined;
  const address = `${host === '' || host === '?' ? asked : host}:${port}`;
  return { kind: name === 'ASK' ? 'ask' : 'moved', slot: Number(slot), address };
}
