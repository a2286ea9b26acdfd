export function mayShare(source: string): boolean;
export function processesOf(files: readonly string[], read: (file: string) => string): string[][];
