/**
 * What the people, agents and tools of a workload say. Words in braces are filled from the lists below. Nothing here may
 * look like what a policy searches for, such as long runs of digits or addresses: `sensitive.ts` adds what is to be flagged.
 */
import type { Random } from './random.js';

const WORDS: Record<string, readonly string[]> = {
  product: ['desk lamp', 'rain jacket', 'espresso machine', 'trail bike', 'office chair', 'tent', 'router', 'headset'],
  city: ['Lisbon', 'Oslo', 'Graz', 'Leeds', 'Nantes', 'Turin', 'Gdansk', 'Malmo', 'Porto', 'Bergen'],
  day: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'the weekend', 'the end of the month'],
  name: ['Ines', 'Tomas', 'Aiko', 'Farid', 'Greta', 'Nuno', 'Selma', 'Pavel', 'Rosa', 'Emeka'],
  team: ['billing', 'logistics', 'returns', 'warehouse', 'accounts', 'field service'],
  tool: ['order search', 'stock lookup', 'route planner', 'refund form', 'ticket board', 'price list'],
  service: ['checkout', 'search index', 'mail queue', 'reporting job', 'login page', 'inventory sync'],
};

const SENTENCES = {
  user: [
    'I ordered a {product} two weeks ago and it still has not arrived in {city}.',
    'Could you tell me whether the {product} is in stock before {day}?',
    'The invoice lists the {product} twice, but I only received one of them.',
    'My colleague {name} said that the {team} team could help with this.',
    'Please move the delivery to {day}, nobody is at home before that.',
    'Is there a way to return the {product} without the original box?',
    'The {service} has been slow since {day} and I would like to know why.',
    'Summarise what we agreed on so far and list what is still open.',
    'Write a short note to {name} that explains the delay in plain words.',
    'Compare the three offers for the {product} and recommend one, with reasons.',
    'I changed my mind about the colour, the darker one is better for the office in {city}.',
    'What happens to my warranty if the {team} team replaces the {product}?',
  ],
  assistant: [
    'I looked at the order and the {product} left the warehouse in {city} this morning.',
    'The {team} team confirmed that a replacement will be sent before {day}.',
    'I have opened a request for you and added the details that {name} gave me.',
    'There are two ways to go on, and the first one is quicker but costs a little more.',
    'Our stock in {city} is low at the moment, but the next delivery is due on {day}.',
    'I could not find a second charge, so the line on the invoice seems to be a display error.',
    'If you keep the {product}, we can offer a partial refund instead of a return.',
    'Here is a summary: the order is complete, the refund is pending, and {name} will follow up.',
    'The {service} was restarted and its response times are back to normal since then.',
    'Let me check the {tool} first, that takes only a moment.',
    'You do not need the original packaging as long as the {product} is well protected.',
  ],
  reasoning: [
    'The user wants the delivery moved, so the order must be found before anything is promised.',
    'The {tool} returned more than one match, therefore the city {city} should narrow it down.',
    'A refund needs approval from the {team} team, and asking {name} is the shortest way.',
    'Two constraints conflict here: delivery before {day} and the low stock in {city}.',
    'Nothing in the earlier messages says that the {product} was opened, so a return is possible.',
    'The {service} log shows a gap, which explains the missing confirmation but not the delay.',
    'It is safer to ask one question now than to undo the change to the {product} later.',
    'The plan has three steps, and the second can run while the first is waiting.',
  ],
  output: [
    'Found the {product} in {city}, shelf count updated by {name}.',
    'Route recalculated, next stop {city}, expected on {day}.',
    'No open tickets for the {team} team match this order.',
    'The {service} answered with a warning but completed the task.',
    'Price list refreshed, the {product} is unchanged.',
    'Refund form saved as a draft and assigned to {name}.',
  ],
} as const;

export type Voice = keyof typeof SENTENCES;
export const TOOLS = ['find_order', 'check_stock', 'plan_route', 'open_ticket', 'refund', 'read_page', 'run_query'];

function fill(sentence: string, random: Random): string {
  return sentence.replaceAll(/\{(\w+)\}/g, (_, list: string) => random.pick(WORDS[list]!));
}

/** Sentences in the given voice, about `length` characters: at least one, and at most half a sentence more. */
export function speak(voice: Voice, length: number, random: Random): string {
  let text = fill(random.pick(SENTENCES[voice]), random);
  for (;;) {
    const sentence = fill(random.pick(SENTENCES[voice]), random);
    if (text.length + sentence.length / 2 > length) return text;
    text += ` ${sentence}`;
  }
}

/** Arguments of a tool call: an object of about `length` characters of JSON. */
export function toolArguments(length: number, random: Random): Record<string, unknown> {
  return {
    order: `A-${random.between(1000, 9999)}`,
    city: random.pick(WORDS.city!),
    limit: random.between(1, 50),
    include_closed: random.next() < 0.5,
    tags: [random.pick(WORDS.team!), random.pick(WORDS.product!)],
    query: speak('user', Math.max(20, length - 120), random),
  };
}

/** State of an agent between two steps: an object of about `length` characters of JSON. */
export function agentState(length: number, random: Random): Record<string, unknown> {
  return {
    step: random.between(1, 12),
    goal: `Resolve the request about the ${random.pick(WORDS.product!)}`,
    owner: random.pick(WORDS.name!),
    pending: [random.pick(WORDS.tool!), random.pick(WORDS.tool!)],
    notes: speak('reasoning', Math.max(20, length - 150), random),
  };
}

/** Metadata of an event: which user, on which plan, by which model. */
export function eventMetadata(random: Random): Record<string, unknown> {
  return {
    user: { id: `u-${random.between(100, 999)}`, tier: random.pick(['free', 'trial', 'pro', 'team']) },
    model: random.pick(['small-1', 'large-2']),
  };
}
