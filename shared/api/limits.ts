/** Limits of section 8 and of the decisions that complete it. Bytes are of UTF-8, characters are code points. */
export const LIMITS = {
  eventsPerBatch: 50,
  linksPerEvent: 50,
  declarationsPerBatch: 500,
  bodyBytes: 32 * 1024 * 1024,
  contentBytes: 256 * 1024,
  metadataBytes: 256 * 1024,
  idCharacters: 128,
  nameCharacters: 256,
  relationCharacters: 64,
  jsonDepth: 64,
  messages: 1000,
  messageTextBytes: 1024 * 1024,
  /** artifact parts in the last message */
  artifactParts: 16,
  imageBytes: 10 * 1024 * 1024,
  /** base64 of `imageBytes`, in lines of 76 characters with CR LF, behind the prefix of a data URI */
  imageDataCharacters: Math.ceil((Math.ceil((10 * 1024 * 1024) / 3) * 4 * 78) / 76) + 1024,
  urlCharacters: 8192,
  policyIds: 100,
  /** texts of a guardrail's call that stand in no message */
  guardrailTexts: 1000,
  /** texts or parts that are asked about at once */
  moderationsInputs: 32,
  perspectiveAttributes: 64,
  /** of Presidio: texts that are analysed at once, entities that are asked for, texts that are no finds, finds and operators */
  presidioTexts: 32,
  presidioEntities: 200,
  presidioAllowed: 1000,
  presidioSpans: 10_000,
  presidioOperators: 200,
  /** of each list of a guardrail's call */
  guardrailElements: 10_000,
  issues: 50,
  graphNodes: 1000,
  protectItems: 100,
  /** artifacts in the envelope of a session */
  envelopeArtifacts: 100,
  /** of a stream of a deployment; one of an environment has `contentBytes` */
  streamBytes: 1024 * 1024,
  /** JSON of the metadata of a stream */
  streamMetadataBytes: 16 * 1024,
  /** open streams of an API key; each takes one more for every `streamPlaceBytes` */
  streamPlaces: 1000,
  streamPlaceBytes: 64 * 1024,
  /** how long a stream lives after its last piece */
  streamSeconds: 600,
  /** what a label may say beside its verdict */
  labelNoteCharacters: 2000,
  /** appeals of a team in 24 hours, and open ones in an answer */
  appealsPerDay: 10_000,
  openAppeals: 100,
  /** verdicts in an answer of the queue, and how far it looks back */
  queuedLabels: 100,
  queueDays: 30,
  /** how long a time may be that history is asked for; items of a page; users of a list */
  historyDays: 400,
  historyItems: 200,
  riskyUsers: 200,
  /** messages of a page of a conversation */
  conversationMessages: 100,
  /** entries of a page of the audit log */
  auditEntries: 200,
  /** the body of a try, and how long one takes */
  tryBytes: 256 * 1024,
  tryMs: 2000,
  /** entries of a list of operators, and refused ones that are replayed at once */
  operationEntries: 100,
  replayedRefused: 100,
  /** versions of the configuration, and policies of one, of a page; lines about what one has changed; characters of the detectors of a policy */
  configurationVersions: 20,
  configuredPolicies: 100,
  configurationChangeLines: 1000,
  shownDetectCharacters: 8000,
  /** a name of a reviewer */
  reviewerCharacters: 200,
  /** texts of a restoring */
  restoreTexts: 1000,
  /** all of them together */
  restoreTextBytes: 1024 * 1024,
  restoreSeals: 100,
  /** what one seal has at most, and all of a restoring together; a seal is ASCII */
  sealBytes: 2 * 1024 * 1024,
  restoreSealBytes: 4 * 1024 * 1024,
  /** all restored texts together */
  restoredBytes: 4 * 1024 * 1024,
  requestIdCharacters: 128,
  idempotencyKeyCharacters: 255,
} as const;

/** Nodes of a page of a run graph without a `limit`. */
export const DEFAULT_NODES = 500;
