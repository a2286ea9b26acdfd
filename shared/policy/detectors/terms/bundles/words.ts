import type { Form } from '../../../engine/probes/terms/lexicon.js';
import type { Severity } from '../../../types.js';

/** Roots and phrases, parted by commas, by severity and by the form in which they count. */
export type BundleWords = Readonly<Partial<Record<Severity, Readonly<Partial<Record<Form, string>>>>>>;
