import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertBounded } from '../../../support/effort.ts';
import { evidenceOf, pieces } from '../support.ts';

const all = { addresses: { ranges: 'all' } };
const rangesIn = (text: string, detect: unknown = all): string[] =>
  evidenceOf(detect, text).map(({ detector }) => detector.slice('addresses:'.length));

const INTERNAL: Record<string, string[]> = {
  local: [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.0.1',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://017700000001',
    'http://127.0.0.1.:80/',
    'http://0/',
    'http://0.0.0.0:8080/',
    'http://[::1]/',
    'http://[::]/',
    'http://[0:0:0:0:0:0:0:1]:80/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://localhost',
    'http://localhost.:8080/admin',
    'http://LOCALHOST/',
    'http://app.localhost/',
    'http://127。0。0。1/',
    'http://１２７.０.０.１/',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
    'http://%6c%6f%63alhost/',
    'http://127.0.0.%31/',
    'http://user@127.0.0.1/',
    'http://user:secret@127.0.0.1/',
    'http://example.com@127.0.0.1/',
    'http://example.com:80@127.0.0.1:8080/',
    'https:127.0.0.1/x',
    'http:/127.0.0.1',
    'http:\\\\127.0.0.1\\x',
    'HTTP://127.0.0.1',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1:6379/_INFO',
    'redis://localhost:6379',
    'url=//127.0.0.1/x',
    'http://127.0.0.1.nip.io/',
    'http://10-0-0-1.127-0-0-1.sslip.io/',
    'http://localtest.me/',
    'http://host.docker.internal:2375/',
    'curl http://localhost:9200/_cat',
    'see (http://127.0.0.1).',
    'http://www.7f000001.nip.io/',
    'http://vcap.me/',
    'https://example.com/go?to=http%3A%2F%2F127.0.0.1%3A8080%2Fadmin&x=1',
    'https://example.com/go?to=http%253A%252F%252Flocalhost%252F',
    'curl -s 127.0.0.1:9200/_cat',
    'wget -O - localhost/x',
    "curl -XPOST 'localhost:8080/a?b=c' -d 1",
    'curl 2130706433',
  ],
  metadata: [
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.43518/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[fd00:ec2::254]/latest',
    'http://169.254.170.2/v2/credentials',
    'http://100.100.100.200/latest/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://metadata.google.internal./x',
    'http://metadata/computeMetadata/v1/',
    'http://METADATA.google.internal/',
    'the host is 169.254.169.254',
    'curl 169.254.169.254/latest/meta-data',
    'metadata.google.internal',
    'http://metadata.tencentyun.com/latest',
    'http://rancher-metadata/x',
  ],
  private: [
    'http://10.0.0.5/',
    'http://192.168.1.1/admin',
    'http://172.16.4.4:9000',
    'http://0xa.1/',
    'http://169.254.1.1/',
    'http://100.64.0.1/',
    'http://[fd12:3456::1]/',
    'http://[fe80::1]/',
    'http://[fe80::1%25eth0]/',
    'curl 10.0.0.5:9200/_search',
    'curl -k https://example.com 192.168.1.1',
    'http://[::ffff:10.0.0.1]/',
    'http://db.internal/',
    'http://printer.local/',
    'http://api.prod.svc.cluster.local/',
    'http://kubernetes.default.svc/',
    'http://wiki.corp/',
    'postgres://app:pw@db.internal:5432/shop',
  ],
  special: [
    'http://192.0.2.1/',
    'http://224.0.0.1/',
    'http://198.18.0.1/',
    'http://[2001:db8::1]/',
    'http://255.255.255.255/',
  ],
};

describe('addresses', () => {
  for (const [range, texts] of Object.entries(INTERNAL)) {
    it(`fires on ${range} addresses in every notation`, () => {
      for (const text of texts) assert.deepEqual(rangesIn(text), [range], text);
    });
  }

  it('fires on nothing else', () => {
    for (const text of [
      'https://example.com/',
      'https://user:pw@example.com:8443/a?b=127.0.0.1',
      'https://example.com/redirect?to=localhost',
      'https://example.com/http/127.0.0.1',
      'https://127.0.0.1.example.com/',
      'https://localhost.example.com/',
      'https://notlocalhost/',
      'https://internal.example.com/',
      'https://local.example.org',
      'http://8.8.8.8/',
      'http://134744072/',
      'http://[2606:4700::1111]/',
      'http://[64:ff9b::808:808]/',
      'http://8.8.8.8.nip.io/',
      'http://intranet-guide.example/',
      'http://host:port/',
      'http://[not an address]/',
      'http://999.1.1.1/',
      'http://',
      'http://?x',
      'version 127.0.0.1',
      '10.0.0.1 and 192.168.0.1 are addresses',
      '0.0.0.0:8080',
      'bind 0.0.0.0:8080',
      'python-3.11.4.1.tar.gz, nginx/1.25.3.1',
      'at 12:30, 10.0.0 was released',
      'x = 1 // localhost is the default',
      'a//localhost',
      'rdar://4685553',
      '//1. Allocate the buffer.\n//0x7f: the last one',
      '1169.254.169.254',
      '169.254.169.254.5',
      '169.254.169.2541',
      'my-metadata.google.internal-copy',
      'the 10.0.0.0/8 block',
      'mailto:bob@localhost',
      'gs://internal/x',
      's3://localhost/x',
      'https://example.com/?to=https%3A%2F%2Fexample.org%2F127.0.0.1',
      'https://example.com/?path=%2F%2Flocalhost',
      'curl https://example.com/10.0.0.1',
      'curl -H "X-Forwarded-For: 10.0.0.1" example.com',
      'curl --max-time 10.5 example.com/10.0.0.1',
      'curl 8.8.8.8',
      'mycurl 127.0.0.1',
      'file:///etc/hosts',
      'https: 127.0.0.1',
      `http://${'a'.repeat(2000)}@127.0.0.1/`,
    ]) {
      assert.deepEqual(rangesIn(text), [], text);
    }
  });

  it('take a bounded time', () => {
    for (const unit of [
      'curl ',
      'curl "',
      "curl '                ",
      'http%3a%2f%2f',
      '%252f%252f',
      'curl a@',
      'curl 1.1.1.',
    ]) {
      assertBounded(() => evidenceOf(all, unit.repeat((256 * 1024) / unit.length)));
      assertBounded(() => evidenceOf(all, `curl "${' '.repeat(1000)}\n`.repeat(256)));
    }
  });

  it('says where the address stands', () => {
    assert.deepEqual(pieces(all, 'get http://u:p@127.0.0.1:80/x now'), ['http://u:p@127.0.0.1:80']);
    assert.deepEqual(pieces(all, 'get https:127.1/x'), ['https:127.1']);
  });

  it('leaves out what is set aside unless it is asked for', () => {
    const usual = { addresses: {} };
    assert.deepEqual(rangesIn('http://192.0.2.1/', usual), []);
    assert.deepEqual(rangesIn('http://10.0.0.1/', usual), ['private']);
    assert.deepEqual(rangesIn('http://10.0.0.1/ http://127.1/', { addresses: { ranges: ['local'] } }), ['local']);
  });
});
