import type { TermForm } from '../../../engine/probes/terms/lexicon.js';
import type { PolicySeverity } from '../../../types.js';

/** Roots and phrases, parted by commas, by severity and by the form in which they count. */
export type BundleWords = Readonly<Partial<Record<PolicySeverity, Readonly<Partial<Record<TermForm, string>>>>>>;
