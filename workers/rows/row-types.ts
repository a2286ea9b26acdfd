/** The input of the packed rows. Each checked item becomes a row of the table `items`. */

import type { DeclaredLink, ResultRecord } from '../../shared/api/results/record.js';
import type { Verdict } from '../../shared/policy/types.js';

/** Columns that all items of one request share. A replayed dead letter stores a higher `version`, and the highest wins. */
export interface RowRequest
  extends Pick<
    ResultRecord,
    'kind' | 'id' | 'team' | 'scope' | 'sequence' | 'config' | 'received' | 'completed' | 'version'
  > {
  /** id of the API key */
  key: string;
  /** as in the record: set when the whole request has no verdict */
  error?: ResultRecord['error'];
}

/** As in the record. */
export type RowLink = DeclaredLink;

/** A path in metadata, and the value there. */
export type Tag = readonly [path: string, value: string];

/** What is known of an image that was, or could not be, checked. */
export interface RowImage {
  /** `jpeg`, `png`, `webp`, `gif`; empty when it was not recognised */
  kind: string;
  /** pixels as shown; 0 when unknown */
  width: number;
  height: number;
  /** as received; 0 when nothing was received */
  bytes: number;
  /** PDQ hash, 64 hexadecimal digits; empty when none was made */
  hash: string;
  /** quality of the hash, 0 to 100 */
  quality: number;
  /** ms that fetching and decoding took */
  fetchMs: number;
  decodeMs: number;
  /** internal id of the session that it is linked to, or empty */
  internalSessionId: string;
}

/** Columns of one item. Absent strings are empty. */
export interface RowItem {
  /** 1 to 63 */
  item: number;
  type: string;
  field: string;
  role: string;
  name: string;
  /** texts of an event that are only stored, in the order of their columns */
  stored: readonly string[];
  eventId: string;
  runId: string;
  externalSessionId: string;
  externalArtifactId: string;
  /** as sent; JSON values in compact form */
  content: string;
  /** JSON text, or empty */
  metadata: string;
  /** of the metadata what stays as long as the verdict */
  tags: readonly Tag[];
  userId: string;
  userEmail: string;
  status: 'completed' | 'failed';
  note: string;
  links: readonly RowLink[];
  /** what explains its policies map (`explanation.ts` of `shared/api/results/`), or empty */
  explained: string;
  /** of artifacts */
  image?: RowImage;
  verdict: Verdict;
  /** null when it could not be evaluated */
  flagged: boolean | null;
}
