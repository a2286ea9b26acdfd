// What a LiteLLM proxy asks Weir, and what it does with the answer. The proxy needs no program, only a few lines of configuration
// (docs/litellm.md): use this to see what your policies do to a call before you switch them on.
//
// Run:
//   npx tsx docs/examples/litellm.ts
//
// Prints:
//   request  NONE
//   request  BLOCKED The content violates: Payment data.
//   response BLOCKED The content violates: Contact data in answers.

/** One call of the guardrail. LiteLLM sends the whole conversation; its newest turn is judged. */
async function guardrail(body: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${process.env.WEIR ?? 'http://127.0.0.1:8080'}/beta/litellm_basic_guardrail_api`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': process.env.KEY ?? '' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Weir answered ${response.status}: ${await response.text()}`);
  const { action, blocked_reason = '' } = (await response.json()) as { action: string; blocked_reason?: string };
  console.log(`${String(body.input_type).padEnd(8)} ${action} ${blocked_reason}`.trimEnd());
}

const conversation = [
  { role: 'system', content: 'You are kind.' },
  { role: 'user', content: 'Hello!' },
];
const more = [
  ...conversation,
  { role: 'assistant', content: 'Hi!' },
  { role: 'user', content: 'Charge 4111 1111 1111 1111.' },
];
/** The conversation twice, as LiteLLM sends it: its texts, and its messages with their roles. */
const request = (messages: typeof conversation) => ({
  input_type: 'request',
  texts: messages.map(({ content }) => content),
  structured_messages: messages,
  // Whose call it is, and of which conversation: history and risk are kept by these.
  litellm_trace_id: 'conversation-1',
  request_data: { user_api_key_end_user_id: 'user-1' },
});

await guardrail(request(conversation));
await guardrail(request(more));
await guardrail({
  input_type: 'response',
  texts: ['Write to jane.doe@example.com.'],
  litellm_trace_id: 'conversation-1',
});
