export interface Host {
  node: string;
  platform: string;
  arch: string;
  glibc?: string;
}
export function unsupported(host: Host): string | undefined;
export function thisHost(): Host;
export function isInstalled(
  lock: { packages?: Record<string, { version?: string; optional?: boolean; link?: boolean }> },
  installed: { packages?: Record<string, { version?: string }> } | undefined,
): boolean;
