/** Kinds of parts of a message, and where each has what it is about. */
import type { ContentPart } from '../../api/types.js';

/** Types of parts that are text. */
export const TEXT_PARTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text', 'refusal']);

/** Types of parts that hold a tool call, the result of one, reasoning, a source, or a document in text. */
export const CALL_PARTS: ReadonlySet<string> = new Set(
  (
    'tool_use tool_result tool_call function_call function_call_output tool-call tool-result server_tool_use ' +
    'web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result ' +
    'text_editor_code_execution_tool_result mcp_tool_use mcp_tool_result thinking redacted_thinking reasoning ' +
    'search_result document custom_tool_call custom_tool_call_output mcp_call invalid_tool_call tool-invocation ' +
    'tool-error tool_reference tool_search_tool_result executable_code code_execution_result reasoning_content ' +
    'reasoning_text summary_text reference source source-url source-document step-start non_standard'
  ).split(' '),
);

/** The member of a text part that has its text. */
export function textMember({ type, refusal }: ContentPart): 'text' | 'refusal' {
  return type === 'refusal' && refusal != null ? 'refusal' : 'text';
}

/** Text of a text part. A refusal part has it in `refusal`. */
export const textOfPart = (part: ContentPart): string | undefined => part[textMember(part)] ?? undefined;

/** The fields of an image (2.6). */
export const IMAGE_FIELDS: ReadonlySet<string> = new Set(['kind', 'url', 'data', 'mime_type', 'name']);

/**
 * The member of an artifact part that has its image: `content`, or `artifact`. Undefined: the part has the fields of the image itself,
 * or no image.
 */
export function imageMember(part: ContentPart): 'content' | 'artifact' | undefined {
  if (part.content != null) return 'content';
  return part.artifact == null ? undefined : 'artifact';
}

/** What an artifact part says of its image, of any shape. */
export function imageOfPart(part: ContentPart): unknown {
  const member = imageMember(part);
  return member === undefined ? part : part[member];
}
