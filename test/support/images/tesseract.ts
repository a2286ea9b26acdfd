/** Finds tesseract, or installs it. */
import { spawnSync } from 'node:child_process';
import { installPackage } from '../packages.ts';

const isThere = (): boolean => spawnSync('tesseract', ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;

/** Throws where it is neither there nor can be installed. */
export function needTesseract(): void {
  if (!isThere()) installPackage('tesseract-ocr', 'tesseract');
  if (!isThere()) {
    throw new Error('tesseract is needed by this test and is not on the PATH: install it, for example with apt-get.');
  }
}
