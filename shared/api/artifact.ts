/** Artifacts as they are looked up and answered (2.5), finished or still under way. */
import type { ArtifactIds, StoredItem } from './results/record.js';

/** What a status answer needs of an artifact that is under way; '' where there is nothing. */
export interface AwaitedArtifact {
  /** the caller's id */
  external: string;
  /** the session it is linked to, by our id of a check and the caller's */
  session: { internal: string; external: string };
}

export interface StoredArtifact extends AwaitedArtifact {
  id: string;
  status: 'processing' | 'completed' | 'failed';
  /** null while it is not known, and on failure */
  flagged: boolean | null;
  /** JSON text of the policies map */
  policies: string;
  note: string;
  /** row version: of two of one artifact, the highest is the newest; 0 while it is under way */
  version: number;
  /** Unix ms */
  created: number;
  /** Unix ms; null while it is under way */
  completed: number | null;
  /** as of a `StoredItem` */
  late?: true | undefined;
}

const NO_IDS: ArtifactIds = { external: '', session: '' };

/** A finished artifact; `item` is one of kind `artifact` (`kindOf`). */
export function storedArtifact(item: StoredItem): StoredArtifact {
  const { external, session } = item.artifact ?? NO_IDS;
  const completed = item.status === 'completed';
  return {
    id: item.id,
    status: completed ? 'completed' : 'failed',
    flagged: completed ? item.flagged : null,
    policies: item.policies,
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
    note: '',
    version: 0,
    completed: null,
  } as const;
  return { id, ...unknown, external, session, created };
}

/** Each artifact once, in its newest version, the last created first; at most `most`. */
export function newestArtifacts(artifacts: readonly StoredArtifact[], most: number): StoredArtifact[] {
  const byId = new Map<string, StoredArtifact>();
  for (const artifact of artifacts) {
    const known = byId.get(artifact.id);
    if (!known || known.version < artifact.version) byId.set(artifact.id, artifact);
  }
  // Ids begin with the time they were drawn at, which is that of creation.
  return [...byId.values()].sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1)).slice(0, most);
}
