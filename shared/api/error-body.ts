/** What callers receive where something is wrong (section 7 of the interface). Comments are descriptions, as those of `requests.ts`. */

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'api_error';

/** One thing that is wrong with a request. The rejected value is never repeated. */
export interface Issue {
  /** The place: a path such as `events[3].content`, or the name of a parameter or header. Empty for the whole body. */
  path: string;
  /** What is wrong, for programs. */
  code: string;
  /** What is wrong, for people. */
  message: string;
}

/** Why there is no answer. */
export interface ErrorBody {
  /** The error. */
  error: {
    /** The kind of error. */
    type: ErrorType;
    /** The error, for programs. @x-form errorCode */
    code: string;
    /** The error, for people. */
    message: string;
    /** The field, parameter or header that caused the error. */
    param?: string;
    /** Everything that is wrong with the request. @x-items ..issues */
    issues?: Issue[];
    /** The region that the id is of. Ask there. */
    region?: string;
    /** The value of the header `X-Request-Id`. Quote it when you report a problem. */
    request_id: string;
    /** Where to find the result of a check that did not finish in time. */
    result?: {
      /** The id of a session check. @x-form uuid */
      internal_session_id?: string;
      /** The id of an event check. @x-form uuid */
      internal_event_id?: string;
      /** The path and query of the look-up. It answers 409 until the result is ready. @x-form path */
      result_url: string;
    };
    /**
     * Where to find the results of a batch that did not finish in time. References are left out.
     * @x-items ..eventsPerBatch
     */
    items?: {
      /** The position in the request, from 0. @x-form index */
      index: number;
      /** The id of the event: yours, or a generated one. */
      event_id: string;
      /** The id to look up the result by. @x-form uuid */
      internal_event_id: string;
    }[];
  };
}
