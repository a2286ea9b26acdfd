/** A language model behind an OpenAI-compatible interface. The address is the operator's, and may be private. */
export interface BackendConfiguration {
  /** unique within its team */
  id: string;
  team: string;
  /** of the interface, such as `http://host:8000/v1`, without a slash at its end */
  url: string;
  model: string;
  /** name of an environment variable of the workers that has its API key; null: see `api_key_file` */
  api_key_env: string | null;
  /** path of a file on the workers that has its API key; null with `api_key_env` null: it needs none */
  api_key_file: string | null;
  /** for one call */
  timeout_ms: number;
  /** calls of one worker at once */
  concurrency: number;
  /** of all workers together; absent: calls and tokens are not limited */
  budget?: BackendBudget;
  /** how long answers are kept; 0: not at all */
  cache_seconds: number;
}

/** At least one of the two is a number; null: not limited. */
export interface BackendBudget {
  /** calls */
  requests_per_minute: number | null;
  /** tokens of models, of questions and answers */
  tokens_per_day: number | null;
}
