/** What a kind of metric is given, and what it makes of it. */

/** A checked item, as the log has it. */
export interface MetricItem {
  /** type of an event; `message` of a session, `artifact` of an image */
  type: string;
  role: string;
  name: string;
  /** the text as it was checked; '' for an image */
  text: string;
  /** as sent; of a session `{session, message}` */
  metadata: Record<string, unknown>;
  /** pixels and bytes; null where the item is no image, or where it could not be looked at */
  image: { width: number; height: number; bytes: number } | null;
}

/** A figure, or why there is none. The note says nothing that a caller sent. */
export type Computed = { value: number; label?: string } | { note: string };

/** A pure function of the item. It takes time linear in it, but for a bounded factor. */
export type Compute = (item: MetricItem) => Computed;
