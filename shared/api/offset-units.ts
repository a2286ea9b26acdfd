/** What offsets of evidence may count: units of strings of JavaScript, code points as Python has them, bytes of UTF-8. */
export const OFFSET_UNITS = ['utf16', 'codepoints', 'bytes'] as const;
export type OffsetUnit = (typeof OFFSET_UNITS)[number];
