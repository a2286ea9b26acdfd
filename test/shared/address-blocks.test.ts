import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blockOf, contains, edgesOf, isWithin } from '#weir/shared/address-blocks';

const within = (address: string, ...blocks: string[]): boolean =>
  isWithin(
    address,
    blocks.map((one) => blockOf(one)!),
  );

it('has the addresses of a block, as connections write them, and no others', () => {
  for (const [address, block, expected] of [
    ['10.2.3.4', '10.2.0.0/16', true],
    ['10.3.0.0', '10.2.0.0/16', false],
    ['10.2.255.255', '10.2.0.0/15', true],
    ['10.4.0.0', '10.2.0.0/15', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.8', '192.0.2.7', false],
    ['8.8.8.8', '0.0.0.0/0', true],
    ['::1', '0.0.0.0/0', false],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::/32', true],
    ['2001:0db9:0000:0000:0000:0000:0000:0001', '2001:db8::/32', false],
    ['0000:0000:0000:0000:0000:0000:0000:0001', '::1', true],
    ['10.2.3.4', '::/0', false],
    ['', '0.0.0.0/0', false],
    ['10.2.3', '0.0.0.0/0', false],
    ['10.2.3.4, 10.2.3.5', '0.0.0.0/0', false],
  ] as const) {
    assert.equal(within(address, block), expected, `${address} in ${block}`);
  }
  assert.equal(within('10.2.3.4', '192.0.2.7', '10.2.0.0/16'), true);
  assert.equal(within('10.2.3.4'), false);
});

it('takes a block by its first address alone', () => {
  for (const wrong of [
    '10.2.0.1/16',
    '10.2.0.0/33',
    '10.2.0.0/',
    '10.2.0.0/-1',
    '10.2.0',
    '010.2.0.0',
    '0x0a.2.0.0',
    '167772160',
    '2001:db8::1/32',
    '2001:db8::/129',
    '::ffff:10.2.0.0/112',
    '::ffff:a02:0/112',
    'fe80::1%eth0',
    'localhost',
    '',
    ' 10.2.0.0',
  ]) {
    assert.equal(blockOf(wrong), undefined, wrong);
  }
});

it('tells which block is within another, and where one begins and ends', () => {
  const [wide, narrow, other] = ['10.2.0.0/15', '10.3.0.0/16', '10.4.0.0/16'].map((one) => blockOf(one)!);
  assert.deepEqual(
    [contains(wide!, narrow!), contains(narrow!, wide!), contains(wide!, other!), contains(wide!, wide!)],
    [true, false, false, true],
  );
  assert.equal(contains(blockOf('::/0')!, blockOf('0.0.0.0/0')!), false);
  assert.deepEqual(edgesOf(wide!), ['10.2.0.0', '10.3.255.255']);
  assert.deepEqual(edgesOf(blockOf('2001:db8::/32')!), ['[2001:db8::]', '[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]']);
});
