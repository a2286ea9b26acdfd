// Checks image files, one after the other. The sample configuration has no policy for images; that of policy/weir.yaml has one.
//
// Run:
//   npx weir apply docs/examples/policy/weir.yaml > /dev/null
//   npx tsx docs/examples/images.ts docs/examples/pixel.png docs/examples/README.md
//
// Prints:
//   docs/examples/pixel.png: flagged, Tracking pixels
//   docs/examples/README.md: failed, The content is not an image: expected JPEG, PNG, WebP or GIF.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ArtifactResult, createClient, unwrap } from '@weir/client';

const weir = createClient({ url: process.env.WEIR ?? 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' });

/** The verdict on an image. Its check may take longer than its request; then it is asked for. */
async function check(path: string): Promise<ArtifactResult> {
  const content = { kind: 'image' as const, data: (await readFile(path)).toString('base64'), name: path };
  let result = unwrap(await weir.checkArtifact({ content }, { policies: 'flagged' }));
  while (result.status === 'processing') {
    await sleep(1000);
    const { internal_artifact_id } = result;
    result = unwrap(await weir.getArtifact({ internal_artifact_id }, { policies: 'flagged' }));
  }
  return result;
}

for (const path of process.argv.slice(2)) {
  const { status, flagged, policies, note } = await check(path);
  const names = Object.values(policies).map(({ name }) => name);
  // An image that could not be looked at has no verdict: it is not clean.
  const verdict = status === 'failed' ? `failed, ${note}` : flagged ? `flagged, ${names.join(', ')}` : 'clean';
  console.log(`${path}: ${verdict}`);
}
