/**
 * Loaded before anything else (node -r), in syntax that very old versions of Node can read. They cannot read
 * bootstrap.mjs, and would report a syntax error instead of their version. preflight.mjs checks newer versions.
 */
const version = process.versions.node;
if (Number(version.split('.')[0]) < 18) {
  process.stderr.write(
    `Weir needs Node 20.19 or newer, but this is Node ${version}: install Node 20 (20.19 or newer), 22 or 24.\n`,
  );
  process.exit(1);
}
