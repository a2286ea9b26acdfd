/**
 * Finds that are acronyms: three capitals among small letters are a name (FCK, JAP, ASS) more often than a word. What is said before or
 * behind tells a word that is shouted.
 */
import type { Find, SentPlace } from '../../engine/probes/probe.js';

/** Characters on either side of a find that are read. */
const AROUND = 48;
const CAPITALS = /^[A-Z]{3}$/;
/** Abbreviations that are written in capitals for what the bundles mean by them. */
const MEANT = new Set(['WTF', 'FML', 'KYS', 'KKK', 'LSD', 'DMT', 'GHB', 'PCP', 'BBW', 'XXX']);
/** Abbreviations that are no words: what stands before or behind tells nothing of them. */
const ABBREVIATIONS = new Set(['FFS', 'JFC', 'PRN', 'FAP', 'AMK', 'GVD', 'HDP', 'PQP', 'TNC', 'VSF', 'FDP', 'NTM']);
/** Before a word for a person or a part of the body, perhaps with one word between. */
const BEFORE =
  /(?:^|[^\p{L}'])(?:you|your|you'?re|ur|u|my|his|her|their|this|that|an?|such|fuck(?:ing|in|en)|bloody|damn|stupid|dumb|dirty|filthy|ugly|fat|lazy|old|what the|the actual)\s+(?:\p{L}+\s+)?$/iu;
const BEHIND = /^(?:\s+(?:you|u|off|this|that|it|him|her|me|them|your|my|hole|wipe|hat)(?!\p{L})|\s*[!?]{2})/iu;
/** Codes of countries, beside which JAP is one. */
const COUNTRY =
  /(?:^|[^\p{L}])(?:GER|FRA|USA|GBR|CHN|KOR|ITA|BRA|ESP|SWE|NED|RUS|AUS|CAN|ENG|IND|MEX|EUR|UK|US|EU)(?!\p{L})/u;

/** Whether what stands there is an acronym. */
export function isAcronym({ view }: Find, { sent, start, end }: SentPlace): boolean {
  if (view !== 'folded' || end - start !== 3) return false;
  const piece = sent.slice(start, end);
  if (!CAPITALS.test(piece) || MEANT.has(piece)) return false;
  const before = sent.slice(Math.max(0, start - AROUND), start);
  const behind = sent.slice(end, end + AROUND);
  if (piece === 'JAP' && (COUNTRY.test(before) || COUNTRY.test(behind))) return true;
  if (!isMostlySmall(before + behind)) return false;
  return ABBREVIATIONS.has(piece) || !(BEFORE.test(before) || BEHIND.test(behind));
}

const isMostlySmall = (text: string): boolean => lettersOf(text, /\p{Ll}/gu) > lettersOf(text, /\p{Lu}/gu);
const lettersOf = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0;
