/**
 * Joins the types that a module exports into one file, which imports nothing. Types of the build refer to each other by file, and to
 * packages that only make validators of them: tags such as `tags.MinItems<1>` are left out.
 *
 * It goes by the compiler's own knowledge of each name, and cuts declarations out of the text, so that their comments stay. Since names
 * of exported types are unique in the project, none has to change; a name that two declarations share is an error.
 */
import ts from 'typescript';

/** Types of this package say what a validator checks, and nothing of the value. */
const TAGS = /[\\/]node_modules[\\/](?:typia|@typia)[\\/]/;

/**
 * The text of a file of types: what `entry` exports, and all that it needs of files below `folder`. `inWords` says what a link to a limit
 * in a comment stands for.
 */
export function declarationsOf(entry, folder, inWords) {
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    target: ts.ScriptTarget.ES2023,
    // Names of the web, such as `AbortSignal`, stay as they are, so they need not be known.
    lib: ['lib.es2023.d.ts'],
    types: [],
  };
  const program = ts.createProgram([entry], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((one) => resolved(checker, one));
  const texts = new Map();
  const waiting = [...exported];
  for (let symbol = waiting.shift(); symbol !== undefined; symbol = waiting.shift()) {
    const declaration = statementOf(symbol);
    const before = texts.get(symbol.name);
    if (before?.declaration === declaration) continue;
    if (before !== undefined) throw new Error(`Two types of the client have the name ${symbol.name}.`);
    const { text, needs } = textOf(declaration, { checker, folder, isExported: exported.includes(symbol) });
    texts.set(symbol.name, { declaration, text: readable(text, inWords) });
    waiting.push(...needs);
  }
  const all = [...texts.values()].map(({ text }) => text);
  // With this, only what says so is exported.
  return `${all.join('')}export {};\n`;
}

const resolved = (checker, symbol) =>
  (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);

/** The statement that declares `symbol`. */
function statementOf({ name, declarations }) {
  let [node] = declarations ?? [];
  if (declarations?.length !== 1) throw new Error(`${name} has ${declarations?.length ?? 0} declarations, not one.`);
  while (!ts.isSourceFile(node.parent)) node = node.parent;
  return node;
}

/** A declaration as it stands in the one file, and the symbols of `folder` that it refers to. */
function textOf(declaration, { checker, folder, isExported }) {
  const file = declaration.getSourceFile();
  const edits = [];
  const needs = new Set();
  const cut = (start, end, text = '') => edits.push({ start, end, text });
  const symbolOf = (node) => {
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && resolved(checker, symbol);
  };
  const isTag = (type) =>
    ts.isTypeReferenceNode(type) &&
    symbolOf(rightmost(type.typeName))?.declarations?.some((one) => TAGS.test(one.getSourceFile().fileName));

  function visit(node) {
    if (ts.isImportTypeNode(node)) throw new Error(`${file.fileName}: ${node.getText()} must be an import.`);
    if (ts.isIntersectionTypeNode(node) && node.types.some(isTag)) {
      const kept = node.types.filter((type) => !isTag(type));
      for (const type of kept) visit(type);
      cut(node.getStart(), kept[0].getStart());
      for (const [n, type] of kept.entries()) cut(type.end, kept[n + 1]?.getStart() ?? node.end, kept[n + 1] && ' & ');
      return;
    }
    if (ts.isIdentifier(node)) {
      const symbol = symbolOf(node);
      const [one] = symbol?.declarations ?? [];
      if (one !== undefined && isNamed(one) && one.getSourceFile().fileName.startsWith(folder)) needs.add(symbol);
      else if (one !== undefined && TAGS.test(one.getSourceFile().fileName))
        throw new Error(`${file.fileName}: ${node.parent.getText()} is not of the client.`);
    }
    ts.forEachChild(node, visit);
  }

  if (ts.isTypeAliasDeclaration(declaration) && hasConstants(declaration.type, symbolOf, folder)) {
    // What is read off a constant, such as `(typeof VERSIONS)[number]`, is told in full.
    const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;
    const type = checker.typeToString(checker.getTypeAtLocation(declaration.name), undefined, flags);
    cut(declaration.type.getStart(), declaration.type.end, type);
  } else visit(declaration);

  const word = declaration.modifiers?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (word && !isExported) cut(word.getStart(), word.end + 1);
  if (!word && isExported) throw new Error(`${declaration.name.text} is exported under another name.`);
  needs.delete(checker.getSymbolAtLocation(declaration.name ?? declaration));
  return { text: edited(file.text, declaration, edits), needs };
}

const rightmost = (name) => (ts.isQualifiedName(name) ? name.right : name);

/** Declared at the top level of a module, rather than a member, a parameter or a type parameter. */
const isNamed = (node) =>
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isVariableDeclaration(node);

function hasConstants(type, symbolOf, folder) {
  let found = false;
  const look = (node) => {
    if (ts.isTypeQueryNode(node)) {
      const [one] = symbolOf(rightmost(node.exprName))?.declarations ?? [];
      if (one?.getSourceFile().fileName.startsWith(folder)) found = true;
    }
    ts.forEachChild(node, look);
  };
  look(type);
  return found;
}

function edited(text, declaration, edits) {
  // Only the comment that belongs to it: the first statement of a file also has that of the file in front of it.
  const comments = ts.getJSDocCommentsAndTags(declaration).filter((one) => ts.isJSDoc(one));
  const from = comments.at(-1)?.getStart() ?? declaration.getStart();
  let out = '';
  let at = from;
  for (const { start, end, text: put = '' } of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
    out += text.slice(at, start) + put;
    at = end;
  }
  return `${out}${text.slice(at, declaration.end)}\n`;
}

/**
 * Comments as callers read them: limits in numbers, without what only makes the OpenAPI document, and in as few lines as there are
 * paragraphs and items. A tab is a level, since these files are loaded by every editor.
 */
function readable(text, inWords) {
  return text
    .replace(/^( *)\/\*\*([\s\S]*?)\*\//gm, (_, indent, comment) => {
      const lines = comment.split('\n');
      const bare = lines.map((line) => line.replace(/^\s*\* ?/, '').replace(/ ?@x-\S+ .*$/, ''));
      const prose = inWords(bare.join('\n').trim());
      if (!prose.includes('\n')) return `${indent}/** ${prose} */`;
      return `${indent}/**\n${prose.replace(/^ */gm, `${indent} * `).replace(/ +$/gm, '')}\n${indent} */`;
    })
    .replace(/^(?: {4})+/gm, (indent) => '\t'.repeat(indent.length / 4));
}
