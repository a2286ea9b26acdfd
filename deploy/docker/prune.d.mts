export const TARGETS: Readonly<Record<'ingress' | 'worker' | 'all', { programs: string[]; without: string[] }>>;
export function reachOf(root: string, program: string): { files: string[]; specifiers: string[] };
export function packageOf(specifier: string): string;
export function filesOf(
  targets: readonly string[],
  options: { root: string; platform?: string; arch?: string; abi?: string },
): string[];
export function copyFiles(files: readonly string[], root: string, folder: string): number;
