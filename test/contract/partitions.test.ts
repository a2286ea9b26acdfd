import { contract } from './system/suite.ts';

// Two ingress processes share the port, so that what one has accepted is also asked of the other.
contract({ partitions: 4, ingresses: 2, followers: true });
