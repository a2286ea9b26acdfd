/** The labels of the models that Weir ships, in the order of their lanes. */
export const SHIPPED_LABELS = ['toxicity', 'hate', 'sexism', 'sexual', 'violence', 'self_harm', 'injection'] as const;
export type ShippedLabel = (typeof SHIPPED_LABELS)[number];
