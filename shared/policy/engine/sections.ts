/**
 * Sections of a long text. Each is scanned by itself, together with what stands around it, so that others have their turn between two. A
 * find is of the section that it starts in. What it depends on, and what it spans, lies within the surroundings: a find of a greater reach
 * is not seen.
 */

/** All in UTF-16 units. */
export interface SectionSizes {
  /** texts up to this length are scanned at once */
  longest: number;
  /** of a section */
  section: number;
  /** what is scanned before it, and behind it */
  before: number;
  behind: number;
}

/**
 * Before: a manifest of Kubernetes says up to 8,000 units behind its kind that a value is a secret. Behind: the longest credentials have
 * 20,000 units.
 */
export const SECTIONS: SectionSizes = { longest: 256 * 1024, section: 64 * 1024, before: 8 * 1024, behind: 24 * 1024 };

export interface Section {
  /** where it begins and ends */
  first: number;
  end: number;
  /** what is scanned */
  from: number;
  to: number;
}

/** `from`: what ends before is not looked for, so finds start in reach of it. */
export function sectionsOf(text: string, from: number, { section, before, behind }: SectionSizes): Section[] {
  const sections: Section[] = [];
  let first = cutAt(text, Math.max(0, from - behind));
  while (first < text.length) {
    // A short rest belongs to the last one.
    const isLast = text.length - first <= section + behind;
    const end = isLast ? text.length : cutNear(text, first + section);
    sections.push({
      first,
      end,
      from: cutAt(text, Math.max(0, first - before)),
      to: cutAt(text, Math.min(text.length, end + behind)),
    });
    first = end;
  }
  return sections;
}

/** White space is looked for so far before a cut. */
const NEAR = 512;
/** Combining marks that a cut is kept from; no language has more on a letter. */
const MOST_MARKS = 64;
const MARK = /^[\p{M}\u200c\u200d]/u;

/** Behind white space before `at`, or the nearest place where a text may be cut. */
function cutNear(text: string, at: number): number {
  for (let i = at; i > at - NEAR; i--) if (text.charCodeAt(i - 1) <= 32) return cutAt(text, i);
  return cutAt(text, at);
}

/** Before `at`, where that is within a surrogate pair, or between a character and its marks. */
function cutAt(text: string, at: number): number {
  let cut = wholeAt(text, at);
  for (let marks = 0; cut > 0 && marks < MOST_MARKS && MARK.test(text.slice(cut, cut + 2)); marks++) {
    cut = wholeAt(text, cut - 1);
  }
  return cut;
}

/** Not between the halves of a character. */
const wholeAt = (text: string, at: number): number =>
  isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1)) ? at - 1 : at;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
