import { contract } from './system/suite.ts';

contract({ partitions: 1 });
