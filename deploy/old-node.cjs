/**
 * Loaded before anything else (node -r), in words that Nodes of ten years ago understand: they cannot read bootstrap.mjs, and would
 * complain of its syntax instead of saying what they are. What is newer is judged by preflight.mjs.
 */
const version = process.versions.node;
if (Number(version.split('.')[0]) < 18) {
  process.stderr.write(
    `Weir needs Node 20.19 or newer, but this is Node ${version}: install Node 20 (20.19 or newer), 22 or 24.\n`,
  );
  process.exit(1);
}
