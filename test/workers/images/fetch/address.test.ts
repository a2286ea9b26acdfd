import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLocalName, isPublicAddress } from '#weir/shared/addresses';
import { AllowListError, destinationOf, literalOf, parseAllowList } from '#weir/workers/images/fetch/address';

const FORBIDDEN: Record<string, string[]> = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  'link-local': ['169.254.1.1', 'fe80::1', 'febf::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255', '192.0.0.8'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  documentation: ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  metadata: ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'],
  mapped: ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::ffff:0:127.0.0.1'],
  compatible: ['::127.0.0.1', '::8.8.8.8'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1', '192.88.99.1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b:1::8.8.8.8', '64:ff9b:1:ffff::1'],
  'outside of global unicast': ['100::1', '5f00::1', '4000::1', 'fe00::1'],
  'with a zone': ['fe80::1%eth0', '2606:4700::1%1'],
  'no address': ['', 'example.com', '1.2.3.4.5', '[::1]', '300.1.1.1'],
};

describe('public addresses', () => {
  for (const [kind, addresses] of Object.entries(FORBIDDEN)) {
    it(`refuses addresses that are ${kind}`, () => {
      for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
    });
  }

  it('accepts public unicast, also in NAT64 and mapped form', () => {
    const accepted = [
      ...[
        '8.8.8.8',
        '1.1.1.1',
        '172.15.0.1',
        '172.32.0.1',
        '100.63.255.255',
        '100.128.0.1',
        '192.0.1.1',
        '223.255.255.1',
      ],
      ...['2606:4700:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2003::1'],
    ];
    for (const address of accepted) assert.equal(isPublicAddress(address), true, address);
  });

  it('recognises the loopback address in every notation that a URL accepts', () => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '0x7f000001',
      '2130706433',
      '017700000001',
      '127.0.0.1.',
      '0177.0.0.0x1',
    ];
    for (const host of [...hosts, '１２７.0.0.1', '%31%32%37.0.0.1']) {
      assert.deepEqual(literalOf(new URL(`http://${host}/`)), { address: '127.0.0.1', family: 4 }, host);
    }
    assert.deepEqual(literalOf(new URL('http://0/')), { address: '0.0.0.0', family: 4 });
    for (const host of ['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]']) {
      const literal = literalOf(new URL(`http://${host}/`));
      assert.equal(literal?.family, 6, host);
      assert.equal(isPublicAddress(literal!.address), false, host);
    }
    assert.equal(literalOf(new URL('http://example.com/')), undefined);
    assert.equal(URL.canParse('http://[fe80::1%25eth0]/'), false);
  });

  it('recognises names of the machine itself', () => {
    for (const name of ['localhost', 'localhost.', 'a.localhost', 'a.b.localhost.']) assert.ok(isLocalName(name), name);
    for (const name of ['localhost.example.com', 'notlocalhost', 'example.com.']) assert.ok(!isLocalName(name), name);
  });
});

describe('allow-list', () => {
  it('allows exactly the named host and port', () => {
    const allow = parseAllowList(' images.internal:8080, 10.0.0.7:80 ,[fd00::1]:443,BÜCHER.example:80,0x7f.1:81');
    const included = [
      ...['http://images.internal:8080/a?b', 'http://IMAGES.internal:8080/', 'http://10.0.0.7/', 'http://10.7:80/'],
      ...['https://[fd00::1]/', 'https://[fd00:0::1]:443/x', 'http://xn--bcher-kva.example/', 'http://127.0.0.1:81/'],
    ];
    for (const url of included) assert.ok(allow.includes(new URL(url)), url);
    const others = [
      ...['http://images.internal/', 'http://images.internal:8081/', 'https://10.0.0.7/', 'http://10.0.0.8/'],
      ...[
        'http://images.internal.:8080/',
        'http://a.images.internal:8080/',
        'http://[fd00::1]/',
        'http://[fd00::2]:443/',
      ],
    ];
    for (const url of others) assert.ok(!allow.includes(new URL(url)), url);
  });

  it('is empty for an empty text', () => {
    for (const text of ['', ' ', ',,']) assert.ok(!parseAllowList(text).includes(new URL('http://localhost/')));
  });

  it('names an entry that is not valid', () => {
    const wrong = [
      'host',
      'host:',
      ':80',
      'host:0',
      'host:65536',
      'http://host:80',
      'user@host:80',
      'host:80/x',
      'fd00::1:80',
    ];
    for (const entry of [...wrong, '10.0.0.0/8:80', '[host]:80', '[::1]', 'a b:80', 'host:8x']) {
      assert.throws(
        () => parseAllowList(`good:80,${entry}`),
        (error: Error) => error instanceof AllowListError && error.message.includes(`"${entry}"`),
        entry,
      );
    }
  });

  it('names a destination with the port that the scheme implies', () => {
    assert.equal(destinationOf(new URL('http://a/')), 'a:80');
    assert.equal(destinationOf(new URL('https://a/')), 'a:443');
    assert.equal(destinationOf(new URL('https://[::1]:80/')), '[::1]:80');
  });
});
