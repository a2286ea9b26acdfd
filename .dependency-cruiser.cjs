// Holds the lines of ARCHITECTURE.md, "Layout": data flows one way, and the two kinds of process never meet in code.
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'shared-is-a-leaf', severity: 'error', from: { path: '^shared' }, to: { path: '^(ingress|workers|deploy|bench)' } },
    { name: 'ingress-not-workers', severity: 'error', from: { path: '^ingress' }, to: { path: '^(workers|deploy|bench)' } },
    { name: 'workers-not-ingress', severity: 'error', from: { path: '^workers' }, to: { path: '^(ingress|deploy|bench)' } },
    {
      name: 'engine-is-pure',
      severity: 'error',
      from: { path: '^shared/(policy|configuration|pdq)' },
      to: { path: '(ioredis|@clickhouse|uWebSockets|^shared/(streams|history)|^node:(http|net|fs)|^(http|net|fs)$)' },
    },
    {
      // It runs in browsers, too.
      name: 'client-stands-alone',
      severity: 'error',
      from: { path: '^shared/client' },
      to: { pathNot: '^shared/(client|api/(endpoints|errors|limits|types|versions)\\.ts$)' },
    },
    {
      name: 'client-without-node',
      severity: 'error',
      from: { path: '^shared/client' },
      to: { reachable: true, path: '^node:|^(assert|buffer|crypto|fs|http|https|net|os|path|stream|util|worker_threads)$|^node_modules/(?!typia)' },
    },
    {
      // It runs in a browser, and knows the service by its API.
      name: 'console-stands-alone',
      severity: 'error',
      from: { path: '^deploy/console/.*[.]tsx?$' },
      to: { pathNot: '^deploy/console|^shared/api/(appeals|audit|configuration|history|login|operation|responses|try)\\.ts$|^node_modules/preact' },
    },
    { name: 'not-to-tests', severity: 'error', from: { pathNot: '^test' }, to: { path: '^test' } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist' },
  },
};
