// Check digits, by the examples that standards and authorities publish.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { icao, isDate, isSequence, luhn, mod11And10, mod97, verhoeff } from '#weir/shared/policy/detectors/pii/checks';
import { isAbn, isAcn, isGstinChecked, isTfn, isUen } from '#weir/shared/policy/detectors/pii/ids/asia';
import { isFiscalCode, isHetu, isNir, isPesel, isTckn } from '#weir/shared/policy/detectors/pii/ids/europe';
import {
  isDoctorNumber,
  isInsuredNumber,
  isPensionNumber,
  isTaxId,
} from '#weir/shared/policy/detectors/pii/ids/germany';
import { isCnpj, isCpf } from '#weir/shared/policy/detectors/pii/ids/south';
import { isNhs } from '#weir/shared/policy/detectors/pii/ids/uk';
import { isRoutingNumber } from '#weir/shared/policy/detectors/pii/ids/us';
import { isBase58Address, isSegwitAddress } from '#weir/shared/policy/detectors/pii/kinds/crypto';

function table(name: string, check: (id: string) => boolean, right: string[], wrong: string[]): void {
  it(name, () => {
    for (const id of right) assert.ok(check(id), id);
    for (const id of wrong) assert.ok(!check(id), id);
  });
}

describe('check digits', () => {
  table('Luhn (ISO/IEC 7812-1, annex B)', luhn, ['17893729974', '79927398713'], ['17893729975', '79927398710']);
  table('MOD 97-10 (ISO 13616)', (id) => mod97(id) === 1, ['WEST12345698765432GB82'], ['WEST12345698765433GB82']);
  table('MOD 11,10 (ISO 7064)', mod11And10, ['07945', '36574261809'], ['07944', '36574261890']);
  table('Verhoeff (1969)', verhoeff, ['2363', '123451'], ['2364', '123452', '2633']);
  table('ICAO 9303, part 4, appendix A', icao, ['L898902C36', '7408122', '1204159'], ['L898902C35', '7408123']);
  table(
    'BIP 173 and BIP 350',
    isSegwitAddress,
    [
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    ],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
  );
  table(
    'Base58Check, by the first block',
    isBase58Address,
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', 'A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  );
  it('days of the calendar', () => {
    assert.ok(isDate(2000, 2, 29) && isDate(2024, 2, 29) && isDate(24, 2, 29));
    assert.ok(
      !isDate(1900, 2, 29) &&
        !isDate(2023, 2, 29) &&
        !isDate(2023, 4, 31) &&
        !isDate(2023, 13, 1) &&
        !isDate(2023, 1, 0),
    );
  });
  it('rows of digits', () => {
    assert.ok(isSequence('123456789') && isSequence('987654321') && isSequence('7890123'));
    assert.ok(!isSequence('123456798'));
  });
});

describe('numbers of countries', () => {
  table('ABA routing number', isRoutingNumber, ['021000021', '011401533'], ['021000022', '421000021']);
  table('NHS number (NHS Data Dictionary)', isNhs, ['9434765919'], ['9434765918']);
  table('Australian Business Number (ABR)', isAbn, ['51824753556'], ['51824753557', '15824753556']);
  table('Australian Company Number (ASIC)', isAcn, ['004085616', '010499966'], ['004085617']);
  table('Australian tax file number (ATO)', isTfn, ['123456782'], ['123456781']);
  table('German pension insurance number (DRV)', isPensionNumber, ['15070649C103'], ['15070649C104', '15070649D103']);
  table(
    'German health insurance number (section 290 SGB V, annex 1)',
    isInsuredNumber,
    ['A000500015', 'C000500021'],
    ['A000500016'],
  );
  table(
    'German tax id (section 139b AO)',
    isTaxId,
    ['38351739422', '53674216089'],
    ['38351739423', '47778123590', '66123755980', '74125896300'],
  );
  table('German number of physicians (KBV)', isDoctorNumber, ['123456601'], ['123456701']);
  table('Italian fiscal code', isFiscalCode, ['RSSMRA80A01H501U', 'MRTMTT25D09F205Z'], ['RSSMRA80A01H501T']);
  table('French social security number', isNir, ['255081416802538'], ['255081416802539']);
  table('Polish PESEL', isPesel, ['44051401359', '02070803628'], ['44051401358', '44951401359']);
  table(
    'Finnish personal identity code',
    (id) => isHetu(id.replace('-', ''), '-'),
    ['131052-308T'],
    ['131052-308U', '311152-308T'],
  );
  table('Turkish identity number', isTckn, ['10000000146'], ['10000000147', '00000000146']);
  table(
    'Brazilian CPF and CNPJ',
    (id) => (id.length === 11 ? isCpf(id) : isCnpj(id)),
    ['52998224725', '11222333000181'],
    ['52998224735', '11222333000182', '11111111111'],
  );
  table('Singapore UEN', isUen, ['00192200M', '197401143C', 'S16FC0121D', 'T01FC6132D'], ['00192200X', '123456']);
  table('Indian GSTIN', isGstinChecked, ['27AAPFU0939F1ZV'], ['27AAPFU0939F1ZW']);
});
