/** What stands right before a number and says that it is of something else than a telephone, or the rest of one. */
import { isDigit, unitAt } from '../../engine/probes/characters.js';

/** "docket number": what a number is of. */
const NUMBER_OF = /([a-z]+)[ _-](?:number|num|no|nr)\b[\s.:#=-]{0,3}(?:(?:is|was)[\s:]{1,2})?["']?$/;
/** `phoneModelId`, `phone_count`: a key of something about a telephone. */
const KEY_OF =
  /(?:[a-z](?:Ids?|ID|Count|Model|Hash|Index|Version|Time)|_(?:ids?|count|model|hash|index|version|len|size|time|ts))["']{0,2}\s{0,2}[=:]\s{0,2}["']?$/;
/** "scores 210 345 6789": what a list of numbers is of. */
const MEASURED =
  /(?<![a-z])(?:scores?|rgba?|hsl|sizes?|values|dimensions?|latenc(?:y|ies)|box|bbox|ratios?|weights?|coordinates?|coords|counts?|years|integers|timings?|durations?|readings|measurements?|prices|columns?|rows?|steps?|offsets?|ranges?|pixels|resolutions?|temperatures?|samples?|intervals?|totals?|frequenc(?:y|ies)|wavelengths?)[\s:=([]{1,3}$/i;
/** Words before "number" that leave it a telephone number. */
const DIALLED = new Set(
  (
    'phone telephone tel mobile cell cellphone cellular fax contact home work office direct main toll free tollfree service support hotline emergency ' +
    'helpline local new old personal private business my his her its your our their the this that a an any day daytime evening night landline ' +
    'whatsapp viber signal telegram sms text call callback back calling dial ring reach smartphone handy desk pager extension alternate alternative alt ' +
    'primary secondary other another second first same correct right wrong following national international us uk uae company shop store hotel switchboard ' +
    'reception mob ph hp tlf gsm cel celular movil telefon telefoon telefono telefone mobil fon portable natel current registered valid working real best good safe'
  ).split(' '),
);

/** Whether `near`, which ends where a number begins, says so. */
export function isOfSomething(near: string): boolean {
  const kind = NUMBER_OF.exec(near.toLowerCase())?.[1] ?? '';
  return (kind.length > 1 && !DIALLED.has(kind)) || KEY_OF.test(near) || MEASURED.test(near);
}

/** Whether the code of a country and up to two separators stand before `at`. */
export function followsCode(text: string, at: number): boolean {
  let before = at - 1;
  while (at - before <= 2 && isBetweenCode(unitAt(text, before))) before--;
  if (!isDigit(unitAt(text, before))) return false;
  const from = Math.max(0, at - 8);
  for (let i = before; i >= from; i--) {
    if (unitAt(text, i) === 43) return /\+\d{1,4}[ .()-]{1,2}$/.test(text.slice(from, at));
  }
  return false;
}

const isBetweenCode = (unit: number): boolean =>
  unit === 32 || unit === 45 || unit === 46 || unit === 40 || unit === 41;
