/** What callers send, in words. */
import { LIMITS } from '../limits.js';
import type { EventReference } from '../types.js';
import { type Described, type Fields, id, name, type Refined, type RequestName, uuid } from './forms.js';

const KIB = 1024;

/** A field that may be checked: text, or JSON whose keys, strings and numbers are checked. */
const checkable = (about: string): Refined<unknown> => ({
  about: `${about} A string, or an object or array whose keys, strings and numbers (as written) are checked in order. At most ${LIMITS.contentBytes / KIB} KiB of UTF-8 (of compact JSON).`,
  schema: {
    oneOf: [
      { type: 'string', maxLength: LIMITS.contentBytes },
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
      { type: 'null' },
    ],
  },
});

const metadataText = `At most ${LIMITS.metadataBytes / KIB} KiB of compact JSON.`;
const ENVIRONMENT = 'Environment whose conditions select the policies.';
const CONVERSATION = 'Id of your own for the conversation that this belongs to; its earlier texts are the context.';

const reference: Fields<EventReference> = {
  event_id: id('Your id of the event. Exactly one of `event_id` and `internal_event_id` is expected.'),
  run_id: id("Run of `event_id`, when it is not the event's own."),
  internal_event_id: uuid('Internal id of the event, from an earlier answer.'),
};

