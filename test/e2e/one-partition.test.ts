import { contract } from './contract.ts';

contract({ partitions: 1 });
