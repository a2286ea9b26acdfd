/**
 * Checks before anything is installed: Node, platform and C library must be those that the native parts (the HTTP server,
 * the ClickHouse engine) were made for. Plain JavaScript, because nothing is built yet.
 */

/** Major versions of Node that the HTTP server has binaries for. From 22 on they need a newer glibc. */
const MAJORS = [20, 22, 24, 25];
const OLDEST = [20, 19];

/**
 * @param {{node: string, platform: string, arch: string, glibc?: string}} host  `glibc` is absent on musl
 * @returns {string | undefined} one sentence: what is wrong and what to do; undefined when nothing is wrong
 */
export function unsupported({ node, platform, arch, glibc }) {
  const [major, minor] = node.replace(/^v/, '').split('.').map(Number);
  const advice = 'install Node 20 (20.19 or newer), 22 or 24';
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    return `Weir needs Node 20.19 or newer, but this is Node ${node}: ${advice}.`;
  }
  if (!MAJORS.includes(major)) {
    return `Weir's HTTP server has no binary for Node ${node}: ${advice}.`;
  }
  if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) {
    return `Weir runs on Linux and macOS, on x64 and arm64, but this is ${platform} on ${arch}: on Windows use WSL 2.`;
  }
  if (platform !== 'linux') return undefined;
  if (glibc === undefined) {
    return "Weir's native parts need glibc, but this Linux has another C library (such as Alpine's musl): use a distribution with glibc, such as Debian or Ubuntu.";
  }
  const needed = major >= 22 ? '2.38' : '2.27';
  if (older(glibc, needed)) {
    const orNode = major >= 22 && !older(glibc, '2.27') ? 'use Node 20, or ' : '';
    return `Weir on Node ${major} needs glibc ${needed} or newer, but this system has ${glibc}: ${orNode}use a newer distribution (Ubuntu 24.04 and Debian 13 are new enough).`;
  }
  return undefined;
}

/** Whether version `a` is before `b`, both like `2.36`. */
function older(a, b) {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number));
  return x[0] !== y[0] ? x[0] < y[0] : (x[1] ?? 0) < (y[1] ?? 0);
}

/** This machine, as the argument of `unsupported`. */
export function thisHost() {
  const report = process.platform === 'linux' ? process.report.getReport() : undefined;
  const { header } = typeof report === 'string' ? JSON.parse(report) : (report ?? {});
  return {
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    glibc: header?.glibcVersionRuntime,
  };
}

/**
 * Whether npm installed what the lock file asks for. Packages for other platforms may be missing.
 * @param {{packages?: Record<string, {version?: string, optional?: boolean, link?: boolean}>}} lock
 * @param {{packages?: Record<string, {version?: string}>} | undefined} installed  `node_modules/.package-lock.json`
 */
export function isInstalled(lock, installed) {
  if (installed?.packages === undefined) return false;
  return Object.entries(lock.packages ?? {}).every(([path, wanted]) => {
    if (path === '' || wanted.link) return true;
    const present = installed.packages[path];
    return present === undefined ? wanted.optional === true : present.version === wanted.version;
  });
}