export const REQUEST_FIELDS: Described<RequestName> = {
  EventRequest: {
    about: 'One event to check.',
    fields: {
      event: 'The event.',
      environment_id: { about: `${ENVIRONMENT} Required here or in the event; both must agree.`, minLength: 1 },
      run_id: id('Run of the event. Here or in the event; both must agree.'),
      external_session_id: name(`${CONVERSATION} Here or in the event; both must agree.`),
    },
  },
  EventsRequest: {
    about: 'A batch of events. What stands at the top is the default of every event.',
    fields: {
      events: {
        about: 'The events, in order. An event may refer to an earlier one.',
        minItems: 1,
        maxItems: LIMITS.eventsPerBatch,
      },
      environment_id: { about: `${ENVIRONMENT} Required here or in an event; one for the whole batch.`, minLength: 1 },
      run_id: id('Run of the events that name none. When no run is named anywhere, one is generated for the batch.'),
      external_session_id: name(CONVERSATION),
    },
  },
  EventInput: {
    about: [
      'One step of an interaction with a model. `type` decides which one field is checked: `message`, `reasoning` and',
      '`artifact`: `content`; `tool` and `function`: `arguments`, `output` or `definition`; `agent`: `input`, `instructions`, `output`',
      'or `state`. At most one of them may be present. An event without any is a reference: it needs `event_id` and a',
      'run, may carry known fields only, and is answered with the latest stored result of these ids and this type.',
    ].join(' '),
    fields: {
      type: 'Kind of event.',
      event_id: id('Your id of the event; generated when absent. Sending it twice makes two results.'),
      run_id: id('Your id of a group of related events; generated when absent everywhere.'),
      environment_id: { about: `${ENVIRONMENT} The same everywhere in one request.`, minLength: 1 },
      metadata: `Facts about the event that conditions look at; stored with the result. ${metadataText}`,
      external_session_id: name(CONVERSATION),
      external_artifact_id: name('Your id of the image, on artifact events. Stored.'),
      name: name('Name of the tool, function or agent. Conditions see it as `event.name`.'),
      call_id: name('Your id of the call. Stored.'),
      format: name('Format of the field that is checked. Stored.'),
      role: 'Who wrote a message; required on `message` events with content. `user` is input, `assistant` is output.',
      parent: 'The event that this one is a part of. One that does not exist is kept as unresolved, never an error.',
      links: {
        about: `Events that this one follows from. At most ${LIMITS.declarationsPerBatch} parents and links in a batch.`,
        maxItems: LIMITS.linksPerEvent,
      },
      content: checkable('Text of a `message` or of `reasoning`; of an `artifact`, an image as in `ArtifactContent`.'),
      arguments: checkable('Arguments of a call, on `tool` and `function` events.'),
      output: checkable('What a `tool`, `function` or `agent` returned.'),
      definition: checkable('How a `tool` or `function` is declared.'),
      input: checkable('What an `agent` was asked.'),
      instructions: checkable('What an `agent` was told to do.'),
      state: checkable('State of an `agent`.'),
    },
  },
  EventReference: { about: 'Names another event, by your ids or by its internal id.', fields: reference },
  EventLink: {
    about: 'Names another event, and what it has to do with this one.',
    fields: {
      ...reference,
      relation: {
        about: 'What the other event is to this one; `caused_by` when absent.',
        maxLength: LIMITS.relationCharacters,
      },
    },
  },
  SessionRequest: {
    about: 'A chat whose last message is checked. The earlier messages are its context.',
    fields: {
      messages: { about: 'The messages, oldest first.', minItems: 1, maxItems: LIMITS.messages },
      deployment_id: {
        about: 'Deployment to check against; the default one of the API key when absent.',
        minLength: 1,
      },
      external_session_id: name('Id of your own for the chat. Checks that share it share their context.'),
      include_context: 'Whether messages of earlier checks are merged in. Default: true with `external_session_id`.',
      metadata: `Facts about the chat; stored. ${metadataText}`,
      policies: {
        about:
          'Only these policies of the deployment are evaluated; all of them when absent. `note` says where some of them do not apply.',
        minItems: 1,
        maxItems: LIMITS.policyIds,
      },
      policy_ids: {
        about: 'Another name of `policies`; not together with it.',
        minItems: 1,
        maxItems: LIMITS.policyIds,
      },
    },
  },
  MessageInput: {
    about: 'A message of a chat.',
    fields: {
      role: {
        about:
          'Who wrote it. `assistant` is checked as output, all others as input. A postfix after a hyphen is dropped: `assistant-2` is `assistant`.',
        pattern: '^(system|user|assistant|tool|developer)(-.*)?$',
      },
      content: `The text, or its parts. At most ${LIMITS.messageTextBytes / KIB / KIB} MiB of UTF-8 text in a message. Of an \`assistant\` it may be null or absent beside \`tool_calls\`, \`function_call\`, \`refusal\` or its thoughts.`,
      tool_calls:
        'Calls of tools that a model made, as it gave them. Their names and arguments are part of the text; arguments in JSON are checked as they stand and as what they say.',
      function_call: 'The same for a single call, as older models give it.',
      refusal: 'Text in which a model refuses; part of the text.',
      reasoning_content: 'What a model thinks; part of the text, as the members of other names for it are.',
      reasoning: 'The same.',
      reasoning_details: 'The same.',
      thinking: 'The same.',
      thinking_blocks: 'The same.',
      audio: 'What a model says aloud: its `transcript` is part of the text.',
      parts: 'Content in the shape of a library for pages; part of the text.',
      metadata: `Facts about the message, such as \`message.id\`, \`user.id\` and \`user.email\`; stored. ${metadataText}`,
    },
  },
  ContentPart: {
    about: 'A part of a message: text or an image. At most 16 images are taken in the last message.',
    fields: {
      type: {
        about:
          '`text`, with its other names `input_text` and `output_text`, or `refusal`; `artifact` is an image; `tool_use`, `tool_result`, `thinking`, `reasoning` and the like are read as calls of tools are. Any other is refused in the last message, and skipped in earlier ones.',
        type: 'string',
      },
      text: 'The text; required on a text part.',
      refusal: 'The text of a part of type `refusal`.',
      content: {
        about: 'The image; required on an artifact part, not used on text parts.',
        schema: { oneOf: [{ $ref: '#/components/schemas/ArtifactContent' }, { type: 'null' }] },
      },
      external_artifact_id: name('Your id of the image, on artifact parts. Not used on text parts.'),
    },
  },
  ArtifactContent: {
    about: 'An image. Exactly one of `url` and `data` is expected.',
    fields: {
      kind: 'Kind of artifact.',
      url: {
        about: 'Where the image is fetched from: http or https, at a public address.',
        format: 'uri',
        maxLength: LIMITS.urlCharacters,
      },
      data: {
        about: `The image in base64, or as a data URI; at most ${LIMITS.imageBytes / KIB / KIB} MiB of it. In an event at most ${LIMITS.contentBytes / KIB} KiB as sent.`,
        maxLength: LIMITS.imageDataCharacters,
      },
      mime_type: name('Media type; may be left out. What the bytes are decides: JPEG, PNG, WebP or GIF.'),
      name: name('Name of the image, for people. Stored.'),
    },
  },
  ArtifactRequest: {
    about: 'An image to check by itself.',
    fields: {
      content: 'The image.',
      external_artifact_id: name('Your id of the image, to look the result up by. Sending it twice makes two results.'),
      role: {
        about:
          'Who sent the image; default `user`. `assistant` is checked as output, all others as input. A postfix after a hyphen is dropped.',
        pattern: '^(system|user|assistant|tool|developer)(-.*)?$',
      },
      deployment_id: {
        about: 'Deployment to check against; the default one of the API key when absent.',
        minLength: 1,
      },
      internal_session_id: uuid('Session check that the image belongs to; not together with `external_session_id`.'),
      external_session_id: name('Your id of the chat that the image belongs to; the chat may be checked later.'),
      policies: {
        about:
          'Only these policies of the deployment are evaluated; all of them when absent. `note` says where some of them do not apply.',
        minItems: 1,
        maxItems: LIMITS.policyIds,
      },
      policy_ids: {
        about: 'Another name of `policies`; not together with it.',
        minItems: 1,
        maxItems: LIMITS.policyIds,
      },
      metadata: `Facts about the image; stored. ${metadataText}`,
    },
  },
  GuardrailRequest: {
    about: 'What an LLM gateway is about to send to a model, or has received from one. Other fields are ignored.',
    fields: {
      texts: 'Texts; every one of them is checked.',
      images: {
        about: 'Images, as addresses, data URIs or base64; every one of them is checked.',
        maxItems: LIMITS.artifactParts,
      },
      tool_calls: 'Calls of tools that a model makes; their names and arguments are checked.',
      tools: 'Tools that a model is offered; names, descriptions and parameters are checked.',
      structured_messages:
        'The messages that the others were taken from; checked where there are no texts, images, tools and calls.',
      input_type: '`request`: input of the model (default). `response`: its output.',
      litellm_call_id: "The gateway's id of the call; kept with the check as metadata.",
      litellm_trace_id: "The gateway's id of the conversation; kept with the check as metadata.",
    },
  },
};
