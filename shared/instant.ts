/** Times that people write. `Date.parse` takes days and hours that there are not, and counts on from there. */

/** Unix ms; NaN: it is none. As `Date.parse` of a text that begins with a date, and a leap second in UTC is the second after it. */
export function parseInstant(text: string): number {
  const [, year, month, day, hour] = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d))?/i.exec(text) ?? [];
  if (year === undefined || hour === '24') return Number.NaN;
  if (Number(day) > daysIn(Number(year), Number(month))) return Number.NaN;
  const leap = /t23:59:60(\.\d+)?z$/i.exec(text);
  return leap ? Date.parse(`${text.slice(0, leap.index)}T23:59:59Z`) + 1000 : Date.parse(text);
}

const SHORT = [4, 6, 9, 11];

function daysIn(year: number, month: number): number {
  if (month !== 2) return SHORT.includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
