/** What examples of several endpoints have in common: ids of the sample configuration, and of what the examples send. */
export const SAMPLE = {
  environment: 'prod',
  deployment: 'chat',
  run: 'run-7',
  event: 't1',
  session: 'chat-42',
  artifact: 'upload-9',
  email: 'jane.doe@example.com',
  internalEvent: '01a1fdb6-e2e1-7c56-a841-e2a473ff0001',
  internalArtifact: '01a1fdb6-e329-7b0c-93d5-20f7a1c10001',
  internalSession: '01a1fdb6-e315-7ea2-adac-06dcdc390001',
  erasure: '01a1fdb6-e3a0-7c11-8e52-6b0d9f3a0000',
  export: '5f0f4c1e-6c1b-4c55-9f6e-3b1f0c6c9a10',
} as const;

export const PAYMENT = '968f3ebc-6b8e-4e47-a25a-e876f371968c';
export const CONTACT = '8bd13559-1d27-4610-a76c-b4d68820c82e';
export const COMMANDS = 'ae910db4-916b-454f-b889-9294ee892a06';
export const CREATED = '2026-11-21T10:46:23.713Z';
export const UPDATED = '2026-11-21T10:46:23.717Z';
