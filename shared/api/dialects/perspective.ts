/**
 * What callers of the Perspective API send and receive. Comments are the descriptions of the OpenAPI document, as those of `requests.ts`.
 * Source: https://developers.perspectiveapi.com/s/about-the-api-methods
 */

/** A text to be scored. */
export interface PerspectiveText {
  /** The text. It must not be empty. */
  text: string;
  /** `PLAIN_TEXT`, which is the default. Others are a 400. */
  type?: string | null;
}

/** What is to be scored, and how. Other fields are ignored. */
export interface PerspectiveRequest {
  /** The text. */
  comment: PerspectiveText;
  /**
   * The attributes by name: those of the Perspective API that Weir scores, and policies of the deployment by their names in capitals, such as
   * `PAYMENT_DATA`. One to {@link LIMITS.perspectiveAttributes}. Each has an object, which may be empty, with `scoreType` (`PROBABILITY`)
   * and `scoreThreshold` (a lower score is left out of the answer).
   */
  requestedAttributes: Record<string, unknown>;
  /** Whether each sentence is scored by itself, too. */
  spanAnnotations?: boolean | null;
  /** The languages of the text. They are given back; Weir tells the language by itself. */
  languages?: string[] | null;
  /** Whether the text and its metadata are dropped once it is checked. The verdict is kept. */
  doNotStore?: boolean | null;
  /** A text that is given back. @x-form name */
  clientToken?: string | null;
  /** Your id of the conversation: the `external_session_id` of the check. @x-form name */
  sessionId?: string | null;
  /** Where the text was written. It is kept in the metadata. @x-form name */
  communityId?: string | null;
}

/** A score. */
export interface PerspectiveScore {
  /** 0 to 1. */
  value: number;
  /** The kind of score. */
  type: 'PROBABILITY';
}

/** The score of a part of the text. */
export interface PerspectiveSpan {
  /** Where it begins, in characters (code points). */
  begin: number;
  /** Behind its last character. */
  end: number;
  /** Its score. */
  score: PerspectiveScore;
}

/** The scores for an attribute. */
export interface PerspectiveScores {
  /** The whole text, or its sentences where `spanAnnotations` asks for them. */
  spanScores: PerspectiveSpan[];
  /** Of the whole text. */
  summaryScore: PerspectiveScore;
}

/** The scores of a text. */
export interface PerspectiveResponse {
  /** By attribute. It is left out where all scores are below the thresholds. */
  attributeScores?: Record<string, PerspectiveScores>;
  /** The languages as sent. */
  languages?: string[];
  /** The token as sent. */
  clientToken?: string;
}

/** Codes of Google APIs (google.rpc.Code). */
export type GoogleStatus =
  | 'INVALID_ARGUMENT'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'NOT_FOUND'
  | 'UNIMPLEMENTED'
  | 'ABORTED'
  | 'FAILED_PRECONDITION'
  | 'RESOURCE_EXHAUSTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DEADLINE_EXCEEDED';

/** Something that is wrong with a request. */
export interface PerspectiveViolation {
  /** The path of the field; empty: the whole body. */
  field: string;
  /** What was expected. */
  description: string;
  /** The code of the issue, in capitals. */
  reason: string;
}

/** More about an error. */
export interface PerspectiveErrorDetail {
  /**
   * The kind of this detail: `google.rpc.ErrorInfo` has the members up to `metadata`, `google.rpc.BadRequest` has `fieldViolations`, and
   * that of the Perspective API the others.
   */
  '@type': string;
  /** The code of Weir, in capitals. */
  reason?: string;
  /** `weir`. */
  domain?: string;
  /** `request_id`, and as far as there are any `param`, `result_url`. */
  metadata?: Record<string, string>;
  /** Everything that is wrong with the request. */
  fieldViolations?: PerspectiveViolation[];
  /** The name that the Perspective API has for the error. */
  errorType?: string;
  /** The attribute, and the languages that it does not know. */
  languageNotSupportedByAttributeError?: {
    /** The attribute. */
    attribute: string;
    /** Codes of languages (ISO 639-1), or `und`. */
    detectedLanguages: string[];
  };
}

/** An error as Google APIs write it. */
export interface PerspectiveErrorBody {
  /** The error. */
  error: {
    /** The HTTP status. */
    code: number;
    /** The error, for people. */
    message: string;
    /** The code of Google APIs. */
    status: GoogleStatus;
    /** More about it. */
    details: PerspectiveErrorDetail[];
  };
}
