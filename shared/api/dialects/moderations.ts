/**
 * What callers of OpenAI's moderations send and receive. Comments are the descriptions of the OpenAPI document, as those of `requests.ts`.
 * Source: https://platform.openai.com/docs/api-reference/moderations
 */
import { misc } from 'typia';

/** A part of one input. Other fields are ignored. */
export interface ModerationsPart {
  /** `text` or `image_url`. Other types are a 400. */
  type: string;
  /** The text of a part of type `text`. */
  text?: string | null;
  /** The image of a part of type `image_url`. */
  image_url?: ModerationsImage | null;
}

/** An image. */
export interface ModerationsImage {
  /** Its address, or its bytes as a data URI. */
  url: string;
}

/** What is to be judged. Other fields are ignored. */
export interface ModerationsRequest {
  /**
   * A text; several texts, of which each has a result of its own; or the parts of one input, texts and images, which have one
   * result: at most {@link LIMITS.moderationsInputs} texts or parts, of which {@link LIMITS.artifactParts} may be images.
   */
  input: string | string[] | ModerationsPart[];
  /** The name of a model. It is given back and means nothing here. */
  model?: unknown;
  /** Who wrote it: a string of at most {@link LIMITS.nameCharacters} characters becomes the user of the check. */
  user?: unknown;
  /** `assistant` if a model wrote it, so that policies for output apply. Everything else is input. */
  role?: unknown;
}

/** The categories of OpenAI. */
export interface ModerationsCategories {
  harassment: boolean;
  'harassment/threatening': boolean;
  hate: boolean;
  'hate/threatening': boolean;
  illicit: boolean;
  'illicit/violent': boolean;
  'self-harm': boolean;
  'self-harm/instructions': boolean;
  'self-harm/intent': boolean;
  sexual: boolean;
  'sexual/minors': boolean;
  violence: boolean;
  'violence/graphic': boolean;
}

export type ModerationsCategory = keyof ModerationsCategories;

export const MODERATIONS_CATEGORIES: readonly ModerationsCategory[] = misc.literals<ModerationsCategory>();

/** The verdict on one input. */
export interface ModerationsResult {
  /** Whether a policy is violated. */
  flagged: boolean;
  /**
   * By category: whether one of its policies is violated. The categories of OpenAI are always there; a policy without a category has
   * one by its own name.
   */
  categories: Record<string, boolean>;
  /**
   * By category: the highest score of its policies, 0 to 1. Of a violated policy it is that of what was found, 1 where that has none; of
   * another one that of its classifiers, 0 where it has none.
   */
  category_scores: Record<string, number>;
  /**
   * By category: `text` and `image`, as far as its policies have looked at them. If it is empty, nothing has been looked for, and
   * `false` says nothing.
   */
  category_applied_input_types: Record<string, string[]>;
  /** The id of the check, for look-ups. */
  internal_session_id: string;
  /** What was not looked at, and why. */
  note?: string;
}

/** The verdicts, in the order of the inputs. */
export interface ModerationsResponse {
  /** `modr-` and the id of the first check. */
  id: string;
  /** The model as sent, else `weir`. */
  model: string;
  /** One for each text, or one for all parts. */
  results: ModerationsResult[];
}
