/**
 * What callers of Microsoft Presidio send and receive. Comments are the descriptions of the OpenAPI document, as those of `requests.ts`.
 * Source: https://microsoft.github.io/presidio/api-docs/api-docs.html
 */
import type { Issue } from '../error-body.js';

/** A text to be analysed. Other fields are ignored. */
export interface PresidioAnalyzeRequest {
  /** The text, or 1 to {@link LIMITS.presidioTexts} texts, of which each has a list of its own. */
  text: string | string[];
  /** A code of a language (ISO 639-1), such as `en`. Weir tells the language by itself. */
  language: string;
  /** The entities that the answer has: at most {@link LIMITS.presidioEntities}, which the deployment must look for. Without any it has all. */
  entities?: string[] | null;
  /** Finds with a lower score are left out. */
  score_threshold?: number | null;
  /** Your id of the call. It is kept in the metadata of the check. @x-form name */
  correlation_id?: string | null;
  /** Whether finds have an `analysis_explanation`. */
  return_decision_process?: boolean | null;
  /** Texts that are no finds: at most {@link LIMITS.presidioAllowed}, which are compared as they are. */
  allow_list?: string[] | null;
  /** `exact`, which is the default. Others are a 400 where there is an `allow_list`. */
  allow_list_match?: string | null;
  /** Must be empty: what is looked for is up to the policies. */
  ad_hoc_recognizers?: unknown;
  /** Must be empty: which words speak for a find is up to the policies. */
  context?: unknown;
}

/** Why something was found. */
export interface PresidioExplanation {
  /** The name of the policy. */
  recognizer: string;
  /** There are no patterns. */
  pattern_name: null;
  /** There are no patterns. */
  pattern: null;
  /** The score. */
  original_score: number;
  /** The score. */
  score: number;
  /** The detector of Weir. */
  textual_explanation: string;
  /** What words nearby add is in the score. */
  score_context_improvement: 0;
  /** Which words those are is not told. */
  supportive_context_word: '';
  /** Check digits are in the score. */
  validation_result: null;
}

/** Something that was found. */
export interface PresidioFinding {
  /** Why; null unless `return_decision_process` asks for it. */
  analysis_explanation: PresidioExplanation | null;
  /** Behind its last character. */
  end: number;
  /** What it is: an entity of Weir, `SECRET`, or the name of a policy in capitals. */
  entity_type: string;
  /** How sure it is, 0 to 1. */
  score: number;
  /** Where it begins, in characters (code points). */
  start: number;
}

/** Something that is to be replaced. Other fields, as finds have them, are ignored. */
export interface PresidioSpan {
  /** What it is. @x-form name */
  entity_type: string;
  /** Where it begins, in characters (code points). @x-form count */
  start: number;
  /** Behind its last character. @x-form count */
  end: number;
  /** How sure it is. Of two at the same place the surer one counts. */
  score: number;
}

/** How finds of an entity are replaced. Other fields are ignored. */
export interface PresidioOperator {
  /** `replace`, `redact`, `mask`, `hash` or `keep`. Others are a 400. */
  type: string;
  /** Of `replace`: the new text; without, it is the entity in angle brackets. */
  new_value?: string | null;
  /** Of `mask`: one character. */
  masking_char?: string | null;
  /** Of `mask`: how many characters are masked at most. */
  chars_to_mask?: number | null;
  /** Of `mask`: whether the last ones are. */
  from_end?: boolean | null;
  /** Of `hash`: `sha256`, which is the default, or `sha512`. */
  hash_type?: string | null;
  /** Of `hash`: at least 16 bytes, which are added to each text. Without, each has random ones. */
  salt?: string | null;
}

/** A text in which finds are to be replaced. Other fields are ignored. */
export interface PresidioAnonymizeRequest {
  /** The text: at most {@link LIMITS.restoreTextBytes} bytes. */
  text: string;
  /** The finds, at most {@link LIMITS.presidioSpans}. */
  analyzer_results: PresidioSpan[];
  /** By entity, and `DEFAULT` for the others, at most {@link LIMITS.presidioOperators}. */
  anonymizers?: Record<string, PresidioOperator> | null;
}

/** What a find was replaced by. */
export interface PresidioReplacement {
  /** Where it begins in the new text, in characters (code points). */
  start: number;
  /** Behind its last character. */
  end: number;
  /** What it is. */
  entity_type: string;
  /** What stands there now. */
  text: string;
  /** How it was replaced. */
  operator: string;
}

/** A text with its finds replaced. */
export interface PresidioAnonymized {
  /** The new text. */
  text: string;
  /** The replacements, from the last to the first. */
  items: PresidioReplacement[];
}

/** An error as Presidio writes it, with what Weir says beside. */
export interface PresidioErrorBody {
  /** The error, for people. */
  error: string;
  /** The code of Weir. */
  code: string;
  /** The field or parameter that caused it. */
  param?: string;
  /** Everything that is wrong with the request. */
  issues?: Issue[];
  /** The id of the request. */
  request_id: string;
  /** Of a 504: where the result of the check will be. */
  result_url?: string;
}
