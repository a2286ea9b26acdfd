/** Artifacts as look-ups find them and answers show them (2.5), finished or still being checked. */
import type { ArtifactIds, StoredItem } from './results/record.js';

/** What an answer needs about an artifact that is being checked; '' if absent. */
export interface AwaitedArtifact {
  /** the caller's id */
  external: string;
  /** the linked session: the internal id of its check, and the caller's id */
  session: { internal: string; external: string };
}

export interface StoredArtifact extends AwaitedArtifact {
  id: string;
  status: 'processing' | 'completed' | 'failed';
  /** null until it is known, and on failure */
  flagged: boolean | null;
  /** JSON text of the policies map */
  policies: string;
  /** as in `StoredItem` */
  explained: string;
  note: string;
  /** row version; the highest is the newest. 0 until the check is finished */
  version: number;
  /** Unix ms */
  created: number;
  /** Unix ms; null until the check is finished */
  completed: number | null;
  /** as in `StoredItem` */
  labels?: string;
  /** as in `StoredItem` */
  late?: true | undefined;
}

const NO_IDS: ArtifactIds = { external: '', session: '' };

/** A finished artifact. `item` must be of kind `artifact` (`kindOf`). */
export function storedArtifact(item: StoredItem): StoredArtifact {
  const { external, session } = item.artifact ?? NO_IDS;
  const completed = item.status === 'completed';
  return {
    id: item.id,
    status: completed ? 'completed' : 'failed',
    flagged: completed ? item.flagged : null,
    policies: item.policies,
    explained: item.explained,
    external,
    session: { internal: session, external: item.externalSessionId },
    note: item.note,
    version: item.version,
    created: item.created,
    completed: item.completed,
    ...(item.late ? { late: item.late } : {}),
  };
}

/** An artifact that was accepted at `created` (Unix ms) and has no result yet. */
export function processingArtifact(id: string, created: number, awaited: AwaitedArtifact): StoredArtifact {
  const { external, session } = awaited;
  const unknown = {
    status: 'processing',
    flagged: null,
    policies: '{}',
    explained: '',
    note: '',
    version: 0,
    completed: null,
  } as const;
  return { id, ...unknown, external, session, created };
}

/** At most `most` artifacts, each once in its newest version, newest first. */
export function newestArtifacts(artifacts: readonly StoredArtifact[], most: number): StoredArtifact[] {
  const byId = new Map<string, StoredArtifact>();
  for (const artifact of artifacts) {
    const known = byId.get(artifact.id);
    if (!known || known.version < artifact.version) byId.set(artifact.id, artifact);
  }
  // Ids begin with the time of creation.
  return [...byId.values()].sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1)).slice(0, most);
}
